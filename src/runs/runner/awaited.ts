import type { GateResult, SkillExecutionResult } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { meaningOf } from '../rules/exit-class.ts';
import { check, gateOf, gateWithout } from '../rules/gate/gate.ts';
import { eventsIn } from '../rules/trace.ts';
import { aboutOf, type Draft, type Executed, record, refusal } from './draft.ts';
import { goalSpec } from './goal.ts';
import { keep } from './result.ts';
import { ofThisRun, type Reusable, recall, standing } from './reuse.ts';
import { reviewBy } from './reviews.ts';
import type { Run } from './run-state.ts';

type Entry = RunRecord['executions'][number];

/** What is left of an execution of which all is done but that somebody says whether its goal was reached. */
interface Waiting extends Reusable {
  review: string;
  result: SkillExecutionResult;
}

/** It is not done again: somebody looks at what it made, and another time it might make something else. */
function awaited(draft: Draft): Waiting | undefined {
  const { run } = draft;
  const known = standing(draft, ofThisRun(draft), (one) => one.review !== undefined);
  const review = known?.entry.review;
  if (!known || review === undefined || !reviewBy(run, review)) return undefined;
  const result = keptResult(run, known.entry);
  return result && { ...known, review, result };
}

/** Ends as its review does, once that is resolved; undefined where it waits for none. */
export function settled(draft: Draft): Executed | undefined {
  const { run, phase } = draft;
  const waiting = awaited(draft);
  if (!waiting) return undefined;
  const { entry: before, review, result: kept } = waiting;
  const judged = verdictOf(draft, review);
  const { enforce } = goalSpec(run, phase);
  if (judged.status === 'pending' && enforce && run.request.force?.gate !== 4) return stillWaiting(draft, { review, result: kept });
  const gate = record(draft, judged);
  const ended = gate.passed || !enforce ? meaningOf(0) : refusal(draft, 4);
  recall(draft, waiting);
  // What is answered is not asked any more.
  const warnings = [...kept.diagnostics.warnings.filter(({ code }) => code !== 'review_opened'), ...draft.warnings];
  const diagnostics = { errors: draft.errors, warnings };
  const result: SkillExecutionResult = {
    ...{ ...kept, status: ended.status, exit_code: ended.code },
    diagnostics: { ...kept.diagnostics, gates_passed: kept.diagnostics.gates_passed.with(4, gate), ...diagnostics },
  };
  run.ground.runs.write(run.record.run_id, resultFile(before), `${JSON.stringify(run.redactor.value(result))}\n`, 'soon');
  const { review: _, ...done } = before;
  const entry: Entry = { ...done, status: ended.status, exit_code: ended.code };
  const now = { status: ended.status, exit_code: ended.code, class: ended.class, ...diagnostics, checkpoint: entry };
  run.tell('execution_complete', { ...toldOf(run, before), ...now }, aboutOf(draft));
  keep(run, entry);
  return { result, meaning: ended, attempts: before.attempts, isSkipped: true, isCancelled: false };
}

/** It has ended once, and does not end again for having been looked at. */
function stillWaiting(draft: Draft, { review, result }: Pick<Waiting, 'review' | 'result'>): Executed {
  const note = `${draft.skill.name} is not run again: ${review} is open`;
  draft.run.tell('execution_progress', { kind: 'note', note }, aboutOf(draft));
  return { result, meaning: refusal(draft, 83), attempts: 0, isSkipped: true, isCancelled: false, review };
}

function verdictOf({ run, phase }: Draft, id: string): GateResult {
  const at = run.ground.now();
  const severity = goalSpec(run, phase).enforce ? 'block' : 'warn';
  const review = reviewBy(run, id);
  if (review?.status !== 'resolved') return { ...gateWithout(4, 'pending', at), severity };
  const message = `${id}: ${review.resolutions.map(({ by, verdict }) => `${by} says ${verdict}`).join(', ')}`;
  return gateOf(4, [check('review', review.verdict === 'pass', message, { expected: 'pass', actual: review.humanMean })], severity, at);
}

const resultFile = ({ phase, skill, attempts }: Entry): string => `${phase}/${skill}/${Math.max(1, attempts)}/result.json`;

/** Read with doubt: it is a file like any other. */
function keptResult({ ground, record: { run_id } }: Run, entry: Entry): SkillExecutionResult | undefined {
  try {
    const result = JSON.parse(ground.runs.read(run_id, resultFile(entry)) ?? '') as SkillExecutionResult;
    return result.diagnostics.gates_passed.length === 5 ? result : undefined;
  } catch {
    return undefined;
  }
}

/** What the trace says of how it ended: what was measured of it then is still so. */
function toldOf({ ground, record: { trace } }: Run, { execution_id }: Entry): Record<string, unknown> {
  const { lines } = eventsIn(ground.traces.read(trace)?.text ?? '');
  return lines.findLast(({ line }) => line.event === 'execution_complete' && line.execution_id === execution_id)?.line.data ?? {};
}
