import { canonical } from '#lib/canonical.ts';
import type { Phase, SkillSpec } from '../model/construct.ts';
import type { RunRecord } from '../model/trace.ts';
import { meaningOf } from '../rules/exit-class.ts';
import { heldOutputs, runOf } from '../rules/held-outputs.ts';
import { primaryOf } from '../rules/primary.ts';
import { aboutOf, type Draft, type Executed, executionId, skipGates } from './draft.ts';
import { resultOf } from './result.ts';
import { type Run, skillDigest, varsOf } from './run-state.ts';

type Entry = RunRecord['executions'][number];

/** Everything that decides what a skill would do: the same again is not worth doing twice. What others printed counts by what is kept
 *  of it, which a resume still has. Keyed, so that what little was put in cannot be guessed from it. */
export function inputsHash({ run, phase }: Draft): string {
  const vars = varsOf(run, phase.name);
  const files = phase.inputs.flatMap((spec) => run.lookout.find(spec, vars).files.map(({ path, sha256 }) => [path, sha256]));
  const { inputs, intent } = run.request;
  const printed = [...run.printed].map(([name, log]) => [name, run.ground.hash(log() ?? '')]);
  return run.ground.mac(canonical({ inputs, printed, intent: intent ?? null, files }));
}

export interface Reusable {
  entry: Entry;
  /** What it left, as it is now. */
  outputs: { path: string; sha256: string }[];
}

/** What was done before and would come out the same: of the run that is gone on with, as long as nothing had to be done again; or,
 *  where that is asked for, of any. */
export const reusable = (draft: Draft): Reusable | undefined =>
  standing(draft, [...ofThisRun(draft), ...draft.run.request.reusable], ({ status }) => status === 'success');

/** What this run has done, as long as nothing of it had to be done again. */
export function ofThisRun({ run, phase }: Draft): Entry[] {
  const { resume, construct } = run.request;
  const { from } = run.departed;
  const goesOn = from === undefined || (construct.type === 'parallel' && from === phase.name);
  return goesOn ? (resume?.executions ?? []) : [];
}

/** The first that is meant and is as it was. */
export function standing(draft: Draft, all: Entry[], isMeant: (one: Entry) => boolean): Reusable | undefined {
  for (const entry of all.filter(isMeant)) {
    const outputs = heldOutputs(entry, all);
    if (isUnchanged(draft, entry, outputs)) return { entry, outputs };
  }
  return undefined;
}

function isUnchanged({ run, phase, skill, found, inputsHash: hash }: Draft, one: Entry, outputs: Reusable['outputs']): boolean {
  const { ground } = run;
  if (one.phase !== phase.name || one.skill !== skill.name) return false;
  if (one.skill_sha256 !== skillDigest(run, skill, found) || one.inputs_sha256 !== hash) return false;
  if (one.attempts > 0 && logBy(run, one) === undefined) return false;
  return outputs.every(({ path, sha256 }) => ground.at(path)?.kind === 'file' && ground.digest(path) === sha256);
}

const logBy = (run: Run, one: Entry): string | undefined => logOf(run, runOf(one), one.phase, one.skill, one.attempts);

export const logOf = ({ ground }: Run, runId: string, phase: string, skill: string, attempt: number): string | undefined =>
  ground.runs.read(runId, `${phase}/${skill}/${attempt}/stdout.log`);

/** What others need of it is there as if it had just been done. */
export function recall({ run, skill, around }: Draft, { entry: known, outputs }: Reusable): void {
  const log = known.attempts > 0 ? logBy(run, known) : undefined;
  if (log !== undefined) {
    run.primaries[skill.name] = primaryOf(new TextEncoder().encode(log));
    run.printed.set(skill.name, () => log);
  }
  for (const { path, sha256 } of outputs) run.left.set(path, sha256);
  for (const { path } of known.outputs) around.touched.add(path);
}

export function reused(draft: Draft, done: Reusable): Executed {
  const { run, skill } = draft;
  const { entry: known } = done;
  recall(draft, done);
  const note = `${skill.name} is not run again: nothing it depends on has changed`;
  run.tell('execution_progress', { kind: 'note', note }, aboutOf(draft));
  const others = run.record.executions.filter(({ phase, skill: name }) => phase !== known.phase || name !== known.skill);
  const at = run.record.executions.findIndex(({ phase, skill: name }) => phase === known.phase && name === known.skill);
  run.record.executions = at < 0 ? [...others, known] : others.toSpliced(at, 0, known);
  run.save();
  skipGates(draft, 0, 1, 2, 3, 4);
  draft.isSkipped = true;
  draft.tree.artifacts = [];
  return { result: resultOf(draft, meaningOf(0)), meaning: meaningOf(0), attempts: 0, isSkipped: true, isCancelled: false };
}

/** From here on everything is done again: what the record still says of it is no longer true. */
export function depart(run: Run, phase: Phase, skill: SkillSpec): void {
  if (run.departed.from !== undefined) return;
  run.departed.from = phase.name;
  const { construct } = run.request;
  const order = construct.phases.flatMap(({ name, skills }) => skills.map((one) => executionId(run, name, one)));
  const place = order.indexOf(executionId(run, phase.name, skill.name));
  const isKept = ({ phase: its, execution_id }: Entry): boolean =>
    construct.type === 'parallel' && its === phase.name ? true : place >= 0 && order.indexOf(execution_id) < place;
  if (run.request.resume) run.record.executions = run.record.executions.filter(isKept);
}
