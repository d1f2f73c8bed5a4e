import type { Phase, SkillSpec } from '../model/construct.ts';
import type { PhaseHandoff } from '../model/execution.ts';
import type { Judged } from '../rules/gate/gate.ts';
import type { Around, Executed } from './draft.ts';
import { execute, noSkill } from './execution.ts';
import { handoffCheck, handoffOf } from './preconditions.ts';
import type { Run } from './run-state.ts';
import { treeWatch } from './tree-watch.ts';

export interface PhaseOutcome {
  /** In the order in which they are declared, whichever ended first. */
  executed: { phase: string; skill: string; outcome: Executed }[];
  handoffs: PhaseHandoff[];
}

/** The skills of one phase, one after the other or side by side. */
export async function onePhase(run: Run, phase: Phase): Promise<PhaseOutcome> {
  const skills = skillsOf(run, phase);
  const done = new Map<string, Executed>();
  const reached = new Set<string>();
  const scene = sceneOf(run, phase, (skill) => {
    reached.add(skill.name);
    return isLast(run, skills, skill, (other) => reached.has(other) || done.has(other));
  });
  const one = async (skill: SkillSpec, within: Run): Promise<Executed> => {
    const outcome = await execute(within, phase, skill, () => scene.enter(skill));
    done.set(skill.name, outcome);
    return outcome;
  };
  if (run.request.construct.type === 'parallel') await sideBySide(run, skills, one);
  else
    for (const skill of skills) {
      const { meaning } = await one(skill, run);
      if (meaning.class !== 'success' || run.signal.aborted) break;
    }
  const handoffs = scene.leave();
  const executed = skills.flatMap(({ name }) => {
    const outcome = done.get(name);
    return outcome ? [{ phase: phase.name, skill: name, outcome }] : [];
  });
  return { executed, handoffs };
}

/** What all executions of a phase share. It is entered with the first that is run: what is only looked up again has been there. */
function sceneOf(run: Run, phase: Phase, isLastSkill: (skill: SkillSpec) => boolean) {
  const { construct, phases: wanted } = run.request;
  const incoming = construct.handoffs.filter(({ to }) => to === phase.name);
  const onward = (): Judged[] =>
    construct.handoffs
      .filter(({ from }) => from === phase.name)
      .map((spec) => {
        // What others of the phase have written meanwhile is no change behind anybody's back.
        const handoff = handoffOf({ ...run, left: new Map() }, spec);
        // Also of what was there before, and was not made by anybody here: from now on it stays as it is.
        for (const { path, checksum } of handoff.artifacts.provided) run.left.set(path, checksum);
        return handoffCheck(handoff);
      });
  const touched = new Set<string>();
  const tree = treeWatch(run.ground);
  let entered: Pick<Around, 'handoffs' | 'deadlineAt'> | undefined;
  return {
    enter(skill: SkillSpec): Around {
      if (!entered) {
        run.tell('execution_progress', { kind: 'phase_entered' }, { phase: phase.name });
        const handoffs = incoming.map((spec) => attempted(run, handoffOf(run, spec)));
        entered = { handoffs, ...(phase.deadlineMs === undefined ? {} : { deadlineAt: run.ground.monotonicMs() + phase.deadlineMs }) };
      }
      return { ...entered, onward, touched, tree, isLast: () => isLastSkill(skill) };
    },
    leave(): PhaseHandoff[] {
      if (!entered) return wanted.includes(phase.name) ? incoming.flatMap(({ from, to }) => keptHandoff(run, from, to)) : [];
      run.tell('execution_progress', { kind: 'phase_exited' }, { phase: phase.name });
      return entered.handoffs;
    },
  };
}

/** Nobody comes after it who makes anything: one that need not be there, and is not, makes nothing. */
function isLast(run: Run, skills: SkillSpec[], skill: SkillSpec, isMade: (skill: string) => boolean): boolean {
  const others = skills.filter(({ name }) => name !== skill.name);
  if (run.request.construct.type === 'parallel') return others.every(({ name }) => isMade(name));
  return skills.slice(skills.indexOf(skill) + 1).every(({ name, path, required, run: argv }) => {
    return !required && argv === undefined && !run.ground.hasSkill(name, path);
  });
}

/** As many at a time as may be. None of them is given what another one printed: which of them ends first is chance. Where one cannot be
 *  told of any more, the others are ended: they would go on unseen. */
async function sideBySide(run: Run, skills: SkillSpec[], one: (skill: SkillSpec, within: Run) => Promise<Executed>): Promise<void> {
  const most = run.request.construct.maxConcurrency ?? Math.min(4, run.ground.cpus);
  const failed = new AbortController();
  const signal = AbortSignal.any([run.signal, failed.signal]);
  const all = skills.map((skill) => {
    const within: Run = { ...run, signal, primaries: { ...run.primaries }, printed: new Map(run.printed) };
    return { skill, within };
  });
  const waiting = [...all];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
      await one(next.skill, next.within).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
  };
  await Promise.allSettled(Array.from({ length: Math.min(most, skills.length) }, worker));
  if (failed.signal.aborted) throw failed.signal.reason;
  for (const { skill, within } of all) {
    const log = within.printed.get(skill.name);
    if (log) run.printed.set(skill.name, log);
    if (skill.name in within.primaries) run.primaries[skill.name] = within.primaries[skill.name];
  }
}

/** A phase without a skill has its gates all the same. */
function skillsOf(run: Run, phase: Phase): SkillSpec[] {
  const known = phase.skills.map((name) => run.request.construct.skills.find((one) => one.name === name) ?? { ...noSkill, name });
  return known.length > 0 ? known : [noSkill];
}

function attempted(run: Run, handoff: PhaseHandoff): PhaseHandoff {
  const { ground, record, redactor } = run;
  const { from_phase, to_phase, accepted, rejection_reason, remediation, artifacts, validation } = handoff;
  if (run.request.construct.capture.enabled)
    ground.runs.write(record.run_id, handoffFile(from_phase, to_phase), `${JSON.stringify(redactor.value(handoff))}\n`, 'soon');
  run.tell(
    'handoff_attempted',
    {
      ...{ from_phase, to_phase, accepted, rejection_reason, remediation },
      artifacts_provided: artifacts.provided.map(({ path, checksum, completeness }) => ({ path, checksum, completeness })),
      validation_result: validation,
    },
    { phase: to_phase },
  );
  return handoff;
}

const handoffFile = (from: string, to: string): string => `handoffs/${from}__${to}.json`;

/** What was handed to a phase that an earlier part of the run went through. */
function keptHandoff({ ground, record }: Run, from: string, to: string): PhaseHandoff[] {
  try {
    const text = ground.runs.read(record.run_id, handoffFile(from, to));
    return text === undefined ? [] : [JSON.parse(text) as PhaseHandoff];
  } catch {
    return [];
  }
}
