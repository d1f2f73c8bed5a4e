import type { TreeChange, TreeSnapshot } from '../model/tree.ts';

/** Attributes file changes to skills that run in parallel. A snapshot is taken whenever a skill starts or ends, so that the set of running
 *  skills is constant between two snapshots. */
interface ChangeAttribution {
  lastSnapshot?: TreeSnapshot;
  running: Map<string, RunningSkill>;
  /** Files that finished skills claim to have written, until they change again. */
  claims: Map<string, string>;
}

interface RunningSkill {
  before: TreeSnapshot;
  /** All skills that ran at the same time. */
  parallel: Set<string>;
  /** Per changed file, the skills that ran while it changed. */
  shared: Map<string, Set<string>>;
}

/** The changes that one skill may have made. */
export interface AttributedChanges {
  before: TreeSnapshot;
  after: TreeSnapshot;
  /** Other skills that may have changed a file, sorted; empty if only this one can have. */
  others(path: string): string[];
  /** True if another skill claims the file and it has not changed since. */
  isClaimedByOther(path: string): boolean;
}

export const createAttribution = (): ChangeAttribution => ({ running: new Map(), claims: new Map() });

export function startSkill(attribution: ChangeAttribution, name: string, now: TreeSnapshot): void {
  recordChanges(attribution, now);
  const others = [...attribution.running.keys()];
  for (const skill of attribution.running.values()) skill.parallel.add(name);
  attribution.running.set(name, { before: now, parallel: new Set(others), shared: new Map() });
}

/** `claimed`: files that the skill claims to have written. */
export function endSkill(attribution: ChangeAttribution, name: string, now: TreeSnapshot, claimed: string[]): AttributedChanges {
  recordChanges(attribution, now);
  const { before, parallel, shared } = attribution.running.get(name) ?? { before: now, parallel: new Set<string>(), shared: new Map() };
  attribution.running.delete(name);
  const own = new Set(claimed);
  const claimedByOthers = new Set([...attribution.claims].flatMap(([path, by]) => (by === name || own.has(path) ? [] : [path])));
  for (const path of claimed) attribution.claims.set(path, name);
  // Without a full scan it is unknown when a file changed.
  const isCoarse = before.isCoarse || now.isCoarse;
  return {
    before,
    after: now,
    others: (path) => (own.has(path) ? [] : [...(shared.get(path) ?? (isCoarse ? parallel : []))].sort()),
    isClaimedByOther: (path) => claimedByOthers.has(path),
  };
}

function recordChanges(attribution: ChangeAttribution, now: TreeSnapshot): void {
  // A skill that runs alone owns all changes.
  const isNeeded = attribution.running.size > 1 || attribution.claims.size > 0;
  const changes = attribution.lastSnapshot && isNeeded ? diffSnapshots(attribution.lastSnapshot, now) : [];
  for (const { path } of changes) {
    attribution.claims.delete(path);
    for (const [name, { shared }] of attribution.running)
      for (const other of attribution.running.keys()) if (other !== name) shared.set(path, (shared.get(path) ?? new Set()).add(other));
  }
  attribution.lastSnapshot = now;
}

/** The changes between two snapshots, sorted by path. A full scan and a git status cannot be compared. */
export function diffSnapshots(before: TreeSnapshot, after: TreeSnapshot): TreeChange[] {
  if (before.isCoarse !== after.isCoarse) return [];
  const changes: TreeChange[] = [];
  for (const [path, current] of after.files) {
    const previous = before.files.get(path);
    if (!previous) changes.push({ path, change: after.isCoarse ? 'changed' : 'created' });
    else if (previous.size !== current.size || previous.mtimeMs !== current.mtimeMs || previous.ctimeMs !== current.ctimeMs)
      changes.push({ path, change: 'changed' });
  }
  if (!after.isCoarse) for (const path of before.files.keys()) if (!after.files.has(path)) changes.push({ path, change: 'deleted' });
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}
