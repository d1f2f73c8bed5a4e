import type { Snapshot } from '../model/tree.ts';
import { changesBetween } from './tree-changes.ts';

/** Looks at a tree, one whenever somebody begins or ends: between two of them it is always the same ones who run. */
export interface TreeShares {
  last?: Snapshot;
  running: Map<string, Share>;
  /** What those who have ended say that they wrote, until somebody changes it again. */
  claims: Map<string, string>;
}

interface Share {
  before: Snapshot;
  /** Who ran beside it at any time. */
  beside: Set<string>;
  /** Who ran beside it while a file changed. */
  shared: Map<string, Set<string>>;
}

/** What one of them may have written. */
export interface OwnTree {
  before: Snapshot;
  after: Snapshot;
  /** Who else may have changed a file, in the order of their names; nobody, where it alone can have. */
  others(path: string): string[];
  /** Somebody else says so, and nobody has changed it since. */
  isAnothers(path: string): boolean;
}

export const noShares = (): TreeShares => ({ running: new Map(), claims: new Map() });

export function begins(shares: TreeShares, name: string, now: Snapshot): void {
  look(shares, now);
  const others = [...shares.running.keys()];
  for (const share of shares.running.values()) share.beside.add(name);
  shares.running.set(name, { before: now, beside: new Set(others), shared: new Map() });
}

/** `claimed`: files that it says it wrote. */
export function ends(shares: TreeShares, name: string, now: Snapshot, claimed: string[]): OwnTree {
  look(shares, now);
  const { before, beside, shared } = shares.running.get(name) ?? { before: now, beside: new Set<string>(), shared: new Map() };
  shares.running.delete(name);
  const own = new Set(claimed);
  const anothers = new Set([...shares.claims].flatMap(([path, by]) => (by === name || own.has(path) ? [] : [path])));
  for (const path of claimed) shares.claims.set(path, name);
  // Of a tree with too many files to look at each, nobody knows when one of them changed.
  const isCoarse = before.isCoarse || now.isCoarse;
  return {
    ...{ before, after: now },
    others: (path) => (own.has(path) ? [] : [...(shared.get(path) ?? (isCoarse ? beside : []))].sort()),
    isAnothers: (path) => anothers.has(path),
  };
}

function look(shares: TreeShares, now: Snapshot): void {
  // Of one alone everything is its own.
  const isAsked = shares.running.size > 1 || shares.claims.size > 0;
  const changes = shares.last && isAsked ? changesBetween(shares.last, now) : [];
  for (const { path } of changes) {
    shares.claims.delete(path);
    for (const [name, { shared }] of shares.running)
      for (const other of shares.running.keys()) if (other !== name) shared.set(path, (shared.get(path) ?? new Set()).add(other));
  }
  shares.last = now;
}
