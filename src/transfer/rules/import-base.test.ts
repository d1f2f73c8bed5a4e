import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForeignTask } from '../model/foreign.ts';
import { createDigestTable, digestRecord, digestTask, hashText } from './import-base.ts';
import { normalizeTask } from './normalize-task.ts';
import { createRecord } from './records.ts';

test.each([
  ['', '1e9cr3gi2sm'],
  ['a', 'omdrrbleym'],
  ['Write the parser', '15r55kumg2f'],
  ['Zoë 李雷', '1aevf5a85ue'],
  ['t38632', 'sdy3ff0'],
])('the hash of %j stays %s, because stores contain hashes', (text, hash) => {
  expect(hashText(text)).toBe(hash);
});

const text = fc.string({ unit: fc.constantFrom('a', 'é', '李', ' ', '\n', '-'), maxLength: 30 });
const foreignTask: fc.Arbitrary<ForeignTask> = fc.record(
  {
    id: fc.constantFrom('a', 'b'),
    title: text,
    description: text,
    status: fc.constantFrom('pending', 'active', 'done'),
    priority: fc.constantFrom('low', 'high'),
    parent: fc.constantFrom('b', 'c'),
    impliedParent: fc.constantFrom('b', 'c'),
    depends: fc.subarray(['b', 'c', 'd']),
    related: fc.subarray(['b', 'c']),
    labels: fc.subarray(['ui', 'Big One']),
    acceptance: fc.array(fc.record({ text, met: fc.boolean() }), { maxLength: 2 }),
    notes: fc.array(fc.record({ text }), { maxLength: 2 }),
    files: fc.subarray(['x.ts']),
    assignee: fc.constantFrom('Ada', 'Grace'),
    due: fc.constant('2026-01-31'),
    updatedAt: fc.constantFrom('2026-01-01T00:00:00Z', '2026-02-30'),
    isArchived: fc.boolean(),
  },
  { requiredKeys: ['id', 'title', 'status', 'depends', 'labels', 'acceptance', 'notes'] },
);
const isImported = (id: string): boolean => id !== 'd';

test('a table of digests formats what digestTask computes', () => {
  fc.assert(
    fc.property(fc.array(foreignTask, { maxLength: 5 }), (all) => {
      const tasks = all.map((task) => normalizeTask('beads', task, []));
      const table = createDigestTable();
      for (const [i, task] of tasks.entries()) table.add(i * 100, task);
      for (const [i, task] of tasks.entries()) expect(table.format(i * 100, task, isImported)).toBe(digestTask(task, isImported));
    }),
  );
});

test('the hash of a record changes with any of its fields', () => {
  fc.assert(
    fc.property(foreignTask, foreignTask, (a, b) => {
      const [one, other] = [a, b].map((task) => normalizeTask('beads', { ...task, id: 'a' }, []));
      const table = createDigestTable();
      const isSame = table.add(0, one!) === table.add(1, other!);
      const sort = (task: object | undefined): string => JSON.stringify(task, Object.keys({ ...one, ...other, text: 0, met: 0 }).sort());
      expect(isSame).toBe(sort(one) === sort(other));
    }),
  );
});

test('the digest of a stored task is the same with the hashes of its record', () => {
  fc.assert(
    fc.property(foreignTask, (foreign) => {
      const task = normalizeTask('beads', foreign, []);
      const identity = { id: 'T001', uid: 'u', source: 'beads', now: '2026-01-01T00:00:00.000Z', agent: 'ada' };
      const placement = { type: 'task' as const, parentId: undefined, depends: [], isReopened: false, takesStatus: true };
      const record = createRecord(identity, task, placement);
      expect(digestRecord(record, { task, digest: digestTask(task, isImported) })).toBe(digestRecord(record));
    }),
  );
});
