import type { PhaseSpec, SkillSpec } from '../model/construct.ts';
import { runGateNames, type Warning } from '../model/execution.ts';
import { type ExitMeaning, explainExit } from '../rules/exit-class.ts';
import { checkExecution } from '../rules/gate/execution.ts';
import { type GateCheck, toGateResult } from '../rules/gate/gate.ts';
import { emptyClaim, parsePrimary } from '../rules/skill-claim.ts';
import { isOptionalAndAbsent, resolveSkillCommand } from '../rules/skill-command.ts';
import { runAttempts } from './attempts.ts';
import {
  addWarnings,
  createExecution,
  type Execution,
  type ExecutionOutcome,
  explainStop,
  getSubject,
  noSkill,
  passGate,
  recordGate,
  skipGates,
} from './execution-state.ts';
import { classifyChanges, hashOutputs, pickSharedWith } from './file-change-tracker.ts';
import { checkGoalGate, checkPhaseOutputs, checkPreconditionGate, checkPrimaryOutput, checkSelectionGate } from './gates.ts';
import { captureInputs, finishExecution, readStdoutLog } from './result.ts';
import type { RunContext } from './run-context.ts';

/** Executes one skill in one phase: the gates before it, its attempts, and the gates after it. Every outcome has a result. `enterPhase`
 *  completes the execution with the state of its phase; it is not called if an earlier result is reused. */
export async function executeSkill(
  run: RunContext,
  phase: PhaseSpec,
  skill: SkillSpec,
  enterPhase: (execution: Execution) => void,
): Promise<ExecutionOutcome> {
  const { resume, reusable, construct } = run.request;
  const execution = await createExecution(run, phase, skill);
  if (resume || reusable.length > 0) {
    const reused = await (await import('./reuse.ts')).reuseResult(run, execution);
    if (reused) return reused;
  }
  enterPhase(execution);
  if (isOptionalAndAbsent(skill, execution.info)) return skipSkill(run, execution);

  if (skill === noSkill) skipGates(run, execution, 'selection');
  else recordGate(run, execution, await checkSelectionGate(run, execution));
  const blocked = await checkPreconditionGate(run, execution);
  if (blocked !== undefined) return finishExecution(run, execution, explainStop(run, execution, blocked));
  if (skill === noSkill) return checkPhaseWithoutSkill(run, execution);

  const command = resolveSkillCommand(skill, execution.info, construct.executor);
  if ('code' in command) {
    execution.errors.push({ code: command.name, message: command.problem });
    return finishExecution(run, execution, explainStop(run, execution, command.code));
  }
  await emitInvocation(run, execution);
  const hashesBefore = hashOutputs(run, phase);
  await execution.tracker.start(skill.name);
  const { ended, isComplete } = await runAttempts(run, execution, command.argv);
  await recordChanges(run, execution, hashesBefore);
  await openRequestedReview(run, execution, ended);
  return isComplete ? checkLaterGates(run, execution, ended) : finishExecution(run, execution, ended);
}

function skipSkill(run: RunContext, execution: Execution): ExecutionOutcome {
  addWarnings(execution, { code: 'skill_skipped', message: `${execution.skill.name} does not exist and is optional` });
  skipGates(run, execution, ...runGateNames);
  execution.isSkipped = true;
  return finishExecution(run, execution, explainExit(0));
}

async function checkPhaseWithoutSkill(run: RunContext, execution: Execution): Promise<ExecutionOutcome> {
  execution.isSkipped = true;
  addWarnings(execution, {
    code: 'phase_without_skill',
    message: `phase ${execution.phase.name} has no skill; only its gates were checked`,
  });
  skipGates(run, execution, 'execution');
  if (!(await passOutputGate(run, execution))) return finishExecution(run, execution, explainStop(run, execution, 84));
  skipGates(run, execution, 'goal');
  return finishExecution(run, execution, explainExit(0));
}

async function emitInvocation(run: RunContext, execution: Execution): Promise<void> {
  const { platform } = run;
  const { skill, info, inputs } = execution;
  const { intent, taskId, sessionId } = run.request;
  const git = await platform.readGitState();
  const bytes = new TextEncoder().encode(JSON.stringify({ intent: intent ?? null, inputs })).length;
  run.emit(
    'skill_invoked',
    {
      skill_id: skill.name,
      version: info.version,
      operator_type: platform.detectOperator(),
      input_summary: captureInputs(run, inputs),
      context_size: { bytes, tokens_est: Math.ceil(bytes / 4) },
      memory_state: {
        git_head: git?.head ?? null,
        dirty_files: git?.dirtyFiles ?? null,
        session_id: sessionId ?? null,
        task_id: taskId ?? null,
      },
    },
    getSubject(execution),
  );
}

