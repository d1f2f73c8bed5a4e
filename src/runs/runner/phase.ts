import type { PhaseSpec, SkillSpec } from '../model/construct.ts';
import type { PhaseHandoff } from '../model/execution.ts';
import { executeSkill } from './execution.ts';
import { type Execution, type ExecutionOutcome, noSkill } from './execution-state.ts';
import { createFileChangeTracker } from './file-change-tracker.ts';
import { checkHandoff } from './gates.ts';
import type { RunContext } from './run-context.ts';

export interface PhaseOutcome {
  /** In the order of declaration. */
  executed: { phase: string; skill: string; outcome: ExecutionOutcome }[];
  handoffs: PhaseHandoff[];
}

/** Runs the skills of one phase, one after the other or in parallel. */
export async function runPhase(run: RunContext, phase: PhaseSpec): Promise<PhaseOutcome> {
  const skills = listSkills(run, phase);
  const outcomes = new Map<string, ExecutionOutcome>();
  const { enter, leave } = await createPhaseHooks(run, phase, skills, outcomes);
  const execute = async (skill: SkillSpec, context: RunContext): Promise<ExecutionOutcome> => {
    const outcome = await executeSkill(context, phase, skill, enter);
    outcomes.set(skill.name, outcome);
    return outcome;
  };
  if (run.request.construct.type === 'parallel') await runParallel(run, skills, execute);
  else
    for (const skill of skills) {
      const { meaning } = await execute(skill, run);
      if (meaning.class !== 'success' || run.signal.aborted) break;
    }
  const handoffs = leave();
  const executed = skills.flatMap(({ name }) => {
    const outcome = outcomes.get(name);
    return outcome ? [{ phase: phase.name, skill: name, outcome }] : [];
  });
  return { executed, handoffs };
}

/** `enter` gives an execution the state that all executions of the phase share. The phase is entered with the first execution that runs;
 *  a reused execution does not enter it. */
async function createPhaseHooks(run: RunContext, phase: PhaseSpec, skills: SkillSpec[], outcomes: Map<string, ExecutionOutcome>) {
  const { platform, request } = run;
  const all = request.construct.handoffs.filter(({ from, to }) => from === phase.name || to === phase.name);
  const handoffModule = all.length > 0 ? await import('./handoffs.ts') : undefined;
  const incoming = all.filter(({ to }) => to === phase.name);
  const outgoing = all.filter(({ from }) => from === phase.name);
  const tracker = createFileChangeTracker(platform);
  const written = new Set<string>();
  const reached = new Set<string>();
  let entered: Pick<Execution, 'handoffs' | 'deadlineAt'> | undefined;
  return {
    enter(execution: Execution): void {
      const { skill } = execution;
      if (!entered) {
        run.emit('execution_progress', { kind: 'phase_entered' }, { phase: phase.name });
        const handoffs = incoming.map((spec) => handoffModule!.receiveHandoff(run, spec));
        entered = { handoffs, ...(phase.deadlineMs === undefined ? {} : { deadlineAt: platform.monotonicMs() + phase.deadlineMs }) };
      }
      Object.assign(execution, entered, {
        written,
        tracker,
        isLast: () => {
          reached.add(skill.name);
          return isLastSkill(run, skills, skill, (other) => reached.has(other) || outcomes.has(other));
        },
        checkOnwardHandoffs: () =>
          outgoing.map((spec) => {
            // No hashes: changes by other executions of the phase are expected.
            const handoff = handoffModule!.createHandoff(run, spec, new Map());
            // From now on artifacts must not change, even those that existed before the run.
            for (const { path, checksum } of handoff.artifacts.provided) run.artifactHashes.set(path, checksum);
            return checkHandoff(handoff);
          }),
      } satisfies Partial<Execution>);
    },
    leave(): PhaseHandoff[] {
      if (!entered) return incoming.flatMap((spec) => handoffModule!.readStoredHandoff(run, spec));
      run.emit('execution_progress', { kind: 'phase_exited' }, { phase: phase.name });
      return entered.handoffs;
    },
  };
}

/** True if no other skill of the phase is still to come. An optional skill that does not exist does not count. */
function isLastSkill(run: RunContext, skills: SkillSpec[], skill: SkillSpec, isDone: (skill: string) => boolean): boolean {
  if (run.request.construct.type === 'parallel') return skills.every(({ name }) => name === skill.name || isDone(name));
  return skills.slice(skills.indexOf(skill) + 1).every(({ name, path, required, run: argv }) => {
    return !required && argv === undefined && !run.platform.hasSkill(name, path);
  });
}

/** Runs skills in parallel, at most `maxConcurrency` at a time. No skill receives the output of another, because the order in which they
 *  end is random. If one fails with an error of the runner, the others are aborted. */
async function runParallel(
  run: RunContext,
  skills: SkillSpec[],
  execute: (skill: SkillSpec, context: RunContext) => Promise<ExecutionOutcome>,
): Promise<void> {
  const maxConcurrency = run.request.construct.maxConcurrency ?? Math.min(4, run.platform.cpuCount);
  const failed = new AbortController();
  const signal = AbortSignal.any([run.signal, failed.signal]);
  const all = skills.map((skill) => {
    const context: RunContext = { ...run, signal, primaries: { ...run.primaries }, printed: new Map(run.printed) };
    return { skill, context };
  });
  const queue = [...all];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift())
      await execute(next.skill, next.context).catch((error: unknown) => {
        failed.abort(error);
        throw error;
      });
  };
  await Promise.allSettled(Array.from({ length: Math.min(maxConcurrency, skills.length) }, work));
  if (failed.signal.aborted) throw failed.signal.reason;
  for (const { skill, context } of all) {
    const log = context.printed.get(skill.name);
    if (log) run.printed.set(skill.name, log);
    if (skill.name in context.primaries) run.primaries[skill.name] = context.primaries[skill.name];
  }
}

/** The skills of a phase, or `noSkill` so that the gates of a phase without skills are checked. */
function listSkills({ request }: RunContext, phase: PhaseSpec): SkillSpec[] {
  const skills = phase.skills.map((name) => request.construct.skills.find((skill) => skill.name === name) ?? { ...noSkill, name });
  return skills.length > 0 ? skills : [noSkill];
}
