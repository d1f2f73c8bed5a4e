import { join } from 'node:path';
import type { ProcessEnd, Scratch } from '#platform/ground-port.ts';
import type { SkillSpec } from '../model/construct.ts';
import type { Warning } from '../model/execution.ts';
import { asSideEffect, noClaim, readClaim, readEvent, type SkillClaim } from '../rules/skill-claim.ts';
import { captured } from './capture.ts';
import { aboutOf, type Draft } from './draft.ts';
import type { Run } from './run-state.ts';

export interface AttemptOutcome {
  end: ProcessEnd;
  claim: SkillClaim;
  warnings: Warning[];
  /** That it calls its artifacts, in what it tells as it works. */
  files: string[];
}

/** Variables that a program needs to run at all; everything else a skill has to be given by name. */
const allowed = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TERM', 'SystemRoot', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'ComSpec'];

const listenEveryMs = 100;
/** More than this nobody reads. */
const mostEvents = 1000;

/** One subprocess: what it is given, what it ends with, and what it says of itself. */
export async function attempt(draft: Draft, argv: string[], timeoutMs: number, request: Record<string, unknown>): Promise<AttemptOutcome> {
  const { run, phase, skill, attempts: number } = draft;
  const { ground, record, redactor } = run;
  const place = `${phase.name}/${skill.name}/${number}`;
  const isKept = run.request.construct.capture.enabled;
  const folder = isKept ? ground.runs.attempt(record.run_id, phase.name, skill.name, number) : undefined;
  if (isKept)
    ground.runs.write(
      record.run_id,
      `${place}/stdin.json`,
      `${JSON.stringify(redactor.value({ ...request, inputs: captured(run, request.inputs) }))}\n`,
      'soon',
    );
  // That it was let begin is known before it begins.
  run.trace.sync();
  const scratch = ground.scratch(record.run_id);
  const ear = listen(draft, scratch);
  let end: ProcessEnd;
  let said: ReturnType<Scratch['take']>;
  try {
    end = await ground.spawn({
      argv,
      shell: skill.run !== undefined && skill.shell,
      folder: ground.root,
      env: environment(draft, scratch),
      stdin: JSON.stringify(request),
      timeoutMs,
      killGraceMs: phase.killGraceMs,
      mark: `CLEO_EXECUTION_ID=${draft.id}`,
      tether: scratch.folder,
      ...(folder === undefined ? {} : { logs: { stdout: join(folder, 'stdout.log'), stderr: join(folder, 'stderr.log') } }),
      redactor,
      signal: ear.signal,
    });
  } finally {
    ear.stop();
    said = scratch.take();
  }
  const { warnings, sideEffects, files } = ear.heard();
  const read = said.result === undefined || said.result.trim() === '' ? undefined : readClaim(said.result, redactor.value);
  const claim = read?.claim ?? noClaim;
  return {
    ...{ end, files },
    claim: { ...claim, sideEffects: [...claim.sideEffects, ...sideEffects] },
    warnings: [
      ...said.problems.map((problem) => ({ code: 'invalid_result', message: `it is left aside: ${problem}` })),
      ...(read?.problems ?? []).map((problem) => ({
        code: 'invalid_result',
        message: `what the skill wrote to CLEO_RESULT: ${problem}`,
      })),
      ...warnings,
      ...claim.warnings,
    ],
  };
}

/** Tells what a skill tells of itself, as it comes. What cannot be told ends the skill: it would go on unseen. */
function listen(draft: Draft, scratch: Scratch) {
  const { run } = draft;
  const about = { ...aboutOf(draft), attempt: draft.attempts };
  const failed = new AbortController();
  const warnings: Warning[] = [];
  const sideEffects: SkillClaim['sideEffects'] = [];
  const files: string[] = [];
  let count = 0;
  let strange = 0;
  const hear = (line: string): void => {
    count += 1;
    if (count > mostEvents) return;
    const event = readEvent(line, run.redactor.value);
    if (!event) {
      strange += 1;
      return;
    }
    const { type, message, value } = event;
    const effect = type === 'side_effect' ? asSideEffect(value) : undefined;
    if (effect) sideEffects.push(effect);
    if (type === 'warning') warnings.push({ code: textOf(value.code) ?? 'skill_warning', message });
    const where = textOf(value.path) ?? textOf(value.target);
    if (type === 'artifact' && where) files.push(where);
    run.tell('execution_progress', { kind: kinds[type], note: message, ...(where ? { [whereOf[type]]: where } : {}) }, about);
  };
  const look = (isEnd = false): void => {
    if (failed.signal.aborted) return;
    try {
      for (const line of scratch.lines(isEnd)) hear(line);
    } catch (error) {
      failed.abort(error);
    }
  };
  const timer = setInterval(look, listenEveryMs);
  return {
    signal: AbortSignal.any([run.signal, failed.signal]),
    stop(): void {
      clearInterval(timer);
      look(true);
    },
    heard() {
      if (failed.signal.aborted) throw failed.signal.reason;
      if (strange > 0)
        warnings.push({ code: 'invalid_event', message: `${strange} lines that the skill wrote to CLEO_EVENTS are no events` });
      if (count > mostEvents)
        warnings.push({ code: 'invalid_event', message: `${count - mostEvents} more events than the ${mostEvents} that are read` });
      return { warnings, sideEffects, files };
    },
  };
}

const kinds = { progress: 'note', warning: 'note', artifact: 'artifact_created', side_effect: 'side_effect' } as const;
const whereOf = { progress: 'path', warning: 'path', artifact: 'path', side_effect: 'target' } as const;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined);

export const secretNames = (run: Pick<Run, 'request'>, skill: SkillSpec | undefined): string[] => [
  ...run.request.construct.env,
  ...run.request.construct.credentials,
  ...(skill?.env ?? []),
  ...(skill?.credentials ?? []),
];

function environment({ run, id, phase, skill, attempts: number }: Draft, scratch: Scratch): Record<string, string> {
  const { ground, record } = run;
  const passed = [...allowed, ...secretNames(run, skill)].flatMap((name) => {
    const value = ground.variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    CLEO_RUN_ID: record.run_id,
    CLEO_EXECUTION_ID: id,
    CLEO_PHASE: phase.name,
    CLEO_SKILL: skill.name,
    CLEO_ATTEMPT: String(number),
    CLEO_RESULT: scratch.result,
    CLEO_EVENTS: scratch.events,
    TRACEPARENT: `00-${ground.hash(record.run_id).slice(0, 32)}-${ground.hash(`${id}:${number}`).slice(0, 16)}-01`,
  };
}
