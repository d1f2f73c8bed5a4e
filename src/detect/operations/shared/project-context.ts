import { join } from 'node:path';
import { safeParse } from 'valibot';
import type { Platform, Project } from '#platform/port.ts';
import { ProjectContext, projectContextFile } from '../../model/project-context.ts';

/** What `init --detect` wrote; undefined where there is nothing, or nothing that can be read. `doctor` tells the two apart. */
export function projectContextOf({ files }: Platform, { root }: Project): ProjectContext | undefined {
  try {
    const read = safeParse(ProjectContext, JSON.parse(files.readText(join(root, projectContextFile)) ?? 'null'));
    return read.success ? read.output : undefined;
  } catch {
    return undefined;
  }
}
