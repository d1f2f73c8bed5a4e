import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PlanRecord, PlanState, PlanValue } from '../src/transfer/model/plan.ts';
import { toKeyElements } from '../src/transfer/rules/plan/elements.ts';
import { formatPlanFile } from '../src/transfer/rules/plan/format.ts';
import { mergeRecords } from '../src/transfer/rules/plan/merge.ts';
import { resolveConflict } from '../src/transfer/rules/plan/merge-files.ts';
import { parsePlanFile } from '../src/transfer/rules/plan/parse.ts';
import { projectPlan } from '../src/transfer/rules/plan/project.ts';
import { createPlanTask, editPlanTask, planNoon } from './plan-tasks.ts';

const root = mkdtempSync(join(tmpdir(), 'cleo-plan-git-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const [one, other] = ['a1a1', 'b2b2'];
type Edit = [fields: { [field: string]: PlanValue | undefined }, sets?: PlanState['sets']];
const edit = (record: PlanRecord, replica: string, ms: number, [fields, sets]: Edit): PlanRecord =>
  editPlanTask(record, projectPlan([record]).states.get(`task ${record.uid}`)!, replica, planNoon + ms, fields, sets);

/** A repository with plan files, without a merge driver. */
function createRepository(name: string, records: PlanRecord[]) {
  const folder = join(root, name);
  mkdirSync(join(folder, 'tasks'), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'core.autocrlf=false', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, GIT_CONFIG_GLOBAL: join(root, 'none'), GIT_CONFIG_NOSYSTEM: '1' },
    });
  const path = (uid: string): string => join(folder, 'tasks', `${uid}.json`);
  const commit = (list: PlanRecord[]): void => {
    for (const record of list) writeFileSync(path(record.uid), formatPlanFile(record));
    git('add', '.');
    git('commit', '-qm', 'plan');
  };
  git('init', '-q', '-b', 'main');
  commit(records);
  return {
    /** Commits `ours` on main and `theirs` on a branch, and merges it. True if git found no conflict. */
    merge(ours: PlanRecord[], theirs: PlanRecord[]): boolean {
      git('checkout', '-qb', 'topic');
      commit(theirs);
      git('checkout', '-q', 'main');
      commit(ours);
      try {
        git('merge', '-q', '--no-edit', 'topic');
        return true;
      } catch {
        return false;
      }
    },
    read: (uid: string): string => readFileSync(path(uid), 'utf8'),
  };
}

const base = createPlanTask(one, 'u1', 'T001', {
  fields: { description: 'Old' },
  sets: { labels: toKeyElements(['api', 'ui']), files: toKeyElements(['a.ts', 'b.ts']) },
});

test('branches that add tasks and change different tasks merge without a driver', () => {
  const second = createPlanTask(one, 'u2', 'T002');
  const repository = createRepository('different', [base, second]);
  const [ours, theirs] = [edit(base, one, 1000, [{ title: 'Ours' }]), edit(second, other, 1000, [{ title: 'Theirs' }])];
  const added = [createPlanTask(one, 'u3', 'T003'), createPlanTask(other, 'u4', 'T003', {}, planNoon + 5)];
  expect(repository.merge([ours, added[0]!], [theirs, added[1]!])).toBe(true);
  for (const record of [ours, theirs, ...added]) expect(repository.read(record.uid)).toBe(formatPlanFile(record));
});

test.each<[string, Edit, Edit]>([
  ['title and description', [{ title: 'Ours' }], [{ description: 'Theirs' }]],
  ['priority and a removed label', [{ priority: 'high' }], [{}, { labels: toKeyElements(['ui']) }]],
  ['a removed label and a new file', [{}, { labels: toKeyElements(['api']) }], [{}, { files: toKeyElements(['a.ts', 'b.ts', 'c.ts']) }]],
  ['status and title', [{ state: { status: 'active' } }], [{ title: 'Theirs' }]],
])('git merges %s of one task by lines, with the result of the merge by fields', (name, mine, yours) => {
  const repository = createRepository(name.replaceAll(' ', '-'), [base]);
  const [ours, theirs] = [edit(base, one, 1000, mine), edit(base, other, 2000, yours)];
  expect(repository.merge([ours], [theirs])).toBe(true);
  expect(parsePlanFile(repository.read('u1'))).toEqual({ record: mergeRecords(ours, theirs), isCanonical: true });
});

test('a conflict of git on the same field is recognised and resolved from the file', () => {
  const repository = createRepository('same', [base]);
  const [ours, theirs] = [edit(base, one, 1000, [{ title: 'Ours' }]), edit(base, other, 2000, [{ title: 'Theirs', priority: 'low' }])];
  expect(repository.merge([ours], [theirs])).toBe(false);
  expect(parsePlanFile(repository.read('u1'))).toMatchObject({ problem: { kind: 'conflict-markers' } });
  const parsed = parsePlanFile((resolveConflict(repository.read('u1')) as { text: string }).text);
  if (!('record' in parsed)) throw new Error(parsed.problem.message);
  const { fields, sets } = projectPlan([parsed.record]).states.get('task u1')!;
  expect(fields).toMatchObject({ title: 'Theirs', priority: 'low' });
  expect(JSON.stringify(sets.notes)).toContain('Ours');
});
