import { join } from 'node:path';
import { safeParse } from 'valibot';
import { parseJson } from '#lib/parse-json.ts';
import type { Platform, Project } from '#platform/port.ts';
import { type ProjectContext, ProjectContextSchema, projectContextFile } from '../../model/project-context.ts';

/** Reads the file that `init --detect` wrote. Undefined if it is missing or invalid; `doctor` reports which. */
export function readProjectContext({ files }: Platform, { root }: Project): ProjectContext | undefined {
  const read = safeParse(ProjectContextSchema, parseJson(files.readText(join(root, projectContextFile))));
  return read.success ? read.output : undefined;
}
