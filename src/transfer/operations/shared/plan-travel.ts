import { join } from 'node:path';
import type { Platform, Project } from '#platform/port.ts';

/** Says in one sentence how the plan reaches other clones. Undefined outside a repository, and if `sync.mode` is off. */
export async function describePlanTravel(platform: Platform, project: Project): Promise<string | undefined> {
  const { files, config } = platform;
  const { 'sync.mode': mode, 'store.engine': engine } = config.load(project);
  // The plan is on the server, so that every clone has it.
  if (mode === 'off' || engine === 'server') return undefined;
  const tree = await platform.findWorkingTree(project);
  if (!files.exists(join(tree.top, '.git'))) return undefined;
  const hooks = await (await platform.loadGit()).findHooks(tree.top).catch(() => undefined);
  if (!hooks) return undefined;
  const scripts = [join(hooks.folder, 'pre-commit'), join(tree.top, '.husky', 'pre-commit'), join(tree.top, 'lefthook.yml')];
  if (scripts.some((path) => files.readText(path)?.includes('cleo sync --git-hook'))) return hookedPlan;
  return files.isFolder(join(tree.folder, '.cleo', 'plan')) ? publishedPlan : localPlan;
}

/** The sentence for a repository with our hooks. */
export const hookedPlan =
  'The plan travels with git: the hooks write .cleo/plan before each commit and read it after merge, checkout and rebase.';
const publishedPlan = 'The plan is in .cleo/plan: cleo sync writes and reads it, and cleo setup git lets git do that.';
const localPlan = 'The plan stays in this clone; cleo setup git lets it travel with the repository.';
