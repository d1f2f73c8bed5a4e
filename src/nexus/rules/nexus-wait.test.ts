import { expect, test } from 'vitest';
import { isWaitText } from '#tasks/rules/wait-text.ts';
import type { RemoteDependency } from '../model/nexus.ts';
import { decideWaitTransition, formatWaitReason, isValidDependency } from './nexus-wait.ts';

const createDependency = (remoteId: string, remoteStatus: string, project = 'web'): RemoteDependency => ({
  taskId: 'T001',
  project,
  remoteId,
  remoteTitle: 'x',
  remoteStatus,
  syncedAt: '',
});
const open = [createDependency('T003', 'pending')];
const done = [createDependency('T003', 'done')];
const two = [createDependency('T003', 'done'), createDependency('T001', 'active', 'api')];

test.each<[string, Parameters<typeof decideWaitTransition>, object]>([
  ['starts to wait', [{ status: 'pending' }, [], open], { kind: 'blocked', blockedBy: 'waits for web:T003' }],
  ['has only done dependencies', [{ status: 'pending' }, [], done], { kind: 'same' }],
  ['has its last dependency done', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, done], { kind: 'freed' }],
  [
    'waits for the other one',
    [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, two],
    { kind: 'reworded', blockedBy: 'waits for api:T001' },
  ],
  ['still waits', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, open], { kind: 'same' }],
  [
    'waits again after its dependency was reopened',
    [{ status: 'pending' }, done, open],
    { kind: 'blocked', blockedBy: 'waits for web:T003' },
  ],
  ['is blocked for another reason', [{ status: 'blocked', blockedBy: 'no grammar' }, open, done], { kind: 'same' }],
  ['has a reworded reason', [{ status: 'blocked', blockedBy: 'waits for web:T003 and Ada' }, open, done], { kind: 'same' }],
  ['is blocked without a reason', [{ status: 'blocked' }, done, done], { kind: 'same' }],
  ['is active although it waits', [{ status: 'active' }, open, open], { kind: 'ahead' }],
  ['is done', [{ status: 'done' }, open, open], { kind: 'same' }],
  [
    'waits for a missing task',
    [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, [createDependency('T003', 'missing')]],
    { kind: 'same' },
  ],
  ['has no dependencies any more', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, []], { kind: 'freed' }],
])('decides for a task that %s', (_, args, result) => expect(decideWaitTransition(...args)).toEqual(result));

test.each([
  [createDependency('T003', 'pending'), true],
  [createDependency('T3', 'pending'), false],
  [createDependency('T003"]', 'pending'), false],
  [createDependency('T003', 'pending', 'we b'), false],
])('checks a row of another store', (row, is) => expect(isValidDependency(row)).toBe(is));

test('names eight dependencies and counts the rest', () => {
  const many = Array.from({ length: 10 }, (_, i) => createDependency(`T${100 + i}`, 'pending'));
  expect(formatWaitReason(many)).toMatch(/^waits for web:T100, .*, web:T107 and 2 more$/);
  expect(isWaitText(formatWaitReason(many))).toBe(true);
});

test.each([
  [undefined, false],
  ['no grammar', false],
  ['waits for Ada', false],
  ['waits for web:T003', true],
])('recognizes %j as a wait reason: %s', (text, is) => expect(isWaitText(text)).toBe(is));
