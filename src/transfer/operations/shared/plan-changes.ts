import { join, relative } from 'node:path';
import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';

/** The plan folder and the recorded grades of a checkout, relative to its top. */
export interface PlanChanges {
  top: string;
  names: string[];
}

/** Finds out with one call of git whether the plan files or the recorded grades differ from the last commit. Undefined if they do not, or
 *  if the commit is of single files, to which the hook adds nothing. */
export async function findPlanChanges(platform: Platform, project: Project, config: Config): Promise<PlanChanges | undefined> {
  const tree = await platform.findWorkingTree(project);
  const git = await platform.loadGit();
  if (git.isPartialCommit()) return undefined;
  const toName = (path: string): string => relative(tree.top, path).replaceAll('\\', '/');
  const folder = join(tree.folder, '.cleo', 'plan');
  const names = platform.files.isFolder(folder) ? [toName(folder)] : [];
  if (config['sync.include'].includes('grades')) {
    const { gradesFile } = await import('#grade/model/grade-files.ts');
    const grades = join(tree.folder, '.cleo', gradesFile);
    if (platform.files.exists(grades)) names.push(toName(grades));
  }
  return names.length > 0 && (await git.hasChanges(tree.top, names)) ? { top: tree.top, names } : undefined;
}
