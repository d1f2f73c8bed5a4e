import { toTaskNumber } from '#core/model/scalars.ts';
import type { Fields } from '#core/terminal/cell.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import { isMap } from '#lib/is-map.ts';
import type { Card, Column } from '#tasks/model/board.ts';

export const watchViews = ['board', 'list', 'task', 'log'] as const;
export type WatchView = (typeof watchViews)[number];

export interface ScreenSize {
  columns: number;
  rows: number;
}

/** What is on the screen, and everything that decides it but the size. */
export interface WatchState {
  view: WatchView;
  /** Where a task was opened from. */
  previousView: Exclude<WatchView, 'task'>;
  /** Of `list --watch`: its parameters. There is no board then. */
  listParams?: Record<string, unknown>;
  columns: Column[];
  /** What is inside it is all that is shown. */
  epic?: string;
  root?: { id: string; title: string };
  /** The cards of all columns in the order of their ids, or what `list` answers. */
  cards: WatchRow[];
  /** How many there are, shown or not. */
  total: number;
  log: WatchEntry[];
  task?: Fields;
  /** The task that is open, or was last. */
  taskId?: string;
  /** Of the board: which column, and in each which card. */
  column: number;
  selected: number[];
  /** Of the list and the log: which line. */
  row: number;
  entry: number;
  /** Of the task: how far it is scrolled. */
  scroll: number;
  filter: string;
  isTyping: boolean;
  isHelp: boolean;
  problem?: { code: string; message: string; fix: string };
  /** The moment of the last answer, which ages are counted from. */
  now: string;
  /** Nothing was answered yet. */
  isEmpty: boolean;
  isClosed: boolean;
}

/** A card, or a task of a list, which tells less of it. */
export type WatchRow = Omit<Card, 'claim'> & Pick<Partial<Card>, 'claim'>;

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

export const createState = (more: { epic?: string; listed?: Record<string, unknown> }): WatchState => ({
  view: more.listed ? 'list' : 'board',
  previousView: more.listed ? 'list' : 'board',
  ...more,
  columns: [],
  cards: [],
  total: 0,
  log: [],
  column: 0,
  selected: [0, 0, 0, 0],
  row: 0,
  entry: 0,
  scroll: 0,
  filter: '',
  isTyping: false,
  isHelp: false,
  now: '',
  isEmpty: true,
  isClosed: false,
});

/** What has to be asked for what is on the screen. */
export interface WatchQuery {
  operation: string;
  params: Record<string, unknown>;
}

/** As many of a column as a board answers with; what lies beyond is found by the filter. */
const maxCards = 10_000;
const maxEntries = 200;

export function getQuery({ view, listParams: listed, epic, filter, taskId }: WatchState): WatchQuery {
  if (view === 'task') return { operation: 'tasks.show', params: { taskId } };
  if (view === 'log') return { operation: 'admin.log', params: { limit: maxEntries } };
  if (listed) return { operation: 'tasks.list', params: listed };
  const match = filter.trim();
  return { operation: 'tasks.board', params: { limit: maxCards, ...(epic ? { epic } : {}), ...(match ? { match } : {}) } };
}

/** The answer in its place; what was chosen stays chosen, wherever it has moved to. */
export function applyAnswer(state: WatchState, { operation }: WatchQuery, envelope: Envelope): WatchState {
  const { now: _, ...rest } = state;
  const now = envelope._meta.timestamp;
  if (!envelope.success) return { ...rest, now, problem: toProblem(envelope.error) };
  const { problem: __, ...sound } = { ...rest, now, isEmpty: false };
  if (operation === 'tasks.show') return { ...sound, task: { ...(envelope.task as Fields), ...toClaimField(envelope.claim) } };
  if (operation === 'admin.log') return withLog(sound, envelope.entries as WatchEntry[]);
  if (operation === 'tasks.list') {
    const cards = envelope.tasks as WatchRow[];
    return withCards(sound, cards, envelope._meta.truncated?.total ?? cards.length);
  }
  const { root: ___, ...unrooted } = sound;
  const columns = envelope.columns as Column[];
  const placed = withColumns(
    { ...unrooted, ...(envelope.root ? { root: envelope.root as NonNullable<WatchState['root']> } : {}) },
    columns,
  );
  const cards = columns.flatMap((column) => column.cards).sort((a, b) => toTaskNumber(a.id) - toTaskNumber(b.id));
  return withCards(
    placed,
    cards,
    columns.reduce((sum, { count }) => sum + count, 0),
  );
}

