import { expect, test } from 'vitest';
import type { AuditEntry } from '#core/model/audit.ts';
import { createUndoSearch, findLaterWrite, searchEntries } from './undo.ts';

const entry = (seq: number, agent: string, updated: string[], more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ seq, agent, timestamp: '', gateway: 'cli', domain: 'tasks', operation: 'update', params: '{}', success: true, exitCode: 0 },
  ...{ created: [], updated, deleted: [], durationMs: 1, prevHash: '', hash: '' },
  ...more,
});
const undo = (seq: number, of: number, updated: string[]): AuditEntry =>
  entry(seq, 'ada', updated, { domain: 'admin', operation: 'undo', params: JSON.stringify({ '@undoes': of }) });
const isRestore = ({ operation }: AuditEntry): boolean => operation === 'backup.restore';
const search = (...log: AuditEntry[]) => searchEntries(createUndoSearch(), log.toReversed(), ({ agent }) => agent === 'ada', isRestore);

test.each<[string, AuditEntry[], number | undefined, string | undefined]>([
  ['nothing', [], undefined, undefined],
  ['the newest write of the caller', [entry(1, 'ada', ['T001']), entry(2, 'ada', ['T002'])], 2, undefined],
  ['not a write of another agent', [entry(1, 'ada', ['T001']), entry(2, 'ben', ['T002'])], 1, undefined],
  ['a write that another one changed', [entry(1, 'ada', ['T001']), entry(2, 'ben', ['T001'])], 1, 'T001'],
  ['not a failed write', [entry(1, 'ada', ['T001']), entry(2, 'ada', [], { success: false })], 1, undefined],
  ['not a write without changes', [entry(1, 'ada', ['T001']), entry(2, 'ada', [])], 1, undefined],
  ['the write before one that was taken back', [entry(1, 'ada', ['T001']), entry(2, 'ada', ['T001']), undo(3, 2, ['T001'])], 1, undefined],
  ['nothing after all were taken back', [entry(1, 'ada', ['T001']), undo(2, 1, ['T001'])], undefined, undefined],
])('finds %s', (_, log, seq, changed) => {
  const found = search(...log);
  expect(found.found?.seq).toBe(seq);
  expect(findLaterWrite(found)?.id).toBe(changed);
});

test('finds the restore of a backup after the write, but not one before it', () => {
  const restore = entry(2, 'ben', [], { domain: 'admin', operation: 'backup.restore' });
  expect(search(entry(1, 'ada', ['T001']), restore)).toMatchObject({ found: { seq: 1 }, restore: { seq: 2 } });
  expect(search(entry(1, 'ada', ['T001']), restore, entry(3, 'ada', ['T001'])).restore).toBeUndefined();
  expect(search(entry(1, 'ada', ['T001']), { ...restore, success: false }).restore).toBeUndefined();
});
