import { runGateNames } from '../model/execution.ts';
import type { RunRecord } from '../model/trace.ts';
import { getRunId, listExpectedOutputs } from '../rules/expected-outputs.ts';
import { explainExit, parsePrimary } from '../rules/skill-contract.ts';
import { createResult, readStdoutLog } from './execution.ts';
import { type Execution, type ExecutionOutcome, getExecutionId, getSubject, hashSkill, skipGates, toOutcome } from './gates.ts';
import type { RunContext } from './run-context.ts';

type Checkpoint = RunRecord['executions'][number];

interface ReusableExecution {
  checkpoint: Checkpoint;
  /** Its outputs with the hashes that the files must still have. */
  outputs: { path: string; sha256: string }[];
}

/** Reuses the result of an earlier execution if nothing it depends on has changed: of the resumed run until the first execution that has
 *  to run again, or, with --cached, of any run. Undefined if the skill has to run. */
export async function reuseResult(run: RunContext, execution: Execution): Promise<ExecutionOutcome | undefined> {
  const earlier = listEarlierExecutions(run, execution);
  const known = findUnchanged(run, execution, [...earlier, ...run.request.reusable], ({ status }) => status === 'success');
  if (known) return applyReuse(run, execution, known);
  if (earlier.some(({ review }) => review !== undefined)) {
    const finished = (await import('./pending-review.ts')).finishFromReview(run, execution, earlier);
    if (finished) return finished;
  }
  startRerun(run, execution);
  return undefined;
}

/** The executions of the resumed run, as long as none of them had to run again. */
function listEarlierExecutions({ request, rerun }: RunContext, { phase }: Execution): Checkpoint[] {
  const isValid = rerun.phase === undefined || (request.construct.type === 'parallel' && rerun.phase === phase.name);
  return isValid ? (request.resume?.executions ?? []) : [];
}

/** Finds the first checkpoint that is accepted and whose skill, inputs and outputs are unchanged. */
export function findUnchanged(
  run: RunContext,
  execution: Execution,
  all: Checkpoint[],
  isAccepted: (checkpoint: Checkpoint) => boolean,
): ReusableExecution | undefined {
  for (const checkpoint of all.filter(isAccepted)) {
    const outputs = listExpectedOutputs(checkpoint, all);
    if (isUnchanged(run, execution, checkpoint, outputs)) return { checkpoint, outputs };
  }
  return undefined;
}

function isUnchanged(run: RunContext, execution: Execution, checkpoint: Checkpoint, outputs: ReusableExecution['outputs']): boolean {
  const { platform } = run;
  const { phase, skill, inputsHash } = execution;
  if (checkpoint.phase !== phase.name || checkpoint.skill !== skill.name) return false;
  if (checkpoint.skill_sha256 !== hashSkill(run, execution) || checkpoint.inputs_sha256 !== inputsHash) return false;
  if (checkpoint.attempts > 0 && readStdout(run, checkpoint) === undefined) return false;
  return outputs.every(({ path, sha256 }) => platform.statFile(path)?.kind === 'file' && platform.hashFile(path) === sha256);
}

const readStdout = (run: RunContext, checkpoint: Checkpoint): string | undefined =>
  readStdoutLog(run, getRunId(checkpoint), checkpoint.phase, checkpoint.skill, checkpoint.attempts);

/** Restores the primary output and the artifact hashes, as if the skill had just run. */
export function restoreOutputs(run: RunContext, { skill }: Execution, { checkpoint, outputs }: ReusableExecution): void {
  const text = checkpoint.attempts > 0 ? readStdout(run, checkpoint) : undefined;
  if (text !== undefined) {
    run.primaries[skill.name] = parsePrimary(new TextEncoder().encode(text));
    run.printed.set(skill.name, () => text);
  }
  for (const { path, sha256 } of outputs) run.artifactHashes.set(path, sha256);
}

function applyReuse(run: RunContext, execution: Execution, reused: ReusableExecution): ExecutionOutcome {
  const { checkpoint } = reused;
  restoreOutputs(run, execution, reused);
  const note = `${execution.skill.name} is not run again: nothing it depends on has changed`;
  run.emit('execution_progress', { kind: 'note', note }, getSubject(execution));
  const isSame = ({ phase, skill }: Checkpoint): boolean => phase === checkpoint.phase && skill === checkpoint.skill;
  const { executions } = run.record;
  const at = executions.findIndex(isSame);
  const others = executions.filter((one) => !isSame(one));
  run.record.executions = at < 0 ? [...others, checkpoint] : others.toSpliced(at, 0, checkpoint);
  run.save();
  skipGates(run, execution, ...runGateNames);
  execution.isSkipped = true;
  const success = explainExit(0);
  return { ...toOutcome(execution, createResult(run, execution, success), success), reusedOutputs: reused.outputs.map(({ path }) => path) };
}

/** Marks the phase from which the resumed run runs skills again, and drops later checkpoints, which are no longer valid. */
function startRerun(run: RunContext, { id, phase }: Execution): void {
  if (run.rerun.phase !== undefined) return;
  run.rerun.phase = phase.name;
  const { construct, resume } = run.request;
  if (!resume) return;
  const order = construct.phases.flatMap(({ name, skills }) => skills.map((skill) => getExecutionId(run, name, skill)));
  const position = order.indexOf(id);
  run.record.executions = run.record.executions.filter((checkpoint) =>
    construct.type === 'parallel' && checkpoint.phase === phase.name
      ? true
      : position >= 0 && order.indexOf(checkpoint.execution_id) < position,
  );
}
