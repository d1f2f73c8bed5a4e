import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergePlanFiles } from '../src/transfer/rules/plan/merge-files.ts';
import { type AppOptions, type Json, openApp, type TestApp } from './app.ts';

/** Opens a project that is a clone of its own: the stores of test projects are copies, and have the same replica id. */
export async function openReplica(number: number, options: AppOptions = {}): Promise<TestApp> {
  const app = await openApp(options);
  await app.tamper(`update store_facts set value = '${String(number).repeat(16)}' where name = 'replica'`);
  return app;
}

export const planFolder = (app: Pick<TestApp, 'root'>): string => join(app.root, '.cleo', 'plan');

/** Lists the plan files, relative to `.cleo/plan`. */
export const listPlan = (app: Pick<TestApp, 'root'>): string[] =>
  existsSync(planFolder(app))
    ? readdirSync(planFolder(app), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(planFolder(app).length + 1))
        .sort()
    : [];

/** Merges the plan files of one project into another one, as a git merge with the driver does. */
export function mergeFiles(from: Pick<TestApp, 'root'>, to: Pick<TestApp, 'root'>): void {
  for (const name of listPlan(from)) {
    const [source, target] = [join(planFolder(from), name), join(planFolder(to), name)];
    mkdirSync(join(target, '..'), { recursive: true });
    if (!existsSync(target) || !name.endsWith('.json') || name.startsWith('replicas')) {
      cpSync(source, target);
      continue;
    }
    const [theirs, ours] = [readFileSync(source, 'utf8'), readFileSync(target, 'utf8')];
    const merged = mergePlanFiles('', ours, theirs);
    if ('problem' in merged) throw new Error(`${name}: ${merged.problem.message}`);
    if (merged.text !== ours) writeFileSync(target, merged.text);
  }
}

/** Everything that clones must agree on. The revision counts the writes of one store. */
export async function exportPlan(app: TestApp): Promise<Json[]> {
  const { content } = await app.call('tasks.export');
  return String(content)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { revision: _, ...task } = JSON.parse(line);
      return task;
    });
}
