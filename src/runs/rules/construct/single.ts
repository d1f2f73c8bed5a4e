import type { Construct, Phase } from '../../model/construct.ts';
import { retriedByDefault } from '../exit-class.ts';
import { isSafeValue } from './variables.ts';

/** One skill as a construct of its own, with what the project's construct says of it, where it does. What is kept and what is hidden
 *  holds for every skill of the project. */
export function singleSkill(
  name: string,
  known: Construct | undefined,
  more: { retries?: number | undefined; outputs?: string[] | undefined },
): Construct {
  const declared = known?.skills.find((one) => one.name === name);
  const skill = declared ?? { name, required: true, shell: false, env: [], credentials: [] };
  const phase: Phase = {
    ...{ name: 'skill', skills: [name], inputs: [], exitCodes: {}, declaresExitCodes: false },
    outputs: (more.outputs ?? []).map((path) => ({ path, schema: null, required: true, min_completeness: null, required_sections: null })),
    gates: { precondition: open, execution: open, output: open },
    ...{ timeoutMs: 600_000, maxRetries: more.retries ?? 0, retryOn: retriedByDefault, killGraceMs: 1500 },
  };
  // The stage belongs to the construct as a whole.
  const { lifecycleStage: _, ...shared } =
    known && declared ? known : { ...plain, ...(known ? { capture: known.capture, redaction: known.redaction } : {}) };
  return {
    ...shared,
    // Paths mean the same as in the construct that knows the skill.
    project: known?.name ?? (isSafeValue(name) ? name : 'skill'),
    ...{ file: '', sha256: '', name, phases: [phase], handoffs: [], skills: [{ ...skill, phase: 'skill' }] },
  };
}

const open = { severity: 'block' as const, checks: [] };

const plain: Omit<Construct, 'file' | 'sha256' | 'name' | 'phases' | 'handoffs' | 'skills'> = {
  ...{ version: '0.0.0', type: 'sequential', env: [], credentials: [], exitCodes: {}, selection: 'heuristic', reviewersRequired: 1 },
  capture: { enabled: true, retentionDays: 30, inputs: 'hashed', outputs: 'summary' },
  goal: { mode: 'off', enforce: false, rubric: [] },
  redaction: { patterns: [], allow: [] },
};
