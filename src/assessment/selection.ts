import type { GateResult } from '../model/execution.ts';
import { gateOf, gateWithout } from '../rules/gate/gate.ts';
import { selectionChecks } from '../rules/gate/selection.ts';
import type { Run } from './run-state.ts';

/** Gate 0: whether it is the right skill for what was asked. By the words alone it is a guess, and never stops anything. */
export async function selectionGate(run: Run, skill: string, at: string): Promise<GateResult> {
  const { construct, intent, isNamed } = run.request;
  if (intent === undefined || construct.selection === 'off') return gateWithout(0, 'skipped', at);
  if (construct.selection !== 'heuristic') return judgedSelection(run, skill, intent, at);
  return gateOf(0, selectionChecks(intent, skill, await run.ground.skills(), isNamed), 'warn', at);
}

async function judgedSelection(run: Run, skill: string, intent: string, at: string): Promise<GateResult> {
  const { selectionByJudge } = await import('./goal.ts');
  return selectionByJudge(run, skill, intent, at);
}
