import type { ImportLoss } from '../model/foreign.ts';

/** Losses of the same kind: a field and a reason, whatever the values in it. */
interface LossGroup {
  field: string;
  why: string;
  count: number;
  /** The first records, with their own reason where it differs. */
  examples: string[];
}

const maxExamples = 3;
/** Reasons can quote a value of any length, and the patterns below take quadratic time. */
const maxReasonLength = 300;

/** Groups losses by kind. The rare ones come first, because a reader of a long list sees only its beginning and the common ones are
 *  known after three examples. */
export function groupLosses(losses: ImportLoss[]): LossGroup[] {
  const groups = new Map<string, LossGroup>();
  for (const { id, field, why: given } of losses) {
    // Some losses are counted by the reader, and each counts what it is about.
    const [, times, counted] = /^(\d+) (left out: .*)$/.exec(given) ?? [];
    const why = counted ?? given;
    const kind = generalize(why, id);
    const key = `${field} ${kind}`;
    const group = groups.get(key) ?? { field, why: kind, count: 0, examples: [] };
    if (group.examples.length < maxExamples && !group.examples.includes(id)) group.examples.push(id);
    if (group.count === 0) group.why = why;
    else if (group.why !== why) group.why = kind;
    group.count += Number(times ?? 1);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => a.count - b.count);
}

/** Replaces the values in a reason: quoted texts, times, ids and numbers. The line of a file is part of the report only. */
const generalize = (why: string, id: string): string =>
  why
    .slice(0, maxReasonLength)
    .replace(/^line \d+: /, '')
    .replaceAll(id, '…')
    .replace(/"(?:[^"\\]|\\.)*"|`[^`]*`/g, '…')
    .replace(/[\p{L}\p{N}_.:/@#~-]*\d[\p{L}\p{N}_.:/@#~-]*|(?<![\p{L}\p{N}])[a-z]{1,20}-[a-z.]{1,20}(?![\p{L}\p{N}])/gu, '…')
    .replace(/\u2026+/g, '…');
