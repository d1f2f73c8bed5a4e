import { expect, test } from 'vitest';
import type { Handoff } from '#sessions/model/session.ts';
import { listHandoffIds, listHandoffUids, renumberHandoff, toLocalHandoff, toPortableHandoff } from './handoff-references.ts';

const handoff: Handoff = {
  note: 'See T001',
  done: [{ id: 'T001', title: 'One' }],
  open: [{ id: 'T002', title: 'Two' }],
  blocked: [{ id: 'T003', title: 'Three', blockedBy: 'T002' }],
  decisions: [
    { id: 'D-001', title: 'Use SQLite' },
    { taskId: 'T001', text: 'Because of T002' },
  ],
  next: [],
  parts: [{ agent: 'a', at: '2026-11-16T00:00:00.000Z', done: [], open: [{ id: 'T002', title: 'Two' }] }],
};
const uids: Record<string, string> = { 'task T001': 'u1', 'task T002': 'u2', 'memory D-001': 'm1' };
const findUid = (kind: string, id: string): string | undefined => uids[`${kind} ${id}`];

test('a published handoff refers to tasks and decisions by uid, and is read with the numbers of the other clone', () => {
  const portable = toPortableHandoff(handoff, undefined, findUid);
  expect(listHandoffUids(portable)).toEqual(['u1', 'u2', 'm1', 'u1', 'u2']);
  const numbers: Record<string, string> = { u1: 'T011', u2: 'T002', m1: 'D-007' };
  const local = toLocalHandoff(portable, (_, uid) => numbers[uid]);
  expect(listHandoffIds(local)).toEqual(['T011', 'T002', 'T003', 'D-007', 'T011', 'T002']);
  expect([local.note, local.decisions[1]]).toEqual(['See T001', { taskId: 'T011', text: 'Because of T002' }]);
  expect(toLocalHandoff(portable, () => undefined)).toEqual(handoff);
});

test('a renumbered or deleted task does not change the published handoff', () => {
  const portable = toPortableHandoff(handoff, undefined, findUid);
  const swapped = renumberHandoff(
    handoff,
    new Map([
      ['T001', 'T002'],
      ['T002', 'T001'],
    ]),
  )!;
  expect(listHandoffIds(swapped)).toEqual(['T002', 'T001', 'T003', 'D-001', 'T002', 'T001']);
  const findSwapped = (kind: string, id: string) => findUid(kind, id === 'T001' ? 'T002' : id === 'T002' ? 'T001' : id);
  expect(toPortableHandoff(swapped, portable, findSwapped)).toEqual(portable);
  expect(toPortableHandoff(handoff, portable, (kind, id) => (id === 'T002' ? undefined : findUid(kind, id)))).toEqual(portable);
  expect(renumberHandoff(handoff, new Map([['T009', 'T010']]))).toBeUndefined();
});
