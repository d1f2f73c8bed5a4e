import type { GoalSpec, Phase } from '../model/construct.ts';
import type { Artifact, Evidence, GateResult, Warning } from '../model/execution.ts';
import { gateWithout } from '../rules/gate/gate.ts';
import type { About } from './reviews.ts';
import type { Run } from './run-state.ts';

export interface GoalFacts {
  about: About;
  /** What the skill says that it was to reach. */
  goal: string | null;
  evidence: Evidence[];
  artifacts: Artifact[];
}

export interface GoalOutcome {
  result: GateResult;
  warnings: Warning[];
  /** 0 where it does not decide, or decides for it. */
  code: 0 | 4 | 83;
  /** The review that has to be waited for. */
  awaits?: string;
}

/** Gate 4: whether what was wanted was reached. It takes judgement, and by default is only noted. Undefined where the run was ended while
 *  it was asked for. */
export async function goalGate(run: Run, phase: Phase, facts: GoalFacts): Promise<GoalOutcome | undefined> {
  const spec = goalSpec(run, phase);
  const at = run.ground.now();
  const goal = facts.goal ?? run.request.intent ?? null;
  if (spec.mode === 'off') return { result: gateWithout(4, 'skipped', at), warnings: [], code: 0 };
  if (goal === null)
    return {
      result: gateWithout(4, 'skipped', at),
      warnings: [{ code: 'no_goal', message: 'nobody said what was to be reached' }],
      code: 0,
    };
  return (await import('./asking.ts')).askGoal(run, spec, goal, facts);
}

export const goalSpec = (run: Run, phase: Phase): GoalSpec => phase.goal ?? run.request.construct.goal;
