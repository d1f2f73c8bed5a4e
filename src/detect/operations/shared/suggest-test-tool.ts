import { commandLine } from '#core/errors/catalog.ts';
import { detectProject } from '../../rules/detect.ts';

/** Suggests the command that configures `verification.tools.test` from the tests that the files of the project show. `test` is undefined
 *  if none were found. */
export async function suggestTestTool(root: string): Promise<{ configure: string; test: string | undefined }> {
  const { scanProject } = await import('#platform/project-scan.ts');
  const testing = detectProject(scanProject(root)).testing;
  // A configured tool runs in the project folder. A test command of a subfolder is stored by `init --detect`.
  const configure = testing?.folder
    ? 'cleo init --detect'
    : commandLine(['cleo', 'config', 'set', 'verification.tools.test', testing?.command ?? 'npm test']);
  return { configure, test: testing?.command };
}
