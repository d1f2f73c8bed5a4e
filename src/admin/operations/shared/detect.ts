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
  const { scanProject } = await import('#platform/project-scan.ts');
  const { resolveInProject } = await import('#platform/shared-file.ts');
  const context = detectProject(scanProject(root));
  // A clone may bring a link of this name: what it leads to outside the project is not ours to write.
  const { path, exists } = resolveInProject(root, projectContextFile, `rm ${projectContextFile}`);
  const text = `${JSON.stringify(context, null, 2)}\n`;
  if (exists && files.readText(path) === text) return { context, changes: [] };
  files.writeAtomic(path, text);
  return { context, changes: [{ file: projectContextFile, change: exists ? 'updated' : 'created' }] };
}
