import { relative, resolve, sep } from 'node:path';
import type { Platform, Project } from '#platform/port.ts';

/** A path as the project knows it, from one as its caller writes it; undefined where it leads out. */
export function placeIn({ folder }: Pick<Platform, 'folder'>, { root }: Pick<Project, 'root'>, asked: string): string | undefined {
  const place = relative(root, resolve(folder, asked));
  return place === '' || place === '..' || place.startsWith(`..${sep}`) ? undefined : place.split(sep).join('/');
}
