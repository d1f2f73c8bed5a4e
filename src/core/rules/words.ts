import { getOwn } from '#lib/collections.ts';
import {
  type Priority,
  PrioritySchema,
  type Status,
  StatusSchema,
  type TaskSize,
  TaskSizeSchema,
  type TaskType,
  TaskTypeSchema,
} from '../model/scalars.ts';

/** The words of one field: those that mean a value wherever they are written, and those that only other tools use. */
interface Vocabulary<T extends string> {
  values: readonly T[];
  /** Words with one plain meaning. Callers may write them on every surface. */
  words: Record<string, T>;
  /** States and letters that tasks do not have. Importers map them and report the loss; a caller must choose. */
  foreignWords: Record<string, T>;
}

const statuses: Vocabulary<Status> = {
  values: StatusSchema.options,
  words: {
    todo: 'pending',
    open: 'pending',
    new: 'pending',
    backlog: 'pending',
    notstarted: 'pending',
    inprogress: 'active',
    doing: 'active',
    started: 'active',
    wip: 'active',
    working: 'active',
    onhold: 'blocked',
    waiting: 'blocked',
    stuck: 'blocked',
    complete: 'done',
    completed: 'done',
    closed: 'done',
    finished: 'done',
    resolved: 'done',
  },
  foreignWords: {
    ready: 'pending',
    pinned: 'pending',
    hooked: 'active',
    review: 'active',
    inreview: 'active',
    testing: 'active',
    deferred: 'blocked',
    shipped: 'done',
    cancelled: 'done',
  },
};

const priorities: Vocabulary<Priority> = {
  values: PrioritySchema.options,
  words: {
    p0: 'critical',
    urgent: 'critical',
    blocker: 'critical',
    highest: 'critical',
    asap: 'critical',
    immediate: 'critical',
    p1: 'high',
    important: 'high',
    p2: 'medium',
    normal: 'medium',
    moderate: 'medium',
    med: 'medium',
    p3: 'low',
    p4: 'low',
    minor: 'low',
    trivial: 'low',
    lowest: 'low',
    h: 'high',
    m: 'medium',
    l: 'low',
  },
  // A bare number counts up in some tools and down in others.
  foreignWords: {
    0: 'critical',
    1: 'high',
    2: 'medium',
    3: 'low',
    4: 'low',
    a: 'critical',
    b: 'high',
    c: 'medium',
    d: 'low',
  },
};

const sizes: Vocabulary<TaskSize> = {
  values: TaskSizeSchema.options,
  words: {
    xs: 'small',
    s: 'small',
    tiny: 'small',
    m: 'medium',
    med: 'medium',
    l: 'large',
    xl: 'large',
    xxl: 'large',
    big: 'large',
    huge: 'large',
  },
  foreignWords: {},
};

const types: Vocabulary<TaskType> = {
  values: TaskTypeSchema.options,
  words: {
    sagas: 'saga',
    initiative: 'saga',
    epics: 'epic',
    tasks: 'task',
    issue: 'task',
    issues: 'task',
    ticket: 'task',
    tickets: 'task',
    story: 'task',
    stories: 'task',
    userstory: 'task',
    todo: 'task',
    todos: 'task',
    item: 'task',
    items: 'task',
    subtasks: 'subtask',
  },
  foreignWords: { bug: 'task', feature: 'task', chore: 'task' },
};

/** Words for every status but done. As a filter they select the open tasks. */
const openWords = new Set(['open', 'notdone', '!done', 'undone', 'unfinished', 'incomplete', 'outstanding', 'remaining']);

const vocabularies: Vocabulary<string>[] = [statuses, priorities, sizes, types];

/** A longer text is not a word. Normalizing megabytes for each comparison would take seconds. */
const maxWordLength = 100;

/** Ignores case and the characters between words: `In-Progress`, `in_progress` and `in progress` are one word. */
export const normalizeWord = (text: string): string => (text.length > maxWordLength ? text : text.toLowerCase().replace(/[\s_-]+/g, ''));

/** Returns the choice that a word means: another spelling of a choice, or a word of the vocabulary with these values. */
export function parseChoice(word: string, choices: readonly string[]): string | undefined {
  const key = normalizeWord(word);
  const words = findVocabulary(choices)?.words ?? {};
  return choices.find((choice) => normalizeWord(choice) === key) ?? getOwn(words, key);
}

/** Guesses the choice that a word of another tool may mean. Only for suggestions: the caller decides. */
export function guessChoice(word: string, choices: readonly string[]): string | undefined {
  return parseChoice(word, choices) ?? getOwn(findVocabulary(choices)?.foreignWords ?? {}, normalizeWord(word));
}

/** Parses the status of a record of another tool. */
export const parseForeignStatus = (word: string): Status | undefined => guessChoice(word, statuses.values) as Status | undefined;

/** Parses the priority of a record of another tool, as a word, a letter or a number. */
export const parseForeignPriority = (word: string | number): Priority | undefined =>
  guessChoice(String(word), priorities.values) as Priority | undefined;

/** Checks whether a word selects the open tasks as a filter of the status. */
export const selectsOpenTasks = (word: string): boolean => openWords.has(normalizeWord(word));

/** Checks whether the choices are the statuses of a task. */
export const isStatusChoices = (choices: readonly string[]): boolean => findVocabulary(choices) === statuses;

const findVocabulary = (choices: readonly string[]): Vocabulary<string> | undefined =>
  vocabularies.find(({ values }) => values.length === choices.length && values.every((value, i) => value === choices[i]));
