import type { MutationContext } from '#core/define.ts';
import { defined } from '#lib/defined.ts';
import type { BaselineFile } from '../../model/baseline.ts';
import type { TaskRecord } from '../../model/task.ts';

type BaselineContext = Pick<MutationContext, 'store' | 'platform' | 'project' | 'now'>;

/** The claim holds the write lock while it hashes. A larger file is compared by size and time. */
const maxHashedBytes = 10_000_000;

/** Stores the state of the checkout when a task is claimed for the first time. Later claims leave it, so that the work of an earlier
 *  holder stays work on the task. */
export async function recordBaseline(ctx: BaselineContext, { id, startedAt, files: paths }: TaskRecord): Promise<void> {
  if (startedAt !== undefined) return;
  const head = await ctx.platform.readHead();
  const files = head === undefined && paths.length > 0 ? await describeFiles(ctx, paths) : undefined;
  await ctx.store.claims.insertBaseline(id, { ...defined({ head, files }), at: ctx.now });
}

async function describeFiles({ platform, project }: BaselineContext, paths: string[]): Promise<BaselineFile[]> {
  const tree = await platform.findWorkingTree(project);
  const described: BaselineFile[] = [];
  for (const path of paths) {
    const file = await platform.findFile(project, tree, path, tree.folder);
    if (!file) described.push({ path });
    else {
      const { name, size, changedAt } = file;
      const sha256 = size <= maxHashedBytes ? platform.files.sha256(file.path) : undefined;
      described.push({ path: name, size, changedAt, ...defined({ sha256 }) });
    }
  }
  return described;
}
