import { expect, test } from 'vitest';
import type { TraceLine } from '#runs/model/trace.ts';
import { parseTrace } from '#runs/rules/trace.ts';
import { formatTrace } from '../../../test/execution-trace.ts';
import { extractFacts } from './extract-facts.ts';

const parseLines = (text: string): TraceLine[] => parseTrace(text, () => '').lines.map(({ line }) => line);

test('extracts an execution from its events', () => {
  const text = formatTrace('run-1', '2026-01-31', [
    {
      ...{ version: '2.3.4', attempts: 2, durationMs: 70, timeoutMs: 500, usage: { input_tokens: 3, output_tokens: 4 }, confidence: 0.9 },
      ...{ judge: [0.5], inputs: { target: { hash: 'x' } }, checks: { 1: ['there'], 2: ['exit_code'] }, forced: [1] },
    },
  ]);
  const { executions, isOver } = extractFacts(parseLines(text));
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
      ...{ durationMs: 70, maxAttemptMs: 70, tokens: 7, confidence: 0.9, judge: [0.5], forced: ['precondition'], isInvoked: true },
      inputs: '{"target":{"hash":"x"}}',
      checks: [
        { gate: 'precondition', name: 'there', passed: true },
        { gate: 'execution', name: 'exit_code' },
      ],
    },
  ]);
});

test('ignores votes if one failed, and keeps the last answer of a repeated vote', () => {
  const text = formatTrace('run-1', '2026-01-31', [{ judge: [0.9, 0.7] }]);
  const readJudge = (change: (text: string) => string) => extractFacts(parseLines(change(text))).executions[0]!.judge;
  expect(readJudge((whole) => whole)).toEqual([0.9, 0.7]);
  expect(readJudge((whole) => whole.replace('"verdict":"pass","score":0.7', '"error":"ended with 1"'))).toEqual([]);
  expect(readJudge((whole) => whole.replace('"vote":1', '"vote":0'))).toEqual([0.7]);
});

test('only the last time of a repeated execution counts, without its earlier rejections', () => {
  const text = formatTrace('run-1', '2026-01-31', [
    { exitCode: 0, attempts: 3, judge: [0.1] },
    { phase: 'design', exitCode: 80, attempts: 0, handoffs: [{ from: 'discovery', accepted: false }] },
    { exitCode: 0, judge: [0.9] },
  ]);
  const { executions } = extractFacts(parseLines(text));
  expect(executions.map(({ phase, attempts, judge, rejections }) => [phase, attempts, judge, rejections.length])).toEqual([
    ['design', 0, [], 0],
    ['discovery', 1, [0.9], 0],
  ]);
});

test('drops an unfinished execution and starts over when it runs again', () => {
  const whole = formatTrace('run-1', '2026-01-31', [{ attempts: 2 }]).split('\n');
  const until = whole.findIndex((line) => line.includes('"execution_complete"'));
  const cut = whole.slice(0, until);
  expect(extractFacts(parseLines(`${cut.join('\n')}\n`))).toMatchObject({ executions: [], isOver: false });
  const again = parseLines([...cut, ...whole.slice(1)].join('\n'));
  expect(extractFacts(again).executions).toMatchObject([{ attempts: 2, retries: 1 }]);
});

test('an execution that waited for a review counts once', () => {
  const lines = parseLines(formatTrace('run-1', '2026-01-31', [{ exitCode: 83, attempts: 2, judge: [0.5], checks: { 2: ['exit_code'] } }]));
  const end = lines.find(({ event }) => event === 'execution_complete')!;
  const gate = { gate_id: 4, checks_performed: [{ name: 'review', passed: true, message: 'ada says pass' }] };
  const later = [
    { ...end, event: 'gate_checked', data: gate },
    { ...end, data: { ...end.data, status: 'success', exit_code: 0, class: 'success' } },
  ];
  expect(extractFacts([...lines, ...later]).executions).toMatchObject([
    { status: 'success', attempts: 2, isInvoked: true, judge: [0.5], checks: [{ name: 'exit_code' }, { name: 'review' }] },
  ]);
});

test('a handoff lists what its documents lacked', () => {
  const remediation = 'prd.md: goals needs 30 words; risks needs a heading such as "Risks"';
  const text = formatTrace('run-1', '2026-01-31', [
    {},
    { phase: 'design', handoffs: [{ from: 'discovery', accepted: false, remediation }] },
  ]);
  expect(extractFacts(parseLines(text)).handoffs).toEqual([
    {
      from: 'discovery',
      to: 'design',
      accepted: false,
      reason: 'discovery is not enough',
      lacks: ['goals of prd.md', 'risks of prd.md'],
    },
  ]);
});

test('a resumed run has not ended', () => {
  const line = (event: string): TraceLine => ({ ts: '', event, data: {}, v: 1, seq: 1, run_id: 'r', prev: '' });
  expect(extractFacts([line('run_completed')]).isOver).toBe(true);
  expect(extractFacts([line('run_completed'), line('run_resumed')]).isOver).toBe(false);
});

test.each<[why: string, data: unknown]>([
  ['no data', undefined],
  ['an empty map', {}],
  ['values of wrong types', { status: 7, exit_code: 'x', duration_ms: null, warnings: 'many', retries: {}, usage: [], outputs_summary: 3 }],
  ['lists of wrong items', { warnings: [1, null, { code: 2 }], outputs_summary: { required: [null, { path: 1 }, 'x'] } }],
])('reads a final event with %s', (_, data) => {
  const line = { ts: 't', event: 'execution_complete', data, v: 1, seq: 1, run_id: 'r', execution_id: 'r:p:s', prev: '' } as TraceLine;
  expect(extractFacts([line]).executions).toMatchObject([{ status: 'failure', exitCode: 0, durationMs: 0, warnings: [], tokens: null }]);
});
