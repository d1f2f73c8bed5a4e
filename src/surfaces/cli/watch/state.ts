import { toTaskNumber } from '#core/model/scalars.ts';
import type { Fields } from '#core/terminal/index.ts';
import type { Envelope } from '#dispatch/dispatch.ts';
import { isPlainObject } from '#lib/collections.ts';
import type { Card, Column } from '#tasks/model/board.ts';

export const watchViews = ['board', 'list', 'task', 'log', 'work'] as const;
export type WatchView = (typeof watchViews)[number];

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** The state of the live board. The screen is drawn from it and the terminal size. */
export interface WatchState {
  view: WatchView;
  /** The view from which a task was opened. */
  previousView: Exclude<WatchView, 'task'>;
  /** The parameters of `list --watch`, which has no board. */
  listParams?: Record<string, unknown>;
  columns: Column[];
  /** Only tasks inside this epic are shown. */
  epic?: string;
  root?: { id: string; title: string };
  /** The cards of all columns sorted by id, or the answer of `list`. */
  cards: WatchRow[];
  /** The number of tasks in the store, including those that were not loaded. */
  total: number;
  log: WatchEntry[];
  /** What the agents of `cleo work` do. */
  work: WorkStatus;
  task?: Fields;
  /** The task that is open or was opened last. */
  taskId?: string;
  /** The selected column of the board, and the selected card of each column. */
  column: number;
  selected: number[];
  /** The selected line of the list, of the log, and of the tasks of agents. */
  row: number;
  entry: number;
  workRow: number;
  /** The first visible line of the task. */
  scroll: number;
  filter: string;
  isTyping: boolean;
  isHelp: boolean;
  problem?: { code: string; message: string; fix: string };
  /** The time of the last answer; ages are relative to it. */
  now: string;
  /** No answer has arrived yet. */
  isEmpty: boolean;
  isClosed: boolean;
}

/** A card of the board, or a task of a list, which has no claim. */
export type WatchRow = Omit<Card, 'claim'> & Pick<Partial<Card>, 'claim'>;

/** A task that an agent of `cleo work` works on, or worked on last; one on another machine has few fields. */
interface WorkRow extends Fields {
  taskId: string;
}

/** The answer of `work.status`. */
interface WorkStatus {
  processes: Fields[];
  tasks: WorkRow[];
  elsewhere?: WorkRow[];
}

export interface WatchEntry extends Fields {
  seq: number;
  timestamp: string;
  operation: string;
  agent: string;
  success: boolean;
  errorCode?: string;
  created?: string[];
  updated?: string[];
  deleted?: string[];
}

export const createState = (options: { epic?: string; listParams?: Record<string, unknown> }): WatchState => ({
  view: options.listParams ? 'list' : 'board',
  previousView: options.listParams ? 'list' : 'board',
  ...options,
  columns: [],
  cards: [],
  total: 0,
  log: [],
  work: { processes: [], tasks: [] },
  column: 0,
  selected: [0, 0, 0, 0],
  row: 0,
  entry: 0,
  workRow: 0,
  scroll: 0,
  filter: '',
  isTyping: false,
  isHelp: false,
  now: '',
  isEmpty: true,
  isClosed: false,
});

/** The call that loads the data of the current view. */
export interface WatchQuery {
  operation: string;
  params: Record<string, unknown>;
}

/** The largest limit of `tasks.board`. The filter finds tasks beyond it. */
const maxCards = 10_000;
const maxEntries = 200;

export function getQuery({ view, listParams, epic, filter, taskId }: WatchState): WatchQuery {
  if (view === 'task') return { operation: 'tasks.show', params: { taskId } };
  if (view === 'log') return { operation: 'admin.log', params: { limit: maxEntries } };
  if (view === 'work') return { operation: 'work.status', params: {} };
  if (listParams) return { operation: 'tasks.list', params: listParams };
  const match = filter.trim();
  return { operation: 'tasks.board', params: { limit: maxCards, ...(epic ? { epic } : {}), ...(match ? { match } : {}) } };
}

/** Applies an answer to the state. The selection follows the selected task to its new position. */
export function applyAnswer(state: WatchState, { operation }: WatchQuery, envelope: Envelope): WatchState {
  const { now: _, ...rest } = state;
  const now = envelope._meta.timestamp;
  if (!envelope.success) return { ...rest, now, problem: toProblem(envelope.error) };
  const { problem: __, ...valid } = { ...rest, now, isEmpty: false };
  if (operation === 'tasks.show')
    return { ...valid, task: { ...(envelope.task as Fields), ...(envelope.claim ? { claim: envelope.claim } : {}) } };
  if (operation === 'admin.log') return withLog(valid, envelope.entries as WatchEntry[]);
  if (operation === 'work.status') return withWork(valid, envelope.work as WorkStatus);
  if (operation === 'tasks.list') {
    const cards = envelope.tasks as WatchRow[];
    return withCards(valid, cards, envelope._meta.truncated?.total ?? cards.length);
  }
  const { root: ___, ...withoutRoot } = valid;
  const columns = envelope.columns as Column[];
  const withBoard = withColumns(
    { ...withoutRoot, ...(envelope.root ? { root: envelope.root as NonNullable<WatchState['root']> } : {}) },
    columns,
  );
  const cards = columns.flatMap((column) => column.cards).sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id));
  return withCards(
    withBoard,
    cards,
    columns.reduce((sum, { count }) => sum + count, 0),
  );
}

