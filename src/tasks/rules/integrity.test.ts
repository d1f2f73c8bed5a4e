import { expect, test } from 'vitest';
import { findProblems, type IntegrityFacts } from './integrity.ts';

/** `T1 epic`, `T2 task in T1 done depends T3`. */
function world(...lines: string[]): IntegrityFacts {
  const facts: IntegrityFacts = {
    tasks: [],
    depends: [],
    relations: [],
    claims: [],
    blockedWithoutReason: [],
    staleRanks: [],
    maxSiblings: 7,
    ttlMinutes: 60,
    now: '2026-01-02T00:00:00.000Z',
  };
  for (const line of lines) {
    const [id = '', ...words] = line.split(' ');
    const after = (word: string): string | undefined => (words.includes(word) ? words[words.indexOf(word) + 1] : undefined);
    const parentId = after('in');
    facts.tasks.push({
      id,
      type: (['saga', 'epic', 'subtask'] as const).find((type) => words.includes(type)) ?? 'task',
      status: (['active', 'blocked', 'done'] as const).find((status) => words.includes(status)) ?? 'pending',
      ...(parentId ? { parentId } : {}),
      ...(words.includes('archived') ? { archivedAt: 'x' } : {}),
    });
    for (const to of after('depends')?.split(',') ?? []) facts.depends.push({ from: id, to });
    for (const to of after('relates')?.split(',') ?? []) facts.relations.push({ from: id, to });
  }
  return facts;
}

const brief = (facts: IntegrityFacts): string[] => findProblems(facts).map(({ kind, taskId, fix }) => `${kind} ${taskId}: ${fix}`);

test.each<{ why: string; lines: string[]; found: string[] }>([
  { why: 'no tasks', lines: [], found: [] },
  {
    why: 'a valid hierarchy',
    lines: ['T1 saga', 'T2 epic in T1', 'T3 in T2', 'T4 subtask in T3', 'T5 epic', 'T6', 'T7 subtask in T6'],
    found: [],
  },
  { why: 'valid dependencies', lines: ['T1', 'T2 depends T1', 'T3 depends T1,T2'], found: [] },
  { why: 'a missing parent', lines: ['T2 in T1'], found: ['orphan T2: cleo doctor --fix'] },
  { why: 'a relation between siblings', lines: ['T1 epic', 'T2 in T1', 'T3 in T1 relates T2'], found: [] },
  { why: 'a child related to its parent', lines: ['T1 epic', 'T2 in T1 relates T1'], found: ['kin T2: cleo relates remove T2 T1'] },
  { why: 'a parent related to its child', lines: ['T1 epic relates T2', 'T2 in T1'], found: ['kin T1: cleo relates remove T1 T2'] },
  { why: 'a missing dependency', lines: ['T2 depends T1'], found: ['dangling T2: cleo doctor --fix'] },
  { why: 'a task inside a task', lines: ['T1', 'T2 in T1'], found: ['hierarchy T2: cleo update T2 --type subtask'] },
  { why: 'a subtask without a parent', lines: ['T1 subtask'], found: ['hierarchy T1: cleo update T1 --type task'] },
  {
    why: 'a child of a subtask',
    lines: ['T1', 'T2 subtask in T1', 'T3 subtask in T2'],
    found: ['hierarchy T3: cleo update T3 --parent none --type task'],
  },
  {
    why: 'two tasks that depend on each other',
    lines: ['T1 depends T2', 'T2 depends T1'],
    found: ['cycle T1: cleo update T1 --remove-depends T2'],
  },
  {
    why: 'a dependency on the parent',
    lines: ['T1 epic', 'T2 in T1 depends T1'],
    found: ['cycle T1: cleo update T2 --remove-depends T1'],
  },
  {
    why: 'two cycles',
    lines: ['T1 depends T2', 'T2 depends T1', 'T3 depends T4', 'T4 depends T5', 'T5 depends T3'],
    found: ['cycle T1: cleo update T1 --remove-depends T2', 'cycle T3: cleo update T3 --remove-depends T4'],
  },
  {
    why: 'a cycle of parents',
    lines: ['T1 epic in T2', 'T2 saga in T1'],
    found: ['hierarchy T2: cleo update T2 --type task', 'cycle T1: cleo update T1 --parent none'],
  },
  {
    why: 'an open child of a done task',
    lines: ['T1 epic done', 'T2 in T1', 'T3 in T1 done'],
    found: ['open-children T1: cleo reopen T1'],
  },
  { why: 'an archived child of a done task', lines: ['T1 epic done', 'T2 in T1 archived'], found: [] },
  {
    why: 'too many siblings',
    lines: ['T1 epic', ...Array.from({ length: 8 }, (_, i) => `T${i + 2} in T1`)],
    found: ['siblings T1: cleo list --parent T1'],
  },
  {
    why: 'done and archived siblings do not count',
    lines: ['T1 epic', ...Array.from({ length: 7 }, (_, i) => `T${i + 2} in T1`), 'T20 in T1 done', 'T21 in T1 archived'],
    found: [],
  },
  { why: 'a saga has no limit', lines: ['T1 saga', ...Array.from({ length: 9 }, (_, i) => `T${i + 2} epic in T1`)], found: [] },
])('$why', ({ lines, found }) => {
  expect(brief(world(...lines))).toEqual(found);
});

test('reports too many siblings only if there is a limit', () => {
  expect(brief({ ...world('T1 epic', 'T2 in T1', 'T3 in T1'), maxSiblings: 1 })).toEqual(['siblings T1: cleo list --parent T1']);
  expect(brief({ ...world('T1 epic', 'T2 in T1', 'T3 in T1'), maxSiblings: 0 })).toEqual([]);
});

test('reports a claim that has expired', () => {
  const claim = { taskId: 'T1', agent: 'ada', claimedAt: 'x', focusedAt: 'x', renewedAt: '2026-01-01T22:59:59.000Z' };
  const facts = { ...world('T1 active'), claims: [claim] };
  expect(brief(facts)).toEqual(['stale-claim T1: cleo doctor --fix']);
  expect(brief({ ...facts, claims: [{ ...claim, renewedAt: '2026-01-01T23:00:01.000Z' }] })).toEqual([]);
});

test('reports a blocked task without a reason', () => {
  expect(brief({ ...world('T1 T2'), staleRanks: ['T2', 'T7'] })).toEqual(['stale-rank T2: cleo doctor --fix']);
  expect(brief({ ...world('T1 blocked'), blockedWithoutReason: ['T1'] })).toEqual(['no-reason T1: cleo update T1 --clear-blocked-by']);
});

test('checks a hundred thousand tasks within five seconds of processor time', () => {
  const facts = world();
  for (let i = 1; i <= 100_000; i++) {
    const epic = `T${i - (i % 10 || 10) + 1}`;
    facts.tasks.push({ id: `T${i}`, type: i % 10 === 1 ? 'epic' : 'task', status: 'done', ...(i % 10 === 1 ? {} : { parentId: epic }) });
    if (i > 20) facts.depends.push({ from: `T${i}`, to: `T${i - 20 + (i % 10 === 1 ? 1 : 0)}` });
  }
  const began = process.cpuUsage();
  expect(findProblems(facts)).toEqual([]);
  const { user, system } = process.cpuUsage(began);
  expect((user + system) / 1000).toBeLessThan(5000);
});
