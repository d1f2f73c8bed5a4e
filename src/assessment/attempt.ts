import { join } from 'node:path';
import type { Phase, SkillSpec } from '../model/construct.ts';
import type { Warning } from '../model/execution.ts';
import type { ProcessEnd, SkillFound } from '../platform/ground-port.ts';
import { noClaim, readClaim, readEvent, type SkillClaim } from '../rules/skill-claim.ts';
import { captured } from './capture.ts';
import type { Run } from './run-state.ts';

export interface AttemptSpec {
  executionId: string;
  phase: Phase;
  skill: SkillSpec;
  found: SkillFound;
  argv: string[];
  attempt: number;
  /** What stands in its standard input, but for the number of the attempt. */
  request: Record<string, unknown>;
  timeoutMs: number;
}

export interface AttemptOutcome {
  end: ProcessEnd;
  claim: SkillClaim;
  events: NonNullable<ReturnType<typeof readEvent>>[];
  warnings: Warning[];
}

/** Variables that a program needs to run at all; everything else a skill has to be given by name. */
const allowed = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TERM', 'SystemRoot', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'ComSpec'];

/** One subprocess: what it is given, what it ends with, and what it says of itself. */
export async function attempt(run: Run, spec: AttemptSpec): Promise<AttemptOutcome> {
  const { ground, record, redactor } = run;
  const { executionId, phase, skill, argv, attempt: number } = spec;
  const folder = ground.runs.attempt(record.run_id, phase.name, skill.name, number);
  const scratch = ground.scratch();
  const stdin = { ...spec.request, attempt: number };
  const place = `${phase.name}/${skill.name}/${number}`;
  if (run.request.construct.capture.enabled)
    ground.runs.write(
      record.run_id,
      `${place}/stdin.json`,
      `${JSON.stringify(redactor.value({ ...stdin, inputs: captured(run, spec.request.inputs) }))}\n`,
    );
  let end: ProcessEnd;
  let said: ReturnType<typeof scratch.take>;
  try {
    end = await ground.spawn({
      argv,
      shell: skill.run !== undefined && skill.shell,
      folder: ground.root,
      env: environment(run, spec, scratch),
      stdin: JSON.stringify(stdin),
      timeoutMs: spec.timeoutMs,
      killGraceMs: phase.killGraceMs,
      mark: `CLEO_EXECUTION_ID=${executionId}`,
      logs: { stdout: join(folder, 'stdout.log'), stderr: join(folder, 'stderr.log') },
      redactor,
      signal: run.signal,
    });
  } finally {
    said = scratch.take();
  }
  return { end, ...told(said) };
}

export const secretNames = (run: Pick<Run, 'request'>, skill: SkillSpec | undefined): string[] => [
  ...run.request.construct.env,
  ...run.request.construct.credentials,
  ...(skill?.env ?? []),
  ...(skill?.credentials ?? []),
];

function environment(run: Run, spec: AttemptSpec, scratch: { result: string; events: string }): Record<string, string> {
  const { ground, record } = run;
  const { executionId, phase, skill, attempt: number } = spec;
  const passed = [...allowed, ...secretNames(run, skill)].flatMap((name) => {
    const value = ground.variables[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passed),
    CLEO_RUN_ID: record.run_id,
    CLEO_EXECUTION_ID: executionId,
    CLEO_PHASE: phase.name,
    CLEO_SKILL: skill.name,
    CLEO_ATTEMPT: String(number),
    CLEO_RESULT: scratch.result,
    CLEO_EVENTS: scratch.events,
    TRACEPARENT: `00-${ground.hash(record.run_id).slice(0, 32)}-${ground.hash(`${executionId}:${number}`).slice(0, 16)}-01`,
  };
}

function told({ result, events }: { result?: string; events: string }): Omit<AttemptOutcome, 'end'> {
  const warnings: Warning[] = [];
  const read = result === undefined || result.trim() === '' ? { claim: noClaim, problems: [] } : readClaim(result);
  for (const problem of read.problems)
    warnings.push({ code: 'invalid_result', message: `what the skill wrote to CLEO_RESULT: ${problem}` });
  const lines = events.split(/\r?\n/).filter((line) => line.trim() !== '');
  const found = lines.slice(0, 1000).map(readEvent);
  const strange = found.filter((one) => one === undefined).length;
  if (strange > 0) warnings.push({ code: 'invalid_event', message: `${strange} lines that the skill wrote to CLEO_EVENTS are no events` });
  return { claim: read.claim, events: found.flatMap((one) => one ?? []), warnings: [...warnings, ...read.claim.warnings] };
}
