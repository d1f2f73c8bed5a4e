import type { QueryContext } from '#core/define.ts';
import type { PlanRecord } from '../../model/plan.ts';
import { toPlanKey } from '../../rules/plan/entries.ts';
import { resolvePlan } from '../../rules/plan/resolve.ts';
import { summarizeRecord } from '../../rules/plan/summarize.ts';
import { mergePlan } from './plan-merge.ts';
import { type FileProblem, scanPlanFiles } from './plan-scan.ts';
import { readSyncOptions, toFileName } from './plan-stats.ts';

export interface PlanInspection {
  files: number;
  /** Files that cannot be read. */
  unreadable: FileProblem[];
  /** Files that differ from the store, or are missing. */
  outOfStep: string[];
  /** Files in another form than the one that a sync writes. */
  reformatted: string[];
  /** Rules that the records of the files break together. A store has none of them, because a sync leaves out what breaks a rule. */
  broken: { id: string; message: string }[];
}

/** Compares all plan files of the checkout with their canonical form, with the rules and with the store. */
export async function inspectPlan(ctx: Pick<QueryContext, 'store' | 'platform' | 'project' | 'config' | 'now'>): Promise<PlanInspection> {
  const { store, platform } = ctx;
  const options = await readSyncOptions(ctx, { isReadOnly: true, isDryRun: true });
  const planFiles = await platform.loadPlanFiles();
  const scan = scanPlanFiles(planFiles, options.folder, planFiles.list(options.folder), undefined);
  const { replica } = await store.audit.getStoreFacts();
  const merge = await mergePlan({ ...options, store, replica }, await store.plan.getSyncedPosition(), scan.changed);
  const read = new Set(scan.changed.map(({ name }) => name));
  const unreadable = new Set(scan.problems.map(({ file }) => file));
  const missing = (await store.plan.listFileStats()).map(toFileName).filter((name) => !read.has(name));
  const names = new Set([...missing, ...merge.records.map((record) => toFileName(record))]);
  const toFiles = (list: Iterable<string>): string[] =>
    [...list]
      .map((name) => `.cleo/plan/${name}`)
      .filter((file) => !unreadable.has(file))
      .sort();
  return {
    files: scan.stats.size,
    unreadable: scan.problems,
    outOfStep: toFiles(names),
    reformatted: toFiles(scan.changed.filter(({ isCanonical, name }) => !isCanonical && !names.has(name)).map(({ name }) => name)),
    broken: listCycles(scan.changed.map(({ record }) => record)),
  };
}

function listCycles(records: PlanRecord[]): PlanInspection['broken'] {
  const { issues, outcomes } = resolvePlan(records.map(summarizeRecord));
  return issues
    .filter(({ kind }) => kind === 'cycle')
    .map(({ recordKind, uids, message }) => ({
      id: outcomes.get(toPlanKey({ kind: recordKind, uid: uids[0]! }))?.id ?? uids[0]!,
      message,
    }));
}
