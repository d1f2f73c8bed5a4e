import { CleoError } from '#core/errors/error.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { HeadSource } from './prove-log.ts';

/** The ref that holds anchored heads as git notes. */
export const anchorRef = 'refs/notes/cleo';

/** Collects heads from outside this machine: the given file, and the notes of a git remote. A remote is contacted if it is named,
 *  if anchors are required, or if this checkout has anchored heads itself. Without the first two, a remote that does not answer
 *  is only a warning. The local ref never counts: a user who can rebuild the log can write that ref as well. */
export async function findHeadSources(
  { platform, project }: { platform: Platform; project: Project },
  { heads, remote, require }: { heads?: string | undefined; remote?: string | undefined; require?: string | undefined },
): Promise<{ sources: HeadSource[]; warnings: string[] }> {
  const sources: HeadSource[] = heads === undefined ? [] : [{ name: '--heads', text: heads }];
  const isRequired = remote !== undefined || (require === 'anchored' && heads === undefined);
  try {
    const git = await platform.loadGit();
    const hasTree = await git.getPrefix(project.root).catch(() => undefined);
    if (hasTree === undefined) {
      if (remote === undefined) return { sources, warnings: [] };
      throw new CleoError('E_DEPENDENCY_ERROR', {
        tool: 'git',
        problem: `${project.root} is not in a git repository, so it has no remote ${remote}`,
        fix: 'cleo audit verify',
      });
    }
    if (!isRequired && !(await git.hasRef(project.root, anchorRef))) return { sources, warnings: [] };
    const name = remote ?? (await git.getRemote(project.root));
    if (!name) return { sources, warnings: [] };
    const text = await git.readRemoteNotes(project.root, name, anchorRef);
    if (text !== undefined) sources.push({ name: `the git remote ${name}`, text });
    return { sources, warnings: [] };
  } catch (error) {
    if (isRequired || !(error instanceof CleoError)) throw error;
    return { sources, warnings: [`anchors were not looked up: ${error.message}`] };
  }
}
