import type { Construct, PhaseSpec } from '../../model/construct.ts';
import { defaultRetryOn } from '../skill-contract.ts';
import { createSkillSpec, defaultCapture, defaultKillGraceMs, defaultTimeoutMs, isSafePathSegment, noGoal } from './conventions.ts';

/** Wraps one skill in a construct of its own, with the settings that the project's construct has for it. Capture and redaction settings
 *  apply to every skill of the project. */
export function createSkillConstruct(
  name: string,
  project: Construct | undefined,
  options: { retries?: number | undefined; outputs?: string[] | undefined },
): Construct {
  const declared = project?.skills.find((one) => one.name === name);
  const skill = declared ?? createSkillSpec(name);
  const phase: PhaseSpec = {
    name: 'skill',
    skills: [name],
    inputs: [],
    outputs: (options.outputs ?? []).map((path) => ({
      path,
      schema: null,
      required: true,
      min_completeness: null,
      required_sections: null,
    })),
    exitCodes: {},
    declaresExitCodes: false,
    gates: { precondition: openGate, execution: openGate, output: openGate },
    timeoutMs: defaultTimeoutMs,
    maxRetries: options.retries ?? 0,
    retryOn: defaultRetryOn,
    killGraceMs: defaultKillGraceMs,
  };
  // A lifecycle stage belongs to the whole construct, not to one of its skills.
  const { lifecycleStage: _, ...shared } =
    project && declared ? project : { ...defaults, ...(project ? { capture: project.capture, redaction: project.redaction } : {}) };
  return {
    ...shared,
    // {project} has the same value as in the construct that declares the skill.
    project: project?.name ?? (isSafePathSegment(name) ? name : 'skill'),
    file: '',
    sha256: '',
    name,
    phases: [phase],
    handoffs: [],
    skills: [{ ...skill, phase: 'skill' }],
  };
}

const openGate = { severity: 'block' as const, checks: [] };

const defaults: Omit<Construct, 'file' | 'sha256' | 'name' | 'phases' | 'handoffs' | 'skills'> = {
  version: '0.0.0',
  type: 'sequential',
  env: [],
  credentials: [],
  exitCodes: {},
  selection: 'heuristic',
  reviewersRequired: 1,
  capture: defaultCapture,
  goal: noGoal,
  redaction: { patterns: [], allow: [] },
};
