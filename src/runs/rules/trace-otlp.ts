import type { TraceLine } from '../model/trace.ts';
import type { ExportedRun } from './trace-export.ts';
import { factsOf, textOf } from './trace-facts.ts';

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

/** Spans of runs, phases, executions and attempts in the JSON form of OTLP. The ids are those that a skill is given in TRACEPARENT, so
 *  that what it tells of itself hangs below its attempt. */
export function otlpText(runs: ExportedRun[], { hash, version }: { hash(text: string): string; version: string }): string {
  const resourceSpans = runs
    .filter(({ lines }) => lines.length > 0)
    .map((run) => ({
      resource: {
        attributes: attributesOf({ 'service.name': 'cleo', 'service.version': version, 'cleo.project': run.record?.project || undefined }),
      },
      scopeSpans: [{ scope: { name: 'cleo.assessment', version }, spans: spansOf(run, hash) }],
    }));
  return `${JSON.stringify({ resourceSpans })}\n`;
}

function spansOf({ runId, lines, record }: ExportedRun, hash: (text: string) => string): Span[] {
  const traceId = hash(runId).slice(0, 32);
  const open = new Map<string, Span>();
  const end = lines.at(-1)!.line.ts;
  const begin = (key: string, name: string, at: string, parent: Span | undefined, attributes: Record<string, unknown>): Span => {
    const known = open.get(key);
    if (known) return known;
    const span: Span = {
      ...{ traceId, spanId: hash(key).slice(0, 16), ...(parent ? { parentSpanId: parent.spanId } : {}), name, kind: 1 },
      ...{
        startTimeUnixNano: nanos(at),
        endTimeUnixNano: nanos(end),
        attributes: attributesOf(attributes),
        events: [],
        status: { code: 0 },
      },
    };
    open.set(key, span);
    return span;
  };
  const first = lines[0]!.line.ts;
  const run = begin(runId, record?.construct?.name || runId, first, undefined, { 'cleo.run_id': runId, 'cleo.task_id': record?.task_id });
  for (const { line } of lines) {
    const [phase, skill, id] = [textOf(line.phase), textOf(line.skill), textOf(line.execution_id)];
    const inPhase = phase === undefined ? run : begin(`${runId}:${phase}`, phase, line.ts, run, { 'cleo.phase': phase });
    const inExecution =
      id === undefined
        ? inPhase
        : begin(id, skill ?? id, line.ts, inPhase, { 'cleo.execution_id': id, 'cleo.phase': phase, 'cleo.skill': skill });
    const ctx =
      id === undefined || typeof line.attempt !== 'number'
        ? inExecution
        : begin(`${id}:${line.attempt}`, `attempt ${line.attempt}`, line.ts, inExecution, { 'cleo.attempt': line.attempt });
    const facts = factsOf(line);
    const told = { 'cleo.status': facts.status, 'cleo.class': facts.class, 'cleo.exit_code': facts.exitCode };
    if (closing[line.event]) finish(ctx, line, told, facts.isFailed);
    else if (line.data.kind === 'phase_exited') inPhase.endTimeUnixNano = nanos(line.ts);
    else if (!opening.includes(line.event) && line.data.kind !== 'phase_entered')
      ctx.events.push({
        timeUnixNano: nanos(line.ts),
        name: line.event,
        attributes: attributesOf({ ...told, 'cleo.gate': facts.gate, ...plain(line.data) }),
      });
  }
  return [...open.values()];
}

const opening = ['run_started', 'attempt_started'];
const closing: Record<string, true> = { run_completed: true, execution_complete: true, attempt_completed: true };

function finish(span: Span, line: TraceLine, told: Record<string, unknown>, isFailed: boolean | undefined): void {
  span.endTimeUnixNano = nanos(line.ts);
  span.attributes.push(...attributesOf(told));
  span.status = isFailed ? { code: 2, message: String(told['cleo.status'] ?? '') } : { code: 1 };
}

/** What an event says in plain words and numbers; the rest stays in the trace. */
const plain = (data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => !['status', 'class', 'exit_code'].includes(name) && ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [`cleo.${name}`, value]),
  );

const nanos = (ts: string): string => `${Date.parse(ts)}000000`;

const attributesOf = (values: Record<string, unknown>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]): Attribute[] => {
    if (value === undefined || value === null) return [];
    if (typeof value === 'boolean') return [{ key, value: { boolValue: value } }];
    if (typeof value === 'number')
      return [{ key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
    return [{ key, value: { stringValue: String(value) } }];
  });