const toClaimField = (claim: unknown): Fields => (claim ? { claim } : {});

const toProblem = (error: unknown): NonNullable<WatchState['problem']> => {
  const { code, message, fix } = isMap(error) ? error : {};
  return { code: String(code ?? ''), message: String(message ?? ''), fix: String(fix ?? '') };
};

function withColumns(state: WatchState, columns: Column[]): WatchState {
  const chosen = getSelectedCard(state)?.id;
  const column = columns.findIndex(({ cards }) => cards.some(({ id }) => id === chosen));
  const at = columns.map(({ cards }, i) => clampIndex(state.selected[i] ?? 0, cards.length));
  if (column < 0) return { ...state, columns, selected: at, column: findFilledColumn(columns, state.column) };
  at[column] = columns[column]!.cards.findIndex(({ id }) => id === chosen);
  return { ...state, columns, selected: at, column };
}

/** This column, or the first in which there is something to choose. */
function findFilledColumn(columns: Column[], column: number): number {
  const filled = columns.findIndex(({ cards }) => cards.length > 0);
  return columns[column]?.cards.length || filled < 0 ? column : filled;
}

function withCards(state: WatchState, cards: WatchRow[], total: number): WatchState {
  const chosen = listRows(state)[state.row]?.id;
  const shown = listRows({ ...state, cards });
  const found = shown.findIndex(({ id }) => id === chosen);
  return { ...state, cards, total, row: found >= 0 ? found : clampIndex(state.row, shown.length) };
}

/** At the top one sees what comes; below it one has chosen an entry, and stays with it. */
function withLog(state: WatchState, log: WatchEntry[]): WatchState {
  if (state.entry === 0) return { ...state, log };
  const chosen = listEntries(state)[state.entry]?.seq;
  const shown = listEntries({ ...state, log });
  const found = shown.findIndex(({ seq }) => seq === chosen);
  return { ...state, log, entry: found >= 0 ? found : clampIndex(state.entry, shown.length) };
}

export const clampIndex = (at: number, count: number): number => Math.max(0, Math.min(at, count - 1));

export const getSelectedCard = ({ columns, column, selected: at }: WatchState): Card | undefined => columns[column]?.cards[at[column] ?? 0];

/** What the list shows: of a board's cards all, for the board itself is narrowed; else those that the filter leaves. */
export const listRows = ({ cards, listParams: listed, filter }: WatchState): WatchRow[] =>
  listed ? cards.filter(createRowFilter(filter)) : cards;

export const listEntries = ({ log, filter }: WatchState): WatchEntry[] =>
  filter.trim() === ''
    ? log
    : log.filter((entry) => hasWords(`${entry.operation} ${entry.agent} ${listChangedIds(entry).join(' ')}`, filter));

const createRowFilter =
  (filter: string) =>
  ({ id, title }: WatchRow): boolean =>
    hasWords(`${id} ${title}`, filter);

function hasWords(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** The ids that an entry changed. */
export const listChangedIds = ({ created = [], updated = [], deleted = [] }: WatchEntry): string[] => [...created, ...updated, ...deleted];

/** The task that is chosen in this view. */
export function getSelectedTask(state: WatchState): string | undefined {
  if (state.view === 'task') return state.taskId;
  if (state.view === 'board') return getSelectedCard(state)?.id;
  if (state.view === 'list') return listRows(state)[state.row]?.id;
  const entry = listEntries(state)[state.entry];
  return entry && listChangedIds(entry).find((id) => /^T\d+$/.test(id));
}