/** Records the files that the skill changed, as artifacts and side effects. */
async function recordChanges(run: RunContext, execution: Execution, hashesBefore: Map<string, string>): Promise<void> {
  const { phase, skill, sideEffects, claimedFiles, written } = execution;
  const claimed = sideEffects.filter(({ type }) => type === 'file_write').map(({ target }) => target);
  const own = await execution.tracker.end(skill.name, [...claimed, ...claimedFiles]);
  const changes = classifyChanges(run, phase, own, hashesBefore, sideEffects);
  execution.changes = changes;
  for (const path of changes.written) written.add(path);
  addWarnings(execution, ...changes.warnings);
  const subject = getSubject(execution);
  for (const { path, metadata } of changes.artifacts)
    run.emit('execution_progress', { kind: 'artifact_created', path, ...pickSharedWith(metadata) }, subject);
  for (const { target, description } of changes.sideEffects)
    run.emit('execution_progress', { kind: 'side_effect', target, description, sha256: hashSmallFile(run, target) }, subject);
}

function hashSmallFile({ platform }: RunContext, path: string): string | null {
  const entry = platform.statFile(path);
  return entry?.kind === 'file' && entry.size <= 2 ** 20 ? platform.hashFile(path) : null;
}

/** Opens a review if the skill asked for one or exited with an escalation. */
async function openRequestedReview(run: RunContext, execution: Execution, ended: ExitMeaning): Promise<void> {
  const claim = execution.lastAttempt?.claim ?? emptyClaim;
  if (execution.isCancelled || (!claim.isReviewRequested && ended.class !== 'escalate')) return;
  const reason = claim.isReviewRequested ? 'the skill asked for it' : `the skill exited with ${ended.code} (${ended.name})`;
  const goal = claim.goalStatement ?? run.request.intent ?? null;
  const { openReview } = await import('./reviews.ts');
  execution.review = { id: openReview(run, execution, { kind: 'requested', goal, reason, score: null }), decides: false };
}

/** Checks the execution, output and goal gates, up to the first that blocks. */
async function checkLaterGates(run: RunContext, execution: Execution, ended: ExitMeaning): Promise<ExecutionOutcome> {
  const { phase, skill, timedOut } = execution;
  const end = execution.lastAttempt?.end;
  const facts = { meaning: ended, timedOutMs: timedOut?.timeoutMs, leaked: end?.leaked ?? 0, isTruncated: end?.isTruncated ?? false };
  recordGate(run, execution, toGateResult('execution', checkExecution(facts), phase.gates.execution.severity, run.platform.now()));
  if (ended.class !== 'success') return finishExecution(run, execution, ended);

  execution.primary = parsePrimary(end?.stdout ?? new Uint8Array());
  run.primaries[skill.name] = execution.primary;
  run.printed.set(skill.name, () => readStdoutLog(run, run.record.run_id, phase.name, skill.name, execution.attempts));
  if (!(await passOutputGate(run, execution))) return finishExecution(run, execution, explainStop(run, execution, 84));

  const goal = await checkGoalGate(run, execution);
  if (!goal) {
    execution.isCancelled = true;
    return finishExecution(run, execution, explainStop(run, execution, 130));
  }
  const { overridden } = recordGate(run, execution, goal.result);
  addWarnings(execution, ...goal.warnings);
  if (goal.code === 0 || overridden) return finishExecution(run, execution, ended);
  if (goal.awaits !== undefined) {
    execution.review = { id: goal.awaits, decides: true };
    execution.errors.push({ code: 'goal_pending', message: `review ${goal.awaits} decides whether the goal was reached` });
  }
  return finishExecution(run, execution, explainStop(run, execution, goal.code));
}

/** Checks the output gate. Outputs that later executions of the phase may still write are advisory; the primary output never is. */
async function passOutputGate(run: RunContext, execution: Execution): Promise<boolean> {
  const { phase, skill } = execution;
  const primary = skill === noSkill ? [] : checkPrimaryOutput(run, execution);
  const outputs = await checkPhaseOutputs(run, execution);
  const isLast = execution.isLast();
  const advisory = [...(isLast ? [] : outputs), ...execution.checkOnwardHandoffs()].map(
    (check): GateCheck => ({ ...check, isAdvisory: true }),
  );
  const stale = outputs.filter(({ name, passed }) => name === 'stale_output' && !passed);
  if (isLast) addWarnings(execution, ...stale.map(({ message }): Warning => ({ code: 'stale_output', message })));
  return passGate(run, execution, 'output', [...primary, ...(isLast ? outputs : []), ...advisory], phase.gates.output.severity);
}
