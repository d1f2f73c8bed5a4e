import { dirname } from 'node:path';
import { array, type InferOutput, object, parse, pipe, regex, string } from 'valibot';
import { TaskIdSchema } from '#core/model/scalars.ts';
import type { ApplyContext } from '#core/observation.ts';
import { getManifestPath, getOutputFolder } from '#research/rules/manifest.ts';

const SpawnFilesSchema = object({
  /** The tasks whose output folders are created. */
  tasks: array(TaskIdSchema),
  prompts: array(object({ agentId: pipe(string(), regex(/^(?:[\w.:@-]+\/)*[\w-]{1,100}$/)), text: string() })),
});
export type SpawnFiles = InferOutput<typeof SpawnFilesSchema>;

/** The name of a prompt file: that of its agent without the name of a token, which names of tasks do not need to differ. */
export const toPromptName = (agentId: string): string => `prompts/${agentId.split('/').at(-1)}.md`;

/** Returns the path of a prompt below the project folder. */
export const toPromptPath = (manifestPath: string, agentId: string): string => manifestPath.replace(/[^/]*$/, toPromptName(agentId));

/** Creates the output folders of spawned tasks, and the files of long prompts. Their paths follow from the configuration of this checkout,
 *  so that a server cannot choose them. */
export async function writeSpawnFiles(ctx: ApplyContext, data: unknown): Promise<void> {
  const { config, platform } = ctx;
  const { tasks, prompts } = parse(SpawnFilesSchema, data);
  for (const id of tasks) platform.files.createFolder(await resolveOutput(ctx, getOutputFolder(config, id)));
  for (const { agentId, text } of prompts) {
    const path = await resolveOutput(ctx, toPromptPath(getManifestPath(config), agentId));
    platform.files.createFolder(dirname(path), true);
    platform.files.writeAtomic(path, text, true);
  }
}

export async function resolveOutput({ project }: Pick<ApplyContext, 'project'>, path: string): Promise<string> {
  const { resolveInProject } = await import('#platform/shared-file.ts');
  return resolveInProject(project.root, path, 'cleo config unset orchestrate.outputDir').path;
}
