import { createSkillSpec } from '#runs/rules/construct/conventions.ts';
import { createSkillConstruct } from '#runs/rules/construct/single-skill.ts';
import { createCheck, toGateResult } from '#runs/rules/gate/gate.ts';
import { loadSchemas } from '#runs/runner/artifacts.ts';
import { emitGate } from '#runs/runner/gates.ts';
import { closeRun, settleRun } from '#runs/runner/run.ts';
import { openRun, type RunContext, type RunRequest } from '#runs/runner/run-context.ts';
import type { WorkItem } from '../../model/work-item.ts';
import { listStoreVariables } from '../../rules/store-variables.ts';
import type { WorkRun } from './work-run.ts';

/** Opens the run that records the work on one task: its trace, its logs and its record. */
export async function openTaskRun(work: WorkRun, item: WorkItem): Promise<RunContext> {
  const { runner, profile, validator, kill } = work;
  const skill = { ...createSkillSpec(profile.name), env: [...profile.env, ...validator.env, ...listStoreVariables(work.ctx)] };
  const construct = { ...createSkillConstruct(item.agentId, undefined, {}), skills: [skill] };
  const request: RunRequest = {
    construct,
    kind: 'work',
    project: 'work',
    vars: {},
    intent: item.title,
    taskId: item.taskId,
    agent: item.agentId,
    inputs: {},
    asked: { skill: null, outputs: [], capture: null },
    phases: ['work'],
    reusable: [],
    defaults: [],
    waitMs: 0,
    waitCommand: '',
    isNamed: true,
    usesJudgeCache: false,
    ...(item.session === undefined ? {} : { sessionId: item.session }),
  };
  const schemas = await loadSchemas([]);
  return openRun(runner, item.runId, request, { signal: kill.signal, patterns: [], schemas, observe: () => {} });
}

/** How a task run ended, in the words of runs. */
const ends = {
  done: { status: 'success', code: 0 },
  waiting: { status: 'success', code: 0 },
  stopped: { status: 'cancelled', code: 130 },
  attention: { status: 'failure', code: 84 },
  lost: { status: 'failure', code: 80 },
} as const;

export async function closeTaskRun(run: RunContext, outcome: keyof typeof ends): Promise<void> {
  try {
    closeRun(run, ends[outcome]);
  } finally {
    run.trace.close();
  }
  await settleRun(run);
}

/** Records the check after a round: as the output gate in the trace, and as an execution in the record. */
export function recordRound(
  run: RunContext,
  {
    phase,
    profile,
    findings,
    exitCode,
    durationMs,
  }: { phase: string; profile: string; findings: string[]; exitCode: number; durationMs: number },
): void {
  const id = `${run.record.run_id}:${phase}:${profile}`;
  const isPassed = findings.length === 0;
  const checks = (isPassed ? ['the result holds'] : findings).map((message) => createCheck('work', isPassed, message));
  const gate = toGateResult('output', checks, 'block', run.platform.now());
  const status = isPassed ? 'success' : 'failure';
  const subject = { execution_id: id, phase, skill: profile };
  emitGate(run, gate, subject, { remediation_attempted: false });
  run.emit(
    'execution_complete',
    {
      status,
      exit_code: exitCode,
      class: isPassed ? 'success' : 'validation',
      duration_ms: durationMs,
      errors: gate.details.failures,
      warnings: run.warnings,
    },
    subject,
  );
  run.record.executions.push({
    execution_id: id,
    phase,
    skill: profile,
    status,
    exit_code: exitCode,
    skill_sha256: '',
    inputs_sha256: '',
    outputs: [],
    attempts: 1,
    duration_ms: durationMs,
  });
  run.save();
}
