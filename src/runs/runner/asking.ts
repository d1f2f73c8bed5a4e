import type { GoalSpec } from '../model/construct.ts';
import type { GateResult } from '../model/execution.ts';
import { check, gateOf, gateWithout } from '../rules/gate/gate.ts';
import type { GoalFacts, GoalOutcome } from './goal.ts';
import { askJudge, excerpt, type Question } from './judge.ts';
import { type About, openReview } from './reviews.ts';
import type { Run } from './run-state.ts';

/** A judge, a person, or both. Undefined where the run was ended meanwhile. */
export async function askGoal(run: Run, spec: GoalSpec, goal: string, facts: GoalFacts): Promise<GoalOutcome | undefined> {
  const { about } = facts;
  if (spec.mode === 'review') return pending(run, spec, about, goal, 'a person is to judge it', null);
  const { judge } = run.request.construct;
  if (!judge) return pending(run, spec, about, goal, 'there is no judge', null);
  const question: Question = {
    ...{ kind: 'goal', skill: about.skill, goal, rubric: spec.rubric, evidence: facts.evidence, candidates: [] },
    artifacts: facts.artifacts.map(({ path, checksum }) => excerpt(run, path, checksum)),
  };
  const said = await askJudge(run, judge, question, { ...about });
  if (run.signal.aborted) return undefined;
  if ('problem' in said) return pending(run, spec, about, goal, said.problem, null);
  if (said.outcome === 'review') return pending(run, spec, about, goal, said.reason, said.score);
  if (spec.mode === 'judge_then_review')
    openReview(run, about, { kind: 'goal', goal, reason: 'a person is to judge it as well', score: said.score });
  const isPass = said.outcome === 'pass';
  const evidence = { expected: judge.minScore, actual: said.score };
  const result = gateOf(4, [check('judge', isPass, said.reason, evidence)], spec.enforce ? 'block' : 'warn', run.ground.now());
  return { result, warnings: [], code: isPass || !spec.enforce ? 0 : 4 };
}

function pending(run: Run, spec: GoalSpec, about: About, goal: string, reason: string, score: number | null): GoalOutcome {
  const awaits = openReview(run, about, { kind: 'goal', goal, reason, score });
  const result: GateResult = { ...gateWithout(4, 'pending', run.ground.now()), severity: spec.enforce ? 'block' : 'warn' };
  const warnings = [{ code: 'review_opened', message: `${awaits}: ${reason}` }];
  return { result, warnings, ...(spec.enforce ? { code: 83, awaits } : { code: 0 }) };
}

/** Gate 0 by judgement: which skill a judge, or a person, would have chosen. */
export async function selectionByJudge(run: Run, about: About, intent: string): Promise<GateResult> {
  const { judge, selection } = run.request.construct;
  const candidates = (await run.ground.skills()).map(({ name, description }) => ({ name, description }));
  const question: Question = {
    ...{ kind: 'selection', skill: about.skill, goal: intent, rubric: [], evidence: [], artifacts: [], candidates },
  };
  const said =
    selection === 'judge' && judge
      ? await askJudge(run, judge, question, { ...about })
      : { problem: 'a person is to say whether it is the right skill' };
  // What nobody waited for an answer to is no question for people.
  if (run.signal.aborted) return gateWithout(0, 'not_reached', run.ground.now());
  if ('problem' in said || said.outcome === 'review') {
    const [reason, score] = 'problem' in said ? [said.problem, null] : [said.reason, said.score];
    openReview(run, about, { kind: 'selection', goal: intent, reason, score });
    return { ...gateWithout(0, 'pending', run.ground.now()), severity: 'warn' };
  }
  const evidence = { expected: judge?.minScore, actual: said.score };
  return gateOf(0, [check('judge', said.outcome === 'pass', said.reason, evidence)], 'warn', run.ground.now());
}
