import type { GoalSpec } from '../model/construct.ts';
import type { GateResult, SkillEvidence } from '../model/execution.ts';
import { createCheck, createUncheckedGate, toGateResult } from '../rules/gate/gate.ts';
import type { Execution, GoalOutcome, NamedExecution } from './gates.ts';
import { askJudge, createExcerpt, type JudgeQuestion } from './judge.ts';
import { openReview } from './reviews.ts';
import type { RunContext } from './run-context.ts';

/** An execution with the evidence that its goal was reached. */
export interface JudgedExecution extends NamedExecution {
  evidence: SkillEvidence[];
  artifacts: { path: string; checksum: string }[];
}

/** Goal gate by judge, by review, or both. Undefined if the run was cancelled. */
export async function judgeGoal(
  run: RunContext,
  execution: JudgedExecution,
  spec: GoalSpec,
  goal: string,
): Promise<GoalOutcome | undefined> {
  const { judge } = run.request.construct;
  const severity = spec.enforce ? 'block' : 'warn';
  const requestReview = (reason: string, score: number | null): GoalOutcome => {
    const awaits = openReview(run, execution, { kind: 'goal', goal, reason, score });
    const result: GateResult = { ...createUncheckedGate('goal', 'pending', run.platform.now()), severity };
    const warnings = [{ code: 'review_opened', message: `${awaits}: ${reason}` }];
    return { result, warnings, ...(spec.enforce ? { code: 83, awaits } : { code: 0 }) };
  };
  if (spec.mode === 'review') return requestReview('the manifest asks for a review', null);
  if (!judge) return requestReview('no judge is configured', null);

  const question: JudgeQuestion = {
    kind: 'goal',
    skill: execution.skill.name,
    goal,
    rubric: spec.rubric,
    evidence: execution.evidence,
    artifacts: execution.artifacts.map(({ path, checksum }) => createExcerpt(run, path, checksum)),
    candidates: [],
  };
  const answer = await askJudge(run, execution, judge, question);
  if (run.signal.aborted) return undefined;
  if ('problem' in answer) return requestReview(answer.problem, null);
  if (answer.outcome === 'review') return requestReview(answer.reason, answer.score);
  if (spec.mode === 'judge_then_review')
    openReview(run, execution, { kind: 'goal', goal, reason: 'the manifest asks for a review after the judge', score: answer.score });
  const isPassed = answer.outcome === 'pass';
  const check = createCheck('judge', isPassed, answer.reason, { expected: judge.minScore, actual: answer.score });
  return {
    result: toGateResult('goal', [check], severity, run.platform.now()),
    warnings: [],
    code: isPassed || !spec.enforce ? 0 : 4,
  };
}

/** Selection gate by judge or review: whether another skill fits the intent better. */
export async function judgeSelection(run: RunContext, execution: Execution, intent: string): Promise<GateResult> {
  const { platform } = run;
  const { judge, selection } = run.request.construct;
  const candidates = (await platform.listSkills()).map(({ name, description }) => ({ name, description }));
  const question: JudgeQuestion = {
    kind: 'selection',
    skill: execution.skill.name,
    goal: intent,
    rubric: [],
    evidence: [],
    artifacts: [],
    candidates,
  };
  const answer =
    selection === 'judge' && judge
      ? await askJudge(run, execution, judge, question)
      : { problem: 'the manifest asks for a review of the skill selection' };
  // A cancelled run opens no review.
  if (run.signal.aborted) return createUncheckedGate('selection', 'not_reached', platform.now());
  if ('problem' in answer || answer.outcome === 'review') {
    const [reason, score] = 'problem' in answer ? [answer.problem, null] : [answer.reason, answer.score];
    openReview(run, execution, { kind: 'selection', goal: intent, reason, score });
    return { ...createUncheckedGate('selection', 'pending', platform.now()), severity: 'warn' };
  }
  const check = createCheck('judge', answer.outcome === 'pass', answer.reason, { expected: judge?.minScore, actual: answer.score });
  return toGateResult('selection', [check], 'warn', platform.now());
}
