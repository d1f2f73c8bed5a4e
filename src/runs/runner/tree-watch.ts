import type { Ground } from '#platform/ground-port.ts';
import type { Snapshot } from '../model/tree.ts';
import { begins, ends, noShares, type OwnTree } from '../rules/tree-shares.ts';

/** Looks at the tree before and after each skill of a phase, so that of two side by side it can be told who wrote what. */
export interface TreeWatch {
  begin(skill: string): Promise<void>;
  /** `claimed`: files that it says it wrote. */
  end(skill: string, claimed: string[]): Promise<OwnTree>;
}

export function treeWatch(ground: Ground): TreeWatch {
  const shares = noShares();
  // One look at a time: a large tree is not looked at in one go.
  let turn: Promise<unknown> = Promise.resolve();
  const looked = <T>(take: (now: Snapshot) => T): Promise<T> => {
    const mine = turn.then(async () => take(await ground.scan()));
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    begin: (skill) => looked((now) => begins(shares, skill, now)),
    end: (skill, claimed) => looked((now) => ends(shares, skill, now, claimed)),
  };
}
