import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Json } from '../app.ts';
import type { WorkProject } from './project.ts';

/** Reads the log, the oldest entry first. */
export const readLog = async (project: WorkProject): Promise<Json[]> =>
  (await project.runOk(['log', '--limit', '0', '--json'])).entries.sort((a: Json, b: Json) => a.seq - b.seq);

/** Checks that every task was done exactly once, after those that it depends on, and that git tells the same: its work was merged exactly
 *  once, after that of those. */
export async function expectPlanDone(project: WorkProject, plan: Map<string, string[]>): Promise<void> {
  const completed = (await readLog(project))
    .filter(({ operation, success }) => operation === 'tasks.complete' && success)
    .map(({ updated }) => updated[0]);
  const subjects = project.git('log', '--first-parent', '--reverse', '--format=%s', 'main').split('\n').slice(2);
  const merged = subjects.map((subject) => subject.split(':')[0]);
  for (const order of [completed, merged]) {
    expect([...order].sort()).toEqual([...plan.keys()].sort());
    for (const [id, depends] of plan) for (const other of depends) expect(order.indexOf(other)).toBeLessThan(order.indexOf(id));
  }
  expect(readdirSync(join(project.folder, 'out')).sort()).toEqual([...plan.keys()].map((id) => `${id}.txt`).sort());
}
