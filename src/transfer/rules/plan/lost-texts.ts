import { isPlainObject } from '#lib/collections.ts';
import type { LostText, PlanElement, PlanEntry, PlanIssue, PlanIssueKind, PlanRecord, PlanTaskState } from '../../model/plan.ts';
import { toNoteElements } from './elements.ts';
import { deletedField, groupSlots, isSameValue } from './entries.ts';
import { getStampReplica, getStampTime } from './stamp.ts';

/** Author of the notes that a merge writes. */
export const mergeAuthor = 'cleo-sync';

/** Free texts of tasks. Of other kinds every text is one. */
const textFields = ['title', 'description', 'phase'];
/** Keys of groups and elements that are free text. */
const textKeys = ['blockedBy', 'reason', 'text', 'content', 'note'];

/** Lists the texts that lost against a concurrent change of the same field. */
export function listLostTexts({ kind, entries }: Pick<PlanRecord, 'kind' | 'entries'>): LostText[] {
  const texts: LostText[] = [];
  for (const { winner, losers } of groupSlots(entries).values()) {
    if (losers.length === 0 || winner.field === deletedField) continue;
    const known = new Set(listTexts(kind, winner).map(({ text }) => text));
    for (const loser of losers)
      for (const lost of listTexts(kind, loser)) {
        if (known.has(lost.text)) continue;
        known.add(lost.text);
        texts.push(lost);
      }
  }
  return texts;
}

function listTexts(kind: PlanRecord['kind'], { field, stamp, value }: PlanEntry): LostText[] {
  if (typeof value === 'string')
    return value !== '' && (kind !== 'task' || textFields.includes(field)) ? [{ field, text: value, stamp }] : [];
  if (!isPlainObject(value)) return [];
  return textKeys.flatMap((key) => {
    const text = value[key];
    return typeof text === 'string' && text !== '' ? [{ field: key, text, stamp }] : [];
  });
}

/** Longest part of a text in one note, below the limit of notes with its heading. */
const maxPartLength = 3800;

/** Converts lost texts to notes. Content and time follow from the record only, so every store writes the same note. */
export function toLostNotes(lostTexts: readonly LostText[], by: string): PlanElement[] {
  const notes = lostTexts.flatMap(({ field, text, stamp }) => {
    const parts = splitText(text);
    return parts.map((part, i) => {
      const count = parts.length > 1 ? `, part ${i + 1} of ${parts.length}` : '';
      const heading = `Concurrent ${field} of ${getStampTime(stamp)} from replica ${getStampReplica(stamp)}${count}:`;
      return { at: getStampTime(stamp), by, text: `${heading}\n${part}` };
    });
  });
  return [...new Map(toNoteElements(notes).map((element) => [element.key, element])).values()];
}

/** Splits a text without separating the halves of a character. */
function splitText(text: string): string[] {
  if (text.length <= maxPartLength) return [text];
  const parts: string[] = [];
  let part = '';
  for (const character of text) {
    if (part.length + character.length > maxPartLength) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}

/** Reports concurrent changes of one record. `id` is its name in the message. */
export function listConcurrentIssues({ kind, uid, entries }: PlanRecord, id: string): PlanIssue[] {
  return [...groupSlots(entries).values()].flatMap(({ winner, losers }) => {
    const { field } = winner;
    const others = losers.filter(({ value }) => !isSameValue(value, winner.value));
    if (field === deletedField || others.length === 0) return [];
    const issueKind = field === 'state' ? classifyStates(winner, others) : isText(kind, winner) ? 'concurrent-text' : 'concurrent-value';
    const results = {
      'concurrent-text': `${field} of ${id} was changed concurrently; the later text stays, the other is ${kind === 'task' ? 'a note' : 'appended'}`,
      'concurrent-value': `${field} of ${id} was changed concurrently; the later value stays`,
      'concurrent-status': `status of ${id} was changed concurrently; the later one stays: ${readStatus(winner)}, not ${readStatus(others[0]!)}`,
      'two-holders': `${id} was started concurrently; the later holder stays: ${formatHolder(winner)}, not ${formatHolder(others[0]!)}`,
    };
    return [{ kind: issueKind, recordKind: kind, uids: [uid], message: results[issueKind] }];
  });
}

const isText = (kind: PlanRecord['kind'], entry: PlanEntry): boolean =>
  typeof entry.value === 'string' && (kind !== 'task' || textFields.includes(entry.field));

const readState = ({ value }: PlanEntry): Partial<PlanTaskState> => (isPlainObject(value) ? value : {});
const readStatus = (entry: PlanEntry): string => readState(entry).status ?? 'unknown';
const formatHolder = (entry: PlanEntry): string => readState(entry).holder?.agent ?? 'an agent';

function classifyStates(
  winner: PlanEntry,
  others: PlanEntry[],
): PlanIssueKind & ('two-holders' | 'concurrent-status' | 'concurrent-value') {
  const [one, other] = [readState(winner), readState(others[0]!)];
  if (one.status !== other.status) return 'concurrent-status';
  return one.status === 'active' ? 'two-holders' : 'concurrent-value';
}
