import { expect, test } from 'vitest';
import { isWaitText } from '#tasks/rules/wait-text.ts';
import type { FarDepend } from '../model/nexus.ts';
import { isSound, settle, waitText } from './nexus-wait.ts';

const on = (farId: string, farStatus: string, project = 'web'): FarDepend => ({
  taskId: 'T001',
  project,
  farId,
  farTitle: 'x',
  farStatus,
  syncedAt: '',
});
const open = [on('T003', 'pending')];
const done = [on('T003', 'done')];
const two = [on('T003', 'done'), on('T001', 'active', 'api')];

test.each<[string, Parameters<typeof settle>, object]>([
  ['waits from now on', [{ status: 'pending' }, [], open], { is: 'blocked', blockedBy: 'waits for web:T003' }],
  ['waits for nothing', [{ status: 'pending' }, [], done], { is: 'same' }],
  ['is free again', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, done], { is: 'freed' }],
  [
    'waits for the other one',
    [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, two],
    { is: 'reworded', blockedBy: 'waits for api:T001' },
  ],
  ['still waits', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, open], { is: 'same' }],
  ['waits again, since it was reopened there', [{ status: 'pending' }, done, open], { is: 'blocked', blockedBy: 'waits for web:T003' }],
  ['is blocked by somebody else', [{ status: 'blocked', blockedBy: 'no grammar' }, open, done], { is: 'same' }],
  ['was reworded by somebody', [{ status: 'blocked', blockedBy: 'waits for web:T003 and Ada' }, open, done], { is: 'same' }],
  ['is blocked without a reason', [{ status: 'blocked' }, done, done], { is: 'same' }],
  ['was started all the same', [{ status: 'active' }, open, open], { is: 'ahead' }],
  ['is done', [{ status: 'done' }, open, open], { is: 'same' }],
  ['waits for what is gone', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, [on('T003', 'missing')]], { is: 'same' }],
  ['no longer waits for anything', [{ status: 'blocked', blockedBy: 'waits for web:T003' }, open, []], { is: 'freed' }],
])('a task that %s', (_, given, result) => expect(settle(...given)).toEqual(result));

test.each([
  [on('T003', 'pending'), true],
  [on('T3', 'pending'), false],
  [on('T003"]', 'pending'), false],
  [on('T003', 'pending', 'we b'), false],
])('a row of another store is taken for what it is', (row, is) => expect(isSound(row)).toBe(is));

test('many are counted', () => {
  const many = Array.from({ length: 10 }, (_, i) => on(`T${100 + i}`, 'pending'));
  expect(waitText(many)).toMatch(/^waits for web:T100, .*, web:T107 and 2 more$/);
  expect(isWaitText(waitText(many))).toBe(true);
});

test.each([
  [undefined, false],
  ['no grammar', false],
  ['waits for Ada', false],
  ['waits for web:T003', true],
])('%j may be ours: %s', (text, is) => expect(isWaitText(text)).toBe(is));
