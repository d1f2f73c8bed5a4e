import type { TraceLine } from '../model/trace.ts';
import type { ExportedRun } from './trace-export.ts';
import { asText, toLineFacts } from './trace-facts.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 1;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  events: { timeUnixNano: string; name: string; attributes: Attribute[] }[];
  status: { code: 0 | 1 | 2; message?: string };
}

type Attribute = { key: string; value: { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean } };

/** Formats runs as OTLP JSON: spans of runs, phases, executions and attempts. Their ids match the TRACEPARENT that a skill receives, so
 *  that spans of the skill are children of its attempt. */
export function formatOtlp(runs: ExportedRun[], { hash, version }: { hash(text: string): string; version: string }): string {
  const resourceSpans = runs
    .filter(({ lines }) => lines.length > 0)
    .map((run) => ({
      resource: {
        attributes: toAttributes({ 'service.name': 'cleo', 'service.version': version, 'cleo.project': run.record?.project || undefined }),
      },
      scopeSpans: [{ scope: { name: 'cleo.assessment', version }, spans: toSpans(run, hash) }],
    }));
  return `${JSON.stringify({ resourceSpans })}\n`;
}

function toSpans({ runId, lines, record }: ExportedRun, hash: (text: string) => string): Span[] {
  const traceId = hash(runId).slice(0, 32);
  const spans = new Map<string, Span>();
  const end = lines.at(-1)!.line.ts;
  const begin = (key: string, name: string, at: string, parent: Span | undefined, attributes: Record<string, unknown>): Span => {
    const known = spans.get(key);
    if (known) return known;
    const span: Span = {
      ...{ traceId, spanId: hash(key).slice(0, 16), ...(parent ? { parentSpanId: parent.spanId } : {}), name, kind: 1 },
      ...{
        startTimeUnixNano: toNanos(at),
        endTimeUnixNano: toNanos(end),
        attributes: toAttributes(attributes),
        events: [],
        status: { code: 0 },
      },
    };
    spans.set(key, span);
    return span;
  };
  const first = lines[0]!.line.ts;
  const runSpan = begin(runId, record?.construct?.name || runId, first, undefined, {
    'cleo.run_id': runId,
    'cleo.task_id': record?.task_id,
  });
  for (const { line } of lines) {
    const [phase, skill, id] = [asText(line.phase), asText(line.skill), asText(line.execution_id)];
    const phaseSpan = phase === undefined ? runSpan : begin(`${runId}:${phase}`, phase, line.ts, runSpan, { 'cleo.phase': phase });
    const executionSpan =
      id === undefined
        ? phaseSpan
        : begin(id, skill ?? id, line.ts, phaseSpan, { 'cleo.execution_id': id, 'cleo.phase': phase, 'cleo.skill': skill });
    const span =
      id === undefined || typeof line.attempt !== 'number'
        ? executionSpan
        : begin(`${id}:${line.attempt}`, `attempt ${line.attempt}`, line.ts, executionSpan, { 'cleo.attempt': line.attempt });
    const facts = toLineFacts(line);
    const outcome = { 'cleo.status': facts.status, 'cleo.class': facts.class, 'cleo.exit_code': facts.exitCode };
    if (closingEvents[line.event]) finishSpan(span, line, outcome, facts.isFailed);
    else if (line.data.kind === 'phase_exited') phaseSpan.endTimeUnixNano = toNanos(line.ts);
    else if (!openingEvents.includes(line.event) && line.data.kind !== 'phase_entered')
      span.events.push({
        timeUnixNano: toNanos(line.ts),
        name: line.event,
        attributes: toAttributes({ ...outcome, 'cleo.gate': facts.gate, ...pickScalars(line.data) }),
      });
  }
  return [...spans.values()];
}

const openingEvents = ['run_started', 'attempt_started'];
const closingEvents: Record<string, true> = { run_completed: true, execution_complete: true, attempt_completed: true };

function finishSpan(span: Span, line: TraceLine, outcome: Record<string, unknown>, isFailed: boolean | undefined): void {
  span.endTimeUnixNano = toNanos(line.ts);
  span.attributes.push(...toAttributes(outcome));
  span.status = isFailed ? { code: 2, message: String(outcome['cleo.status'] ?? '') } : { code: 1 };
}

/** The scalar fields of an event; nested values stay in the trace. */
const pickScalars = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => !['status', 'class', 'exit_code'].includes(name) && ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [`cleo.${name}`, value]),
  );

const toNanos = (ts: string): string => `${Date.parse(ts)}000000`;

const toAttributes = (values: Record<string, unknown>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === undefined || value === null) return [];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    if (typeof value === 'number')
      return [{ key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
    return [{ key, value: { stringValue: String(value) } }];
  });
