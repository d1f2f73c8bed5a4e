import type { RunRecord } from '../model/trace.ts';

type Entry = RunRecord['executions'][number];

/** The files that have to be as they were for an execution to stand. What several skills may have written, side by side, has to be what
 *  the last of them left; while one of them is still to run again, it is that one's affair. */
export function heldOutputs(one: Entry, all: Entry[]): { path: string; sha256: string }[] {
  return one.outputs.flatMap(({ path, sha256, shared_with: others }) => {
    if (!others) return [{ path, sha256 }];
    const beside = all.filter((other) => isBeside(one, other) && others.includes(other.skill));
    if (!others.every((name) => beside.some(({ skill, status }) => skill === name && status === 'success'))) return [];
    const left = all.filter((other) => other === one || beside.includes(other)).flatMap(({ outputs }) => outputs);
    return [{ path, sha256: left.findLast((output) => output.path === path)?.sha256 ?? sha256 }];
  });
}

/** In the same phase of the same run. */
const isBeside = (one: Entry, other: Entry): boolean => one.phase === other.phase && runOf(one) === runOf(other);

/** An execution is called by its run, its phase and its skill. */
export const runOf = ({ execution_id }: Entry): string => execution_id.split(':')[0]!;
