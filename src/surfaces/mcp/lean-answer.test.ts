import { expect, test } from 'vitest';
import type { Envelope } from '#dispatch/dispatch.ts';
import { joinAnswer } from '../../../test/mcp-client.ts';
import { toLeanAnswer } from './lean-answer.ts';

const meta = { command: 'tasks.show', timestamp: '2026-01-01T00:00:00.000Z', version: '1.0.0' };
const success = (more: object = {}): Envelope => ({
  _meta: { ...meta, resultsField: 'task', ...more },
  success: true,
  task: { id: 'T001' },
});
const failure: Envelope = { _meta: { ...meta, exitCode: 4 }, success: false, error: { code: 'E_NOT_FOUND' } };

test.each([
  ['a success', success(), undefined, { task: { id: 'T001' } }],
  ['a success in a known session', success({ sessionId: 'session-1' }), 'session-1', { task: { id: 'T001' } }],
  ['a new session', success({ sessionId: 'session-1' }), undefined, { _meta: { sessionId: 'session-1' }, task: { id: 'T001' } }],
  ['another session', success({ sessionId: 'session-2' }), 'session-1', { _meta: { sessionId: 'session-2' }, task: { id: 'T001' } }],
  ['no match', success({ exitCode: 100 }), undefined, { _meta: { exitCode: 100 }, task: { id: 'T001' } }],
  ['a warning', success({ warnings: ['late'] }), 'session-1', { _meta: { warnings: ['late'] }, task: { id: 'T001' } }],
  ['an error', failure, undefined, { _meta: { exitCode: 4 }, success: false, error: { code: 'E_NOT_FOUND' } }],
])('%s', (_, envelope, knownSession, answer) => {
  const lean = toLeanAnswer(envelope, knownSession);
  expect(lean.answer).toEqual(answer);
  expect(joinAnswer(lean.answer, lean.omitted)).toEqual(envelope);
});
