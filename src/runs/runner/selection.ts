import type { GateResult } from '../model/execution.ts';
import { gateOf, gateWithout } from '../rules/gate/gate.ts';
import { selectionChecks } from '../rules/gate/selection.ts';
import type { About } from './reviews.ts';
import type { Run } from './run-state.ts';

/** Gate 0: whether it is the right skill for what was asked. By the words alone it is a guess, and never stops anything. */
export async function selectionGate(run: Run, about: About): Promise<GateResult> {
  const { construct, intent, isNamed } = run.request;
  const { ground } = run;
  if (intent === undefined || construct.selection === 'off') return gateWithout(0, 'skipped', ground.now());
  if (construct.selection !== 'heuristic') return (await import('./asking.ts')).selectionByJudge(run, about, intent);
  return gateOf(0, selectionChecks(intent, about.skill, await ground.skills(), isNamed), 'warn', ground.now());
}
