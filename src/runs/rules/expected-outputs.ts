import type { RunRecord } from '../model/trace.ts';

type Entry = RunRecord['executions'][number];

/** The files that must be unchanged for an execution to be reused. A file that several parallel skills may have written must be as the last
 *  of them left it; it is not checked while one of those skills still has to run again. */
export function listExpectedOutputs(one: Entry, all: Entry[]): { path: string; sha256: string }[] {
  return one.outputs.flatMap(({ path, sha256, shared_with: others }) => {
    if (!others) return [{ path, sha256 }];
    const parallel = all.filter((other) => isSamePhase(one, other) && others.includes(other.skill));
    if (!others.every((name) => parallel.some(({ skill, status }) => skill === name && status === 'success'))) return [];
    const finalOutputs = all.filter((other) => other === one || parallel.includes(other)).flatMap(({ outputs }) => outputs);
    return [{ path, sha256: finalOutputs.findLast((output) => output.path === path)?.sha256 ?? sha256 }];
  });
}

const isSamePhase = (one: Entry, other: Entry): boolean => one.phase === other.phase && getRunId(one) === getRunId(other);

/** Execution ids have the form `<run>:<phase>:<skill>`. */
export const getRunId = ({ execution_id }: Entry): string => execution_id.split(':')[0]!;
