import type { GoalSpec, Phase } from '../model/construct.ts';
import type { Artifact, Evidence, GateResult, Warning } from '../model/execution.ts';
import type { ReviewEvent } from '../model/judge.ts';
import { check, gateOf, gateWithout } from '../rules/gate/gate.ts';
import { askJudge, excerpt, type Question } from './judge.ts';
import type { Run } from './run-state.ts';

export interface GoalFacts {
  id: string;
  skill: string;
  goal: string | null;
  evidence: Evidence[];
  artifacts: Artifact[];
  isReviewRequested: boolean;
}

export interface GoalOutcome {
  result: GateResult;
  warnings: Warning[];
  /** 0 where it does not decide, or decides for it. */
  code: 0 | 4 | 83;
}

/** Gate 4: whether what was wanted was reached. It takes judgement, and by default is only noted. */
export async function goalGate(run: Run, phase: Phase, facts: GoalFacts): Promise<GoalOutcome> {
  const spec = phase.goal ?? run.request.construct.goal;
  const at = run.ground.now();
  const goal = facts.goal ?? run.request.intent ?? null;
  const about = { execution_id: facts.id, phase: phase.name, skill: facts.skill };
  if (facts.isReviewRequested) openReview(run, about, 'requested', goal, 'the skill asked for it', null);
  if (spec.mode === 'off') return { result: gateWithout(4, 'skipped', at), warnings: [], code: 0 };
  if (goal === null)
    return {
      result: gateWithout(4, 'skipped', at),
      warnings: [{ code: 'no_goal', message: 'nobody said what was to be reached' }],
      code: 0,
    };
  if (spec.mode === 'review') return pending(run, spec, about, goal, 'a person is to judge it', null);
  return judged(run, spec, about, goal, facts);
}

interface About {
  execution_id: string;
  phase: string;
  skill: string;
}

async function judged(run: Run, spec: GoalSpec, about: About, goal: string, facts: GoalFacts): Promise<GoalOutcome> {
  const { judge } = run.request.construct;
  if (!judge) return pending(run, spec, about, goal, 'there is no judge', null);
  const question: Question = {
    ...{ kind: 'goal', skill: about.skill, goal, rubric: spec.rubric, evidence: facts.evidence, candidates: [] },
    artifacts: facts.artifacts.map(({ path, checksum }) => excerpt(run, path, checksum)),
  };
  const said = await askJudge(run, judge, question, about);
  if ('problem' in said) return pending(run, spec, about, goal, said.problem, null);
  if (said.outcome === 'review') return pending(run, spec, about, goal, said.reason, said.score);
  if (spec.mode === 'judge_then_review') openReview(run, about, 'goal', goal, 'a person is to judge it as well', said.score);
  const isPass = said.outcome === 'pass';
  const evidence = { expected: judge.minScore, actual: said.score };
  const result = gateOf(4, [check('judge', isPass, said.reason, evidence)], spec.enforce ? 'block' : 'warn', run.ground.now());
  return { result, warnings: [], code: isPass || !spec.enforce ? 0 : 4 };
}

function pending(run: Run, spec: GoalSpec, about: About, goal: string, reason: string, score: number | null): GoalOutcome {
  openReview(run, about, 'goal', goal, reason, score);
  const result: GateResult = { ...gateWithout(4, 'pending', run.ground.now()), severity: spec.enforce ? 'block' : 'warn' };
  return { result, warnings: [{ code: 'review_opened', message: reason }], code: spec.enforce ? 83 : 0 };
}

/** One review for one question of one execution, however often it is asked. */
function openReview(
  run: Run,
  about: About,
  kind: NonNullable<ReviewEvent['kind']>,
  goal: string | null,
  reason: string,
  score: number | null,
): void {
  const { ground, record, request, redactor } = run;
  const id = `rv-${ground.hash(`${about.execution_id}:${kind}`).slice(0, 10)}`;
  if (ground.reviews.read().some(({ review_id }) => review_id === id)) return;
  const event: ReviewEvent = {
    ...{ event: 'review_requested', review_id: id, at: ground.now(), by: 'runner', run_id: record.run_id, ...about, kind, goal, reason },
    ...{ reviewers_required: request.construct.reviewersRequired, judge_score: score },
  };
  ground.reviews.append(redactor.value(event) as ReviewEvent);
  run.tell('review_requested', { review_id: id, kind, reason }, about);
}

/** Gate 0 by judgement: which skill a judge, or a person, would have chosen. */
export async function selectionByJudge(run: Run, skill: string, intent: string, at: string): Promise<GateResult> {
  const { judge, selection } = run.request.construct;
  const about = { execution_id: `${run.record.run_id}:selection:${skill}`, phase: 'selection', skill };
  const candidates = (await run.ground.skills()).map(({ name, description }) => ({ name, description }));
  const said =
    selection === 'judge' && judge
      ? await askJudge(run, judge, { kind: 'selection', skill, goal: intent, rubric: [], evidence: [], artifacts: [], candidates }, about)
      : { problem: 'a person is to say whether it is the right skill' };
  if ('problem' in said || said.outcome === 'review') {
    openReview(run, about, 'selection', intent, 'problem' in said ? said.problem : said.reason, 'problem' in said ? null : said.score);
    return { ...gateWithout(0, 'pending', at), severity: 'warn' };
  }
  return gateOf(0, [check('judge', said.outcome === 'pass', said.reason, { expected: judge?.minScore, actual: said.score })], 'warn', at);
}
