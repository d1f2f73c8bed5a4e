import { type ProjectContext, projectContextFile } from '#detect/model/project-context.ts';
import { detectProject } from '#detect/rules/detect.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { FileChange } from './setup-files.ts';

interface DetectionResult {
  context: ProjectContext;
  changes: Omit<FileChange, 'adds'>[];
}

/** Detects the project and writes its context file if it has changed. */
export async function writeProjectContext({ files }: Platform, { root }: Project): Promise<DetectionResult> {
  const { scanProject } = await import('#platform/project-scan.ts');
  const { resolveInProject } = await import('#platform/shared-file.ts');
  const context = detectProject(scanProject(root));
  // A clone may contain a link with this name; its target outside the project must not be written.
  const { path, exists } = resolveInProject(root, projectContextFile, `rm ${projectContextFile}`);
  const text = `${JSON.stringify(context, null, 2)}\n`;
  if (exists && files.readText(path) === text) return { context, changes: [] };
  files.writeAtomic(path, text);
  return { context, changes: [{ file: projectContextFile, change: exists ? 'updated' : 'created' }] };
}
