import { array, type InferOutput, optional, picklist, strictObject, string, unknown } from 'valibot';
import type { JobContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { findUnacceptedProblems, findUntrusted } from '#core/rules/trust.ts';
import { defined } from '#lib/collections.ts';
import type { ProjectTrust } from '#platform/port.ts';
import { resolveSharedSettings } from './shared-settings.ts';

export const TrustEntrySchema = strictObject({
  name: string(),
  value: unknown(),
  file: string(),
  state: picklist(['trusted', 'new', 'changed']),
  /** The value that was trusted. */
  before: optional(unknown()),
});
type TrustEntry = InferOutput<typeof TrustEntrySchema>;

/** Reasons against obeying `.cleo` as a whole. */
export const FolderProblems = array(strictObject({ problem: string(), state: picklist(['trusted', 'new']) }));

interface TrustState {
  entries: TrustEntry[];
  folder: InferOutput<typeof FolderProblems>;
  /** Files that are not among the items of every project. */
  files: { path: string; sha256: string }[];
}

type TrustContext = Pick<JobContext, 'platform' | 'project' | 'read' | 'hasSharedStore'>;

/** Lists what the project runs and connects to, and what of it the user has trusted. `path` names a construct or a skill folder. */
export async function readTrustState(ctx: TrustContext, trust: ProjectTrust, path: string | undefined): Promise<TrustState> {
  const { project } = ctx;
  await resolveSharedSettings(ctx);
  const files = path === undefined ? [] : await listNamedFiles(ctx, path);
  const record = trust.readRecord(project);
  const items = await trust.listItems(project, files);
  const changes = new Map(findUntrusted(items, record).map((change) => [`${change.kind} ${change.name}`, change]));
  const problems = trust.listProblems(project);
  const unaccepted = findUnacceptedProblems(problems, record);
  return {
    entries: items.map(({ kind, name, value, file }) => {
      const change = changes.get(`${kind} ${name}`);
      return { name, value, file, state: change?.state ?? 'trusted', ...defined({ before: change?.before }) };
    }),
    folder: problems.map((problem) => ({ problem, state: unaccepted.includes(problem) ? 'new' : 'trusted' })),
    files,
  };
}

/** Lists the files behind a path: a construct with the skills it runs, or one skill folder. */
async function listNamedFiles(ctx: TrustContext, path: string): Promise<TrustState['files']> {
  const runner = await ctx.platform.createRunner(ctx.project);
  const { findProjectPath } = await import('#runs/runner/artifacts.ts');
  const found = findProjectPath(ctx.platform, ctx.project, path, (one) => runner.statFile(one) !== undefined);
  const entry = found === undefined ? undefined : runner.statFile(found);
  if (found === undefined || (entry?.kind !== 'file' && entry?.kind !== 'folder'))
    throw new CleoError('E_NOT_FOUND', { what: 'construct or skill folder', id: path.slice(0, 200), fix: 'cleo help trust' });
  if (entry.kind === 'folder') {
    const { folder, sha256 } = await runner.findSkill(found.split('/').at(-1)!, found);
    return folder === undefined ? [] : [{ path: folder, sha256 }];
  }
  const { listRunPrograms, readConstructManifest } = await import('#runs/operations/shared/run-request.ts');
  const { construct } = await readConstructManifest(ctx, found);
  const programs = construct ? await listRunPrograms(runner, construct) : [];
  return [{ path: found, sha256: runner.hashFile(found) }, ...programs.filter((program) => program.path !== found)];
}
