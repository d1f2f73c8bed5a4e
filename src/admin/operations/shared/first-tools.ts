import type { JobContext } from '#core/define.ts';
import { detectProject } from '#detect/rules/detect.ts';
import { isFirstTestTool } from '../../rules/first-tool.ts';

/** Checks whether a setting is the first test command of a project that has no evidence policy yet, exactly as `init --detect` finds it.
 *  The files are scanned again, because anything can be written into .cleo/project-context.json. */
export async function isFirstTool({ platform, project }: JobContext, key: string, value: unknown): Promise<boolean> {
  const { values } = platform.config.inspect(platform.config.projectFile(project));
  const { scanProject } = await import('#platform/project-scan.ts');
  return isFirstTestTool(
    key,
    value,
    { ...values, ...platform.config.getShared(project) },
    detectProject(scanProject(project.root)).testing,
  );
}