const toProblem = (error: unknown): NonNullable<WatchState['problem']> => {
  const { code, message, fix } = isPlainObject(error) ? error : {};
  return { code: String(code ?? ''), message: String(message ?? ''), fix: String(fix ?? '') };
};

function withColumns(state: WatchState, columns: Column[]): WatchState {
  const selectedId = getSelectedCard(state)?.id;
  const column = columns.findIndex(({ cards }) => cards.some(({ id }) => id === selectedId));
  const selected = columns.map(({ cards }, i) => clampIndex(state.selected[i] ?? 0, cards.length));
  if (column < 0) return { ...state, columns, selected, column: findFilledColumn(columns, state.column) };
  selected[column] = columns[column]!.cards.findIndex(({ id }) => id === selectedId);
  return { ...state, columns, selected, column };
}

/** Returns this column, or the first that has cards. */
function findFilledColumn(columns: Column[], column: number): number {
  const filled = columns.findIndex(({ cards }) => cards.length > 0);
  return columns[column]?.cards.length || filled < 0 ? column : filled;
}

function withCards(state: WatchState, cards: WatchRow[], total: number): WatchState {
  const selectedId = listVisibleRows(state)[state.row]?.id;
  const shown = listVisibleRows({ ...state, cards });
  const row = shown.findIndex(({ id }) => id === selectedId);
  return { ...state, cards, total, row: row >= 0 ? row : clampIndex(state.row, shown.length) };
}

/** Applies the log. The first line stays selected to show new entries; any other selection follows its entry. */
function withLog(state: WatchState, log: WatchEntry[]): WatchState {
  if (state.entry === 0) return { ...state, log };
  const selectedSeq = listVisibleEntries(state)[state.entry]?.seq;
  const shown = listVisibleEntries({ ...state, log });
  const entry = shown.findIndex(({ seq }) => seq === selectedSeq);
  return { ...state, log, entry: entry >= 0 ? entry : clampIndex(state.entry, shown.length) };
}

/** Applies what agents do. The selection follows its task. */
function withWork(state: WatchState, work: WorkStatus): WatchState {
  const selectedId = listVisibleWork(state)[state.workRow]?.taskId;
  const shown = listVisibleWork({ ...state, work });
  const row = shown.findIndex(({ taskId }) => taskId === selectedId);
  return { ...state, work, workRow: row >= 0 ? row : clampIndex(state.workRow, shown.length) };
}

export const clampIndex = (at: number, count: number): number => Math.max(0, Math.min(at, count - 1));

const getSelectedCard = ({ columns, column, selected }: WatchState): Card | undefined => columns[column]?.cards[selected[column] ?? 0];

/** Lists the rows of the list view. The store filters the cards of a board, so only `list --watch` is filtered here. */
export const listVisibleRows = ({ cards, listParams, filter }: WatchState): WatchRow[] =>
  listParams ? cards.filter(({ id, title }) => hasWords(`${id} ${title}`, filter)) : cards;

export const listVisibleEntries = ({ log, filter }: WatchState): WatchEntry[] =>
  filter.trim() === ''
    ? log
    : log.filter((entry) => hasWords(`${entry.operation} ${entry.agent} ${listWatchedIds(entry).join(' ')}`, filter));

export const listVisibleWork = ({ work, filter }: WatchState): WorkRow[] =>
  [...work.tasks, ...(work.elsewhere ?? [])].filter(({ taskId, title = '', lastLine = '' }) =>
    hasWords(`${taskId} ${title} ${lastLine}`, filter),
  );

function hasWords(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

export const listWatchedIds = ({ created = [], updated = [], deleted = [] }: WatchEntry): string[] => [...created, ...updated, ...deleted];

/** Returns the id of the task that is selected in the current view. */
export function getSelectedTask(state: WatchState): string | undefined {
  if (state.view === 'task') return state.taskId;
  if (state.view === 'board') return getSelectedCard(state)?.id;
  if (state.view === 'list') return listVisibleRows(state)[state.row]?.id;
  if (state.view === 'work') return listVisibleWork(state)[state.workRow]?.taskId;
  const entry = listVisibleEntries(state)[state.entry];
  return entry && listWatchedIds(entry).find((id) => /^T\d+$/.test(id));
}
