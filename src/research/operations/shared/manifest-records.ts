import { dirname } from 'node:path';
import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { RecordFiles } from '#platform/records/port.ts';
import { getArchivePath, getManifestPath } from '../../rules/manifest.ts';

/** Opens the lines of the manifest, or of its archive. */
export async function openManifestRecords(platform: Platform, { root }: Project, config: Config, isArchive: boolean): Promise<RecordFiles> {
  const { openLineRecords } = await platform.loadRecordFiles();
  return openLineRecords(await resolveFile(root, isArchive ? getArchivePath(config) : getManifestPath(config)));
}

/** Opens the prompts of spawned agents, which are in a folder next to the manifest. */
export async function openPromptRecords(platform: Platform, { root }: Project, config: Config, maxBytes: number): Promise<RecordFiles> {
  const { openFolderRecords } = await platform.loadRecordFiles();
  return openFolderRecords(dirname(await resolveFile(root, getManifestPath(config))), {
    folders: ['prompts'],
    includes: (name) => /^prompts\/[^/]+\.md$/.test(name),
    maxBytes,
  });
}

const resolveFile = async (root: string, path: string): Promise<string> =>
  (await import('#platform/shared-file.ts')).resolveInProject(root, path, 'cleo config unset orchestrate.outputDir').path;
