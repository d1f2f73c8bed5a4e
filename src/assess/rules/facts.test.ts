import { expect, test } from 'vitest';
import type { TraceLine } from '#runs/model/trace.ts';
import { readTrace } from '#runs/rules/trace.ts';
import { traceText } from '../../../test/traced.ts';
import { factsOf } from './facts.ts';

const linesOf = (text: string): TraceLine[] => readTrace(text, () => '').lines.map(({ line }) => line);

test('an execution is told by its events', () => {
  const text = traceText('run-1', '2026-01-31', [
    {
      ...{ version: '2.3.4', attempts: 2, durationMs: 70, timeoutMs: 500, usage: { input_tokens: 3, output_tokens: 4 }, confidence: 0.9 },
      ...{ judge: [0.5], inputs: { target: { hash: 'x' } }, checks: { 1: ['there'], 2: ['exit_code'] }, forced: [1] },
    },
  ]);
  const { executions, isOver } = factsOf(linesOf(text));
  expect(isOver).toBe(true);
  expect(executions).toMatchObject([
    {
      ...{
        runId: 'run-1',
        executionId: 'run-1:discovery:write',
        version: '2.3.4',
        status: 'success',
        attempts: 2,
        retries: 1,
        timeoutMs: 500,
      },
      ...{ durationMs: 70, longestAttemptMs: 70, tokens: 7, confidence: 0.9, judge: [0.5], forced: ['precondition'], isInvoked: true },
      inputs: '{"target":{"hash":"x"}}',
      checks: [
        { gate: 1, name: 'there', passed: true },
        { gate: 2, name: 'exit_code' },
      ],
    },
  ]);
});

test('a judge that fails in between has said nothing; one that is asked again has said its last', () => {
  const text = traceText('run-1', '2026-01-31', [{ judge: [0.9, 0.7] }]);
  const judgeOf = (change: (text: string) => string) => factsOf(linesOf(change(text))).executions[0]!.judge;
  expect(judgeOf((whole) => whole)).toEqual([0.9, 0.7]);
  expect(judgeOf((whole) => whole.replace('"verdict":"pass","score":0.7', '"error":"ended with 1"'))).toEqual([]);
  expect(judgeOf((whole) => whole.replace('"vote":1', '"vote":0'))).toEqual([0.7]);
});

test('of one that was run again only the last time counts, and what it was charged with before is gone', () => {
  const text = traceText('run-1', '2026-01-31', [
    { exitCode: 0, attempts: 3, judge: [0.1] },
    { phase: 'design', exitCode: 80, attempts: 0, handoffs: [{ from: 'discovery', accepted: false }] },
    { exitCode: 0, judge: [0.9] },
  ]);
  const { executions } = factsOf(linesOf(text));
  expect(executions.map(({ phase, attempts, judge, rejections }) => [phase, attempts, judge, rejections.length])).toEqual([
    ['design', 0, [], 0],
    ['discovery', 1, [0.9], 0],
  ]);
});

test('one that was cut off in the middle is none; when it is begun again it begins anew', () => {
  const whole = traceText('run-1', '2026-01-31', [{ attempts: 2 }]).split('\n');
  const until = whole.findIndex((line) => line.includes('"execution_complete"'));
  const cut = whole.slice(0, until);
  expect(factsOf(linesOf(`${cut.join('\n')}\n`))).toMatchObject({ executions: [], isOver: false });
  const again = linesOf([...cut, ...whole.slice(1)].join('\n'));
  expect(factsOf(again).executions).toMatchObject([{ attempts: 2, retries: 1 }]);
});

test('one that waited for a person is the same when they have spoken', () => {
  const lines = linesOf(traceText('run-1', '2026-01-31', [{ exitCode: 83, attempts: 2, judge: [0.5], checks: { 2: ['exit_code'] } }]));
  const end = lines.find(({ event }) => event === 'execution_complete')!;
  const gate = { gate_id: 4, checks_performed: [{ name: 'review', passed: true, message: 'ada says pass' }] };
  const later = [
    { ...end, event: 'gate_checked', data: gate },
    { ...end, data: { ...end.data, status: 'success', exit_code: 0, class: 'success' } },
  ];
  expect(factsOf([...lines, ...later]).executions).toMatchObject([
    { status: 'success', attempts: 2, isInvoked: true, judge: [0.5], checks: [{ name: 'exit_code' }, { name: 'review' }] },
  ]);
});

test('a handoff tells what its documents lacked', () => {
  const remediation = 'prd.md: goals needs 30 words; risks needs a heading such as "Risks"';
  const text = traceText('run-1', '2026-01-31', [{}, { phase: 'design', handoffs: [{ from: 'discovery', accepted: false, remediation }] }]);
  expect(factsOf(linesOf(text)).handoffs).toEqual([
    {
      from: 'discovery',
      to: 'design',
      accepted: false,
      reason: 'discovery is not enough',
      lacks: ['goals of prd.md', 'risks of prd.md'],
    },
  ]);
});

test('a run that went on after its end has not ended', () => {
  const line = (event: string): TraceLine => ({ ts: '', event, data: {}, v: 1, seq: 1, run_id: 'r', prev: '' });
  expect(factsOf([line('run_completed')]).isOver).toBe(true);
  expect(factsOf([line('run_completed'), line('run_resumed')]).isOver).toBe(false);
});

test.each<[why: string, data: unknown]>([
  ['nothing', undefined],
  ['an empty map', {}],
  ['values of other kinds', { status: 7, exit_code: 'x', duration_ms: null, warnings: 'many', retries: {}, usage: [], outputs_summary: 3 }],
  ['lists of other things', { warnings: [1, null, { code: 2 }], outputs_summary: { required: [null, { path: 1 }, 'x'] } }],
])('an end that says %s is read all the same', (_, data) => {
  const line = { ts: 't', event: 'execution_complete', data, v: 1, seq: 1, run_id: 'r', execution_id: 'r:p:s', prev: '' } as TraceLine;
  expect(factsOf([line]).executions).toMatchObject([{ status: 'failure', exitCode: 0, durationMs: 0, warnings: [], tokens: null }]);
});
