import { assessmentsFile } from '#assess/operations/shared/traces.ts';
import type { Config } from '#core/model/config.ts';
import type { FileRecordKind } from '#core/model/shared-records.ts';
import { gradesFile } from '#grade/model/grade-files.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { RecordFiles } from '#platform/records/port.ts';
import { openManifestRecords, openPromptRecords } from '#research/operations/shared/manifest-records.ts';
import { openRunRecords } from '#runs/operations/shared/run-records.ts';

/** Kinds whose contents the store keeps for a limited time. */
export const expiringKinds: readonly FileRecordKind[] = ['runs', 'prompts'];

/** Opens the files of a kind of shared records in the checkout. */
export async function openRecordFiles(
  kind: FileRecordKind,
  { platform, project, config }: { platform: Platform; project: Project; config: Config },
): Promise<RecordFiles> {
  const maxBytes = config['store.maxRecordKb'] * 1024;
  const openLines = async (file: string): Promise<RecordFiles> =>
    (await platform.loadRecordFiles()).openLineRecords(`${project.folder}/${file}`);
  switch (kind) {
    case 'grades':
      return openLines(gradesFile);
    case 'scores':
      return openLines(assessmentsFile);
    case 'reviews':
      return openLines('reviews.jsonl');
    case 'prunedRuns':
      return openLines('traces/PRUNED.jsonl');
    case 'research':
    case 'researchArchive':
      return openManifestRecords(platform, project, config, kind === 'researchArchive');
    case 'prompts':
      return openPromptRecords(platform, project, config, maxBytes);
    case 'runs':
      return openRunRecords(platform, project, maxBytes);
  }
}
