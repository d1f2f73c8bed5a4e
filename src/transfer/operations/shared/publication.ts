import { join } from 'node:path';
import type { JobContext } from '#core/define.ts';
import type { Config } from '#core/model/config.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { memoryKinds } from './plan-merge.ts';

/** Counts the records that the plan files will contain, by the names of `sync.include`. */
export async function countPublished(
  store: ReadStore,
  { platform, project }: Pick<JobContext, 'platform' | 'project'>,
  config: Config,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const atMost = 1_000_000;
  for (const name of config['sync.include']) {
    const type = memoryKinds.find(([kind]) => kind === name)?.[1];
    if (name === 'tasks') counts[name] = await store.tasks.count({ archived: 'both' }, atMost);
    else if (name === 'documents') counts[name] = await store.docs.count({}, atMost);
    else if (name === 'handoffs') counts[name] = await store.plan.countHandoffs();
    else if (name === 'grades') counts[name] = await countGrades(platform, project);
    else if (type) counts[name] = await store.memory.count({ type }, atMost);
  }
  return counts;
}

/** Recorded grades, and signed ones of sessions that have no recorded one. */
async function countGrades({ files }: Platform, project: Project): Promise<number> {
  const { gradesFile, toStatementPath } = await import('#grade/model/grade-files.ts');
  const { parseGrades } = await import('#grade/rules/grade-history.ts');
  const { grades } = parseGrades(files.readText(join(project.folder, gradesFile)) ?? '');
  const recorded = new Set(grades.map(({ sessionId }) => toStatementPath(sessionId)));
  const signed = files.list(join(project.folder, 'plan', 'grades')).filter(({ name }) => !recorded.has(`plan/grades/${name}`));
  return grades.length + signed.length;
}

const answerTimeoutMs = 120_000;

/** Asks a person at a terminal. Elsewhere the call itself is the answer. */
export async function confirmPublication({ platform }: Pick<JobContext, 'platform'>, counts: Record<string, number>): Promise<boolean> {
  const terminal = await platform.loadTerminal();
  if (terminal.name === undefined || terminal.marks.length > 0) return true;
  terminal.print(`Every commit will contain .cleo/plan: ${formatCounts(counts)}.`);
  const typed = await terminal.ask('Whoever can read the repository can read them. Continue? [y/N] ', { timeoutMs: answerTimeoutMs });
  return /^y(es)?$/i.test(typed?.trim() ?? '');
}

const formatCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
