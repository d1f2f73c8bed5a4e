import { relative, resolve, sep } from 'node:path';
import type { Platform, Project } from '#platform/port.ts';

/** Converts a path that is relative to the caller's folder into one that is relative to the project. Undefined if it is outside. */
export function toProjectPath({ folder }: Pick<Platform, 'folder'>, { root }: Pick<Project, 'root'>, path: string): string | undefined {
  const inProject = relative(root, resolve(folder, path));
  return inProject === '' || inProject === '..' || inProject.startsWith(`..${sep}`) ? undefined : inProject.split(sep).join('/');
}

/** Finds a file of the project by the path that a caller wrote: relative to the caller's folder first, then to the project. */
export const findProjectPath = (
  platform: Pick<Platform, 'folder'>,
  project: Pick<Project, 'root'>,
  path: string,
  exists: (path: string) => boolean,
): string | undefined => [toProjectPath(platform, project, path), path].find((one) => one !== undefined && exists(one));
