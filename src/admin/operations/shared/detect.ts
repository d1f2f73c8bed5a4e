import { type ProjectContext, projectContextFile } from '#detect/model/project-context.ts';
import { detectProject } from '#detect/rules/detect.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { Change } from './setup-files.ts';

interface Detected {
  context: ProjectContext;
  changes: Omit<Change, 'adds'>[];
}

/** Looks at the files of the project and writes down what it is; nothing where that stands there already. */
export async function detectInto({ files }: Platform, { root }: Project): Promise<Detected> {
  const { surveyProject } = await import('#platform/survey.ts');
  const { inProject } = await import('#platform/shared-file.ts');
  const context = detectProject(surveyProject(root));
  // A clone may bring a link of this name: what it leads to outside the project is not ours to write.
  const { path, isThere } = inProject(root, projectContextFile, `rm ${projectContextFile}`);
  const text = `${JSON.stringify(context, null, 2)}\n`;
  if (isThere && files.readText(path) === text) return { context, changes: [] };
  files.writeWhole(path, text);
  return { context, changes: [{ file: projectContextFile, change: isThere ? 'updated' : 'created' }] };
}
