import type { SharedRecord } from '#core/model/shared-records.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { RecordFiles } from '#platform/records/port.ts';
import { stopFile } from '../../rules/stop-request.ts';
import { isTraceName, toRunId } from '../../rules/trace-name.ts';
import { isRunLive, readRunRecord } from '../../runner/stored-runs.ts';

/** Opens the files of runs: traces with their payloads, folders of runs, and the model of scores. A run is stored when it has ended. */
export async function openRunRecords(platform: Platform, project: Project, maxBytes: number): Promise<RecordFiles> {
  const runner = await platform.createRunner(project);
  const { openFolderRecords, continuesRecord } = await platform.loadRecordFiles();
  const live = new Map<string, boolean>();
  const isLive = (runId: string): boolean => {
    const known = live.get(runId) ?? isRunLive(runner, readRunRecord(runner, runId));
    live.set(runId, known);
    return known;
  };
  const findTrace = (runId: string, stored: SharedRecord[]): SharedRecord | undefined =>
    stored.find(({ name }) => name.startsWith('traces/') && findRunId(name) === runId);
  const records = openFolderRecords(project.folder, {
    folders: ['traces', 'runs', 'assess'],
    includes: isRunFile,
    maxBytes,
    isBusy: (name) => {
      const runId = findRunId(name);
      return runId !== undefined && isLive(runId);
    },
    // The files of a run change together with its trace.
    isContinued: ({ name }, stored) => {
      const runId = findRunId(name);
      const trace = runId === undefined ? undefined : findTrace(runId, stored);
      return trace !== undefined && continuesRecord(`${project.folder}/${trace.name}`, trace);
    },
  });
  return {
    ...records,
    list() {
      // A run may have started or ended since the last time.
      live.clear();
      return records.list();
    },
  };
}

const isRunFile = (name: string): boolean =>
  name === 'assess/model.json' ||
  /^traces\/blobs\/[0-9a-f]{64}$/.test(name) ||
  (/^traces\/[^/]+$/.test(name) && isTraceName(name.slice('traces/'.length))) ||
  (/^runs\/run-[^/]+\/./.test(name) && !/\.tmp-[^/]*$/.test(name) && !name.endsWith(`/${stopFile}`));

const findRunId = (name: string): string | undefined =>
  /^traces\/[^/]+$/.test(name) ? toRunId(name.slice('traces/'.length)) : /^runs\/([^/]+)\//.exec(name)?.[1];
