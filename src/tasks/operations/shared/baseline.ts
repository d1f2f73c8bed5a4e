import { array, number, object, optional, string } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { type FactRequest, type ObserveContext, observation, requestFacts } from '#core/observation.ts';
import { defined } from '#lib/collections.ts';
import type { BaselineFile } from '../../model/baseline.ts';
import type { TaskRecord } from '../../model/task.ts';

type BaselineContext = Pick<MutationContext, 'store' | 'now' | 'getFacts'>;

/** The commit that is checked out where the caller works; none outside a repository and before its first commit. */
export const checkoutHead = observation({
  name: 'checkout.head',
  request: object({}),
  facts: object({ head: optional(string()) }),
  observe: async ({ platform }) => defined({ head: await platform.readHead() }),
});

/** The declared files of a task, for a checkout outside a repository. */
const declaredFiles = observation({
  name: 'checkout.files',
  isQuick: true,
  request: object({ paths: array(string()) }),
  facts: array(object({ path: string(), size: optional(number()), changedAt: optional(string()), sha256: optional(string()) })),
  observe: (ctx, { paths }) => describeFiles(ctx, paths),
});

/** For `observes` and `observeFirst` of an operation that may claim a task. */
export const baselineObservations = [checkoutHead, declaredFiles];
export const observeHeadFirst = (): FactRequest[] => [requestFacts(checkoutHead, {})];

/** A larger file is compared by size and time. */
const maxHashedBytes = 10_000_000;

/** Stores the state of the checkout when a task is claimed for the first time. Later claims leave it, so that the work of an earlier
 *  holder stays work on the task. */
export async function recordBaseline(ctx: BaselineContext, { id, startedAt, files: paths }: TaskRecord): Promise<void> {
  if (startedAt !== undefined) return;
  const { head } = await ctx.getFacts(checkoutHead, {});
  const files = head === undefined && paths.length > 0 ? await ctx.getFacts(declaredFiles, { paths }) : undefined;
  await ctx.store.claims.insertBaseline(id, { ...defined({ head, files: files as BaselineFile[] | undefined }), at: ctx.now });
}

async function describeFiles({ platform, project }: ObserveContext, paths: string[]): Promise<BaselineFile[]> {
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
