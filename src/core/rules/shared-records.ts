import { isPlainObject } from '#lib/collections.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { FileRecordKind, SharedRecord } from '../model/shared-records.ts';
import type { TokenScope } from '../model/token.ts';

/** Steps that make the files of a checkout and the shared store equal, by the names of records. */
export interface RecordPlan {
  /** New or changed here: stored. */
  save: string[];
  /** Removed here by the command that has just run: removed from the store. */
  remove: string[];
  /** New or changed in the store: written here. */
  write: string[];
  /** Removed from the store: removed here. */
  discard: string[];
}

interface RecordComparison {
  /** Hashes of the files, by name. */
  local: ReadonlyMap<string, string>;
  stored: SharedRecord[];
  /** Hashes of the files before the command. Without them it is not known who has changed a record that differs, and a file that is
   *  missing is one that is to be written. */
  base?: ReadonlyMap<string, string>;
  /** Decides about a record that differs if `base` does not: true if the file continues what the store has. */
  isContinued(name: string): boolean;
}

/** Compares the files of a checkout with the records of the store. What only one side has changed is taken over; what both have changed is
 *  that of the store, unless the file continues it. */
export function planRecords({ local, stored, base, isContinued }: RecordComparison): RecordPlan {
  const plan: RecordPlan = { save: [], remove: [], write: [], discard: [] };
  const known = new Set(stored.map(({ name }) => name));
  for (const record of stored) {
    const step = planRecord(record, local.get(record.name), base && { hash: base.get(record.name) }, isContinued);
    if (step) plan[step].push(record.name);
  }
  for (const name of local.keys()) if (!known.has(name)) plan.save.push(name);
  return plan;
}

function planRecord(
  { name, hash, state }: SharedRecord,
  local: string | undefined,
  base: { hash: string | undefined } | undefined,
  isContinued: RecordComparison['isContinued'],
): keyof RecordPlan | undefined {
  if (state === 'removed') {
    if (local === undefined) return undefined;
    // Only a command can bring back a record that was removed; a file without one is an old copy.
    return base && base.hash !== local ? 'save' : 'discard';
  }
  if (local === undefined) return base?.hash !== undefined ? 'remove' : state === 'stored' ? 'write' : undefined;
  if (local === hash) return undefined;
  // The store has no content to write.
  if (state === 'omitted') return 'save';
  if (base?.hash === hash) return 'save';
  if (base?.hash === local) return 'write';
  return isContinued(name) ? 'save' : 'write';
}

/** Returns the time before which contents are removed from the store; undefined if they are kept for ever. */
export const getRecordLimit = (now: string, days: number): string | undefined =>
  days > 0 ? formatIsoTime(Date.parse(now) - days * 86_400_000) : undefined;

/** The change of one line of a file. */
type LineStep = 'keep' | 'drop' | { text: string };

/** Arranges the lines of a file as the store has them: the lines that both have are in the order of the store, a line that only the file
 *  has stays where it is, and what the file lacks is appended. An empty line has no hash. */
export function arrangeLines(
  lines: { hash: string; text: string }[],
  stored: { hash: string; text?: string | undefined; isRemoved: boolean }[],
): { steps: LineStep[]; append: string[] } {
  const texts = new Map(lines.map(({ hash, text }) => [hash, text]));
  const known = new Set(stored.map(({ hash }) => hash));
  const shared = stored.flatMap(({ hash, text = texts.get(hash), isRemoved }) => (isRemoved || text === undefined ? [] : [{ hash, text }]));
  const present = new Set(shared.map(({ hash }) => hash));
  const steps = lines.map(({ hash }): LineStep => {
    if (!known.has(hash)) return 'keep';
    // A line that was removed, or one that is there twice.
    if (!present.delete(hash)) return 'drop';
    const next = shared.shift()!;
    return next.hash === hash ? 'keep' : { text: next.text };
  });
  return { steps, append: shared.map(({ text }) => text) };
}

/** Pairs lines that a command has changed in place, as new name → name before. Only a command that changes lines keeps their number. */
export function findReplacedLines(base: ReadonlyMap<string, string>, local: ReadonlyMap<string, string>): Map<string, string> {
  if (base.size !== local.size) return new Map();
  const before = [...base.keys()];
  return new Map([...local.keys()].flatMap((name, i): [string, string][] => (name === before[i] ? [] : [[name, before[i]!]])));
}

/** A change of the records of a kind, as a client sends it. */
export interface RecordChange {
  kind: FileRecordKind;
  isRemoval: boolean;
  /** The content takes the place of another one. */
  isReplacement: boolean;
  content: string | undefined;
}

/** Kinds to which commands only append. */
const appendedKinds: readonly FileRecordKind[] = ['grades', 'scores', 'reviews', 'prunedRuns'];

/** Returns the scope that a change of the records needs: that of the command which makes it. A client can send one without the command. */
export function getRecordScope({ kind, isRemoval, isReplacement, content }: RecordChange): TokenScope {
  if (appendedKinds.includes(kind)) {
    if (isRemoval || isReplacement) return 'admin';
    return kind === 'reviews' && content !== undefined && hasVerdict(content) ? 'decide' : 'mutate';
  }
  // `review resolve` removes the logs of a run that has nothing left to review.
  return isRemoval && kind === 'runs' ? 'decide' : 'mutate';
}

function hasVerdict(line: string): boolean {
  const value = parseJson(line);
  return !isPlainObject(value) || ['review_resolved', 'review_amended'].includes(String(value.event)) || value.verdict !== undefined;
}
