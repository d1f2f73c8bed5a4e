import { type Priority, PrioritySchema, type Resolution, type Status, type TaskType } from '#core/model/scalars.ts';
import { normalizeWord, parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { getOwn } from '#lib/collections.ts';

/** The state of a task of another tool. */
interface ForeignState {
  status: Status;
  /** Set if the work ended without being done. */
  resolution?: Exclude<Resolution, 'done'>;
  /** The task waits for a later time, which tasks here do not have as a state. */
  isDeferred?: true;
  /** The word is not known; the state is a guess. */
  isGuess?: true;
}

/** Words for work that ended without being done. */
const resolutions: Record<string, Exclude<Resolution, 'done'>> = {
  cancelled: 'cancelled',
  canceled: 'cancelled',
  abandoned: 'cancelled',
  dropped: 'cancelled',
  obsolete: 'cancelled',
  discarded: 'cancelled',
  wontfix: 'wontfix',
  wontdo: 'wontfix',
  willnotfix: 'wontfix',
  notplanned: 'wontfix',
  notdoing: 'wontfix',
  rejected: 'wontfix',
  declined: 'wontfix',
  invalid: 'wontfix',
  notabug: 'wontfix',
  worksforme: 'wontfix',
  worksasdesigned: 'wontfix',
  duplicate: 'duplicate',
  duplicated: 'duplicate',
  dupe: 'duplicate',
};

const deferredWords = new Set(['deferred', 'future', 'someday', 'icebox', 'later', 'postponed', 'paused', 'snoozed', 'frozen', 'parked']);

/** Parts of unknown words, in the order in which they are tried. A word that denies being finished is open. */
const parts: [RegExp, ForeignState][] = [
  [/^(?:not|un|in)(?:done|finished|complete|resolved|closed)|^reopen|^todo|^to be |^ready/, { status: 'pending' }],
  [/cancel|abandon|obsolete|discard/, { status: 'done', resolution: 'cancelled' }],
  [/won'?t|reject|declin|invalid|notplanned/, { status: 'done', resolution: 'wontfix' }],
  [/duplicate/, { status: 'done', resolution: 'duplicate' }],
  [/review|testing|progress|doing|active|started|working|developing|verifying|qa$/, { status: 'active' }],
  [/defer|someday|icebox|postpone|paus|snooz/, { status: 'blocked', isDeferred: true }],
  [/block|hold|wait|stuck|pendingon/, { status: 'blocked' }],
  [/done|closed?$|complete|finish|resolved|shipped|merged|released|deployed|verified|accepted|archived|fixed/, { status: 'done' }],
];

/** Reads the state of a task of any tool. Finished work is never pending: a time of closing decides where the word does not. */
export function parseForeignState(word: string, closedAt?: unknown): ForeignState {
  const key = normalizeWord(word).replace(/['\u2019.!?]/g, '');
  const resolution = getOwn(resolutions, key);
  if (resolution) return { status: 'done', resolution };
  if (deferredWords.has(key)) return isTime(closedAt) ? { status: 'done' } : { status: 'blocked', isDeferred: true };
  const status = parseForeignStatus(key);
  if (status) return { status };
  if (isTime(closedAt)) return { status: 'done', isGuess: true };
  const guess = parts.find(([pattern]) => pattern.test(key))?.[1] ?? { status: 'pending' };
  return { ...guess, isGuess: true };
}

/** Reads how work ended from a reason such as `Duplicate of bd-12` or `Won't fix`. A sentence that only begins with such a word, as in
 *  `Invalid input is refused now`, is no reason of this kind. */
export function parseCloseReason(reason: string): Exclude<Resolution, 'done'> | undefined {
  const [, first = '', second = ''] = /^\s*([\p{L}'\u2019]{1,20})(?:[ _-]([\p{L}'\u2019]{1,20}))?/u.exec(reason) ?? [];
  const toKey = (words: string): string => normalizeWord(words).replace(/['\u2019]/g, '');
  const isWhole = second === '' || /^(?:of|as|by|in|with|see|since|because)$/i.test(second) || !/^\s*\S+ \S/.test(reason);
  return getOwn(resolutions, toKey(`${first} ${second}`)) ?? (isWhole ? getOwn(resolutions, toKey(first)) : undefined);
}

/** Checks whether a text is nothing but a word for such an end. */
export const isResolutionWord = (text: string): boolean =>
  getOwn(resolutions, normalizeWord(text.trim()).replace(/['\u2019]/g, '')) !== undefined;

const isTime = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-?\d\d-?\d\d/.test(value.trim()) && !/^0001/.test(value);

/** Reads a priority as a word, a letter or a number from 0, the highest. Numbers beyond the scale are its ends. */
export function parsePriority(value: unknown): Priority | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  // A sign is not part of a word: -1 would be read as 1.
  const known = typeof value === 'number' && value < 0 ? undefined : parseForeignPriority(typeof value === 'string' ? value.trim() : value);
  if (known) return known;
  const number = typeof value === 'number' ? value : Number.NaN;
  if (Number.isNaN(number)) return undefined;
  return number < 0 ? 'critical' : number > 4 ? 'low' : PrioritySchema.options[Math.min(3, Math.round(number))];
}

const containers: Record<string, TaskType> = {
  epic: 'epic',
  molecule: 'epic',
  convoy: 'epic',
  milestone: 'epic',
  project: 'epic',
  saga: 'saga',
  initiative: 'saga',
};

/** Reads a type. Types that only say what kind of work a task is become labels. */
export function parseForeignType(word: string): { type?: TaskType; label?: string } {
  const key = normalizeWord(word);
  const type = getOwn(containers, key);
  if (type) return { type };
  return key === '' || key === 'task' || key === 'subtask' || key === 'issue' ? {} : { label: word };
}

/** The words that an export writes for a tool. The readers above read each of them as the same value again. */
interface ToolWords {
  statuses: Record<Status, string>;
  resolutions: Record<Exclude<Resolution, 'done'>, string>;
  priorities: Record<Priority, string | number>;
}

const plainPriorities: ToolWords['priorities'] = { critical: 'critical', high: 'high', medium: 'medium', low: 'low' };

export const toolWords = {
  beads: {
    statuses: { pending: 'open', active: 'in_progress', blocked: 'blocked', done: 'closed' },
    resolutions: { cancelled: 'Cancelled', wontfix: "Won't fix", duplicate: 'Duplicate' },
    priorities: { critical: 0, high: 1, medium: 2, low: 3 },
  },
  taskmaster: {
    statuses: { pending: 'pending', active: 'in-progress', blocked: 'blocked', done: 'done' },
    // Task Master has one word; the record names the resolution elsewhere.
    resolutions: { cancelled: 'cancelled', wontfix: 'cancelled', duplicate: 'cancelled' },
    priorities: plainPriorities,
  },
  backlog: {
    statuses: { pending: 'To Do', active: 'In Progress', blocked: 'Blocked', done: 'Done' },
    resolutions: { cancelled: 'Cancelled', wontfix: "Won't Do", duplicate: 'Duplicate' },
    priorities: plainPriorities,
  },
  taskwarrior: {
    statuses: { pending: 'pending', active: 'active', blocked: 'blocked', done: 'completed' },
    resolutions: { cancelled: 'cancelled', wontfix: 'wontfix', duplicate: 'duplicate' },
    priorities: { critical: 'H', high: 'H', medium: 'M', low: 'L' },
  },
  'todo.txt': {
    statuses: { pending: 'pending', active: 'active', blocked: 'blocked', done: 'done' },
    resolutions: { cancelled: 'cancelled', wontfix: 'wontfix', duplicate: 'duplicate' },
    priorities: { critical: 'A', high: 'B', medium: 'C', low: 'D' },
  },
} as const satisfies Record<string, ToolWords>;

/** Labels that beads has as types. The reader makes them labels again. */
export const beadsTypes: readonly string[] = ['bug', 'feature', 'chore'];
