import { expect, test } from 'vitest';
import { createTraceLines, hashText } from '../../../test/run-files.ts';
import { parseEvents, parseTrace } from './trace.ts';
import { type ExportedRun, formatTraces, type TraceFormat } from './trace-export.ts';

const exported = (id: string, status: 'success' | 'failure', more: Parameters<typeof createTraceLines>[0]['more'] = []): ExportedRun => {
  const text = `${createTraceLines({ id, status, more }).join('\n')}\n`;
  return { runId: id, name: `2026-01-01-${id}.jsonl`, text, lines: parseEvents(text).lines, head: parseTrace(text, hashText).head };
};
const [good, bad] = [exported('run-a', 'success'), exported('run-b', 'failure')];
const as = (format: TraceFormat, ...runs: ExportedRun[]): string => formatTraces(runs, format, { hash: hashText, version: '1.0.0' });

test('jsonl copies events byte for byte and drops other lines', () => {
  expect(as('jsonl', good, bad)).toBe(good.text + bad.text);
  const text = `${good.text}junk\n{"torn`;
  expect(as('jsonl', { ...good, text, lines: parseEvents(text).lines })).toBe(good.text);
});

test('csv has one row per event and escapes formulas', () => {
  const evil = exported('run-c', 'success', [['note', { a: 1 }, { phase: '=cmd|x', skill: '@a,"b"' }]]);
  const [head, ...rows] = as('csv', evil).split('\r\n');
  expect(head).toBe('ts,event,run_id,execution_id,phase,skill,attempt,seq,status,class,exit_code,duration_ms,gate,data');
  expect(rows).toHaveLength(evil.lines.length + 1);
  expect(rows.at(-2)).toBe(`2026-01-01T00:00:00.015Z,note,run-c,,'=cmd|x,"'@a,""b""",,16,,,,,,"{""a"":1}"`);
});

test('otlp-json is a tree of spans', () => {
  const { resourceSpans } = JSON.parse(as('otlp-json', good, bad));
  expect(resourceSpans).toHaveLength(2);
  const [{ resource, scopeSpans }] = resourceSpans;
  expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'cleo' } });
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  const spans = scopeSpans[0].spans as Record<string, any>[];
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  for (const span of spans) {
    expect(span).toMatchObject({
      traceId: hashText('run-a').slice(0, 32),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      kind: 1,
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    });
    expect(BigInt(span.endTimeUnixNano!)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano!));
    if (span.parentSpanId) expect(ids).toContain(span.parentSpanId);
  }
  expect(spans.map(({ name, status }) => [name, status.code])).toEqual([
    ['run-a', 1],
    ['discovery', 0],
    ['writer', 1],
    ['attempt 1', 1],
    ['design', 0],
    ['architect', 1],
  ]);
  // The ids of TRACEPARENT.
  expect(spans[3]).toMatchObject({ spanId: hashText('run-a:discovery:writer:1').slice(0, 16), parentSpanId: spans[2]!.spanId });
  expect(spans[3]!.attributes).toContainEqual({ key: 'cleo.exit_code', value: { intValue: '0' } });
  expect(spans[4]!.events).toMatchObject([{ name: 'handoff_attempted' }]);
  const failed = resourceSpans[1].scopeSpans[0].spans.find(({ name }: { name: string }) => name === 'architect');
  expect(failed.status).toEqual({ code: 2, message: 'failure' });
});

test('junit has one suite per execution and one case per check', () => {
  const xml = as('junit', good, bad);
  const elements = parseElements(xml);
  expect(elements.filter(({ name }) => name === 'testsuites')).toMatchObject([{ attributes: { tests: '10', failures: '2', errors: '0' } }]);
  expect(
    elements
      .filter(({ name }) => name === 'testsuite')
      .map(({ attributes }) => [attributes.name, attributes.tests, attributes.failures, attributes.skipped]),
  ).toEqual([
    ['run-a discovery/writer', '3', '0', '1'],
    ['run-a handoffs', '1', '0', '0'],
    ['run-a design/architect', '1', '0', '0'],
    ['run-b discovery/writer', '3', '0', '1'],
    ['run-b handoffs', '1', '1', '0'],
    ['run-b design/architect', '1', '1', '0'],
  ]);
  expect(elements.filter(({ name }) => name === 'failure').map(({ attributes }) => attributes.message)).toEqual([
    'prd.md is too incomplete',
    'prd.md has 0.4 of 0.8',
  ]);
});

test('junit escapes characters that XML does not allow', () => {
  const checks = [{ name: 'a<b>&"c\'', passed: false, message: 'x\u0000\u001b\ud800\nyé😀' }];
  const odd = exported('run-c', 'success', [
    ['gate_checked', { name: 'output', status: 'failed', severity: 'warn', checks_performed: checks }],
  ]);
  const seen = parseElements(as('junit', odd));
  expect(seen.filter(({ name }) => name === 'testcase').at(-1)!.attributes.name).toBe('output: a&lt;b&gt;&amp;&quot;c&#39;');
  expect(seen.filter(({ name }) => name === 'skipped').at(-1)!.attributes.message).toBe('warning: x␀␛\ufffd&#10;yé😀');
});

test('in-toto has one statement per run with the trace head and the artifacts', () => {
  const [first, second] = as('in-toto', good, bad)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      {
        name: '2026-01-01-run-a.jsonl',
        digest: { sha256: hashText(good.text) },
        annotations: { head: good.head, lines: good.lines.length },
      },
      { name: 'prd.md', digest: { sha256: hashText('prd') } },
    ],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: { result: 'PASSED', configuration: [{ digest: { sha256: hashText('manifest') } }], failedTests: [], warnedTests: [] },
  });
  expect(first.predicate.passedTests).toContain('discovery/writer precondition: context_files_exist');
  expect(second.predicate).toMatchObject({
    result: 'FAILED',
    failedTests: ['handoffs discovery to design', 'design/architect precondition: prd_completeness'],
  });
});

test.each(['jsonl', 'csv', 'otlp-json', 'junit', 'in-toto'] as const)('%s accepts malformed events', (format) => {
  const odd = exported('run-c', 'failure', [
    ['gate_checked', { checks_performed: [null, 1, { name: 1 }], status: 5, gate_id: {} }],
    [
      'execution_complete',
      { outputs_summary: { artifacts: [null, 3, { path: 1 }] }, duration_ms: 'x' },
      { phase: 3 as never, skill: null as never },
    ],
    ['handoff_attempted', {}],
    ['of_later', { deep: [[[]]] }],
  ]);
  expect(as(format, odd)).toBeTypeOf('string');
  expect(as(format)).toBeTypeOf('string');
});

/** All elements of an XML text, in order. Throws if the text is not well-formed. */
function parseElements(xml: string): { name: string; attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = [];
  const open: string[] = [];
  const token = /<\?xml version="1\.0" encoding="UTF-8"\?>|<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>|\s+/gy;
  let at = 0;
  for (let match = token.exec(xml); match; match = token.exec(xml)) {
    at = token.lastIndex;
    const [, closing, name, attributes = '', isEmpty] = match;
    if (!name) continue;
    if (closing) expect(open.pop()).toBe(name);
    else {
      found.push({
        name,
        attributes: Object.fromEntries([...attributes.matchAll(/ ([\w-]+)="([^"]*)"/g)].map((one) => [one[1]!, one[2]!])),
      });
      if (!isEmpty) open.push(name);
    }
  }
  expect([at, open]).toEqual([xml.length, []]);
  return found;
}
