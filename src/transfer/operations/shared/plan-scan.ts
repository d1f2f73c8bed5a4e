import type { PlanFiles } from '#platform/plan-port.ts';
import type { PlanKey } from '#store/port/plan.ts';
import type { PlanFileProblem, PlanRecord } from '../../model/plan.ts';
import { parsePlanFile } from '../../rules/plan/parse.ts';
import { parseFileName, staleMark } from './plan-stats.ts';

export interface FileProblem extends PlanFileProblem {
  /** Relative to the project. */
  file: string;
}

export interface ReadPlanFile extends PlanKey {
  name: string;
  stat: string;
  text: string;
  record: PlanRecord;
  isCanonical: boolean;
}

export interface PlanScan {
  /** Size and time of every file. */
  stats: Map<string, string>;
  /** Files that differ from what the store has read or written last. */
  changed: ReadPlanFile[];
  problems: FileProblem[];
}

export const maxPlanFileBytes = 16 << 20;

/** The progress of a long sync: files that were read, or tasks that were written. */
export interface SyncProgress {
  phase: 'read' | 'write';
  done: number;
  total: number;
}

export type ReportProgress = (progress: SyncProgress) => void;

/** Files or tasks between two reports. */
export const progressStep = 200;

/** Reads the files that changed since the last sync, by size and time. Without `known` it reads all. */
export function scanPlanFiles(
  planFiles: PlanFiles,
  folder: string,
  stats: Map<string, string>,
  known: Map<string, string | undefined> | undefined,
  onProgress?: ReportProgress,
): PlanScan {
  const scan: PlanScan = { stats, changed: [], problems: [] };
  let done = 0;
  for (const [name, stat] of scan.stats) {
    done++;
    if (done % progressStep === 0) onProgress?.({ phase: 'read', done, total: stats.size });
    // Most files are unchanged, so the cheapest comparison is the first.
    const last = known?.get(name);
    if (last !== undefined && (last === stat || last === `${stat}${staleMark}`)) continue;
    const key = parseFileName(name);
    if (!key) continue;
    const file = `.cleo/plan/${name}`;
    const bytes = planFiles.read(folder, name, maxPlanFileBytes);
    if (!bytes) {
      scan.problems.push({ file, kind: 'broken', line: 1, message: stat === 'link' ? 'is a link' : 'cannot be read' });
      continue;
    }
    // A crash can leave an empty file; the store has the record.
    if (bytes.length === 0) continue;
    const text = Buffer.from(bytes).toString('utf8');
    const parsed = parsePlanFile(text);
    if ('problem' in parsed) scan.problems.push({ ...parsed.problem, file });
    else if (parsed.record.kind !== key.kind || parsed.record.uid !== key.uid)
      scan.problems.push({
        file,
        kind: 'broken',
        line: 1,
        message: `has the record ${parsed.record.kind} ${parsed.record.uid}, not that of its name`,
      });
    else scan.changed.push({ ...key, name, stat, text, record: parsed.record, isCanonical: parsed.isCanonical });
  }
  return scan;
}
