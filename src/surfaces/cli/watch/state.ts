import { seqOf } from '#core/model/scalars.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import type { Card, Column } from '#tasks/model/board.ts';
import { type Fields, isFields } from '../human/cell.ts';

export const views = ['board', 'list', 'task', 'log'] as const;
export type View = (typeof views)[number];

export interface Size {
  columns: number;
  rows: number;
}

/** What is on the screen, and everything that decides it but the size. */
export interface State {
  view: View;
  /** Where a task was opened from. */
  from: Exclude<View, 'task'>;
  /** Of `list --watch`: its parameters. There is no board then. */
  listed?: Record<string, unknown>;
  columns: Column[];
  /** What is inside it is all that is shown. */
  epic?: string;
  root?: { id: string; title: string };
  /** The cards of all columns in the order of their ids, or what `list` answers. */
  cards: Row[];
  /** How many there are, shown or not. */
  total: number;
  log: Entry[];
  task?: Fields;
  /** The task that is open, or was last. */
  taskId?: string;
  /** Of the board: which column, and in each which card. */
  column: number;
  at: number[];
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
  isOver: boolean;
}

/** A card, or a task of a list, which tells less of it. */
export type Row = Omit<Card, 'claim'> & Pick<Partial<Card>, 'claim'>;

export interface Entry extends Fields {
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

export const begin = (more: { epic?: string; listed?: Record<string, unknown> }): State => ({
  view: more.listed ? 'list' : 'board',
  from: more.listed ? 'list' : 'board',
  ...more,
  columns: [],
  cards: [],
  total: 0,
  log: [],
  column: 0,
  at: [0, 0, 0, 0],
  row: 0,
  entry: 0,
  scroll: 0,
  filter: '',
  isTyping: false,
  isHelp: false,
  now: '',
  isEmpty: true,
  isOver: false,
});

/** What has to be asked for what is on the screen. */
export interface Need {
  operation: string;
  params: Record<string, unknown>;
}

/** As many of a column as a board answers with; what lies beyond is found by the filter. */
const mostCards = 10_000;
const mostEntries = 200;

export function needOf({ view, listed, epic, filter, taskId }: State): Need {
  if (view === 'task') return { operation: 'tasks.show', params: { taskId } };
  if (view === 'log') return { operation: 'admin.log', params: { limit: mostEntries } };
  if (listed) return { operation: 'tasks.list', params: listed };
  const match = filter.trim();
  return { operation: 'tasks.board', params: { limit: mostCards, ...(epic ? { epic } : {}), ...(match ? { match } : {}) } };
}

/** The answer in its place; what was chosen stays chosen, wherever it has moved to. */
export function take(state: State, { operation }: Need, envelope: Envelope): State {
  const { now: _, ...rest } = state;
  const now = envelope._meta.timestamp;
  if (!envelope.success) return { ...rest, now, problem: problemOf(envelope.error) };
  const { problem: __, ...sound } = { ...rest, now, isEmpty: false };
  if (operation === 'tasks.show') return { ...sound, task: { ...(envelope.task as Fields), ...held(envelope.claim) } };
  if (operation === 'admin.log') return withLog(sound, envelope.entries as Entry[]);
  if (operation === 'tasks.list') {
    const cards = envelope.tasks as Row[];
    return withCards(sound, cards, envelope._meta.truncated?.total ?? cards.length);
  }
  const { root: ___, ...unrooted } = sound;
  const columns = envelope.columns as Column[];
  const placed = withColumns({ ...unrooted, ...(envelope.root ? { root: envelope.root as NonNullable<State['root']> } : {}) }, columns);
  const cards = columns.flatMap((column) => column.cards).sort((a, b) => seqOf(a.id) - seqOf(b.id));
  return withCards(
    placed,
    cards,
    columns.reduce((sum, { count }) => sum + count, 0),
  );
}

const held = (claim: unknown): Fields => (claim ? { claim } : {});

const problemOf = (error: unknown): NonNullable<State['problem']> => {
  const { code, message, fix } = isFields(error) ? error : {};
  return { code: String(code ?? ''), message: String(message ?? ''), fix: String(fix ?? '') };
};

function withColumns(state: State, columns: Column[]): State {
  const chosen = chosenCard(state)?.id;
  const column = columns.findIndex(({ cards }) => cards.some(({ id }) => id === chosen));
  const at = columns.map(({ cards }, i) => within(state.at[i] ?? 0, cards.length));
  if (column < 0) return { ...state, columns, at, column: nearestFilled(columns, state.column) };
  at[column] = columns[column]!.cards.findIndex(({ id }) => id === chosen);
  return { ...state, columns, at, column };
}

/** This column, or the first in which there is something to choose. */
function nearestFilled(columns: Column[], column: number): number {
  const filled = columns.findIndex(({ cards }) => cards.length > 0);
  return columns[column]?.cards.length || filled < 0 ? column : filled;
}

function withCards(state: State, cards: Row[], total: number): State {
  const chosen = shownRows(state)[state.row]?.id;
  const shown = shownRows({ ...state, cards });
  const found = shown.findIndex(({ id }) => id === chosen);
  return { ...state, cards, total, row: found >= 0 ? found : within(state.row, shown.length) };
}

/** At the top one sees what comes; below it one has chosen an entry, and stays with it. */
function withLog(state: State, log: Entry[]): State {
  if (state.entry === 0) return { ...state, log };
  const chosen = shownEntries(state)[state.entry]?.seq;
  const shown = shownEntries({ ...state, log });
  const found = shown.findIndex(({ seq }) => seq === chosen);
  return { ...state, log, entry: found >= 0 ? found : within(state.entry, shown.length) };
}

export const within = (at: number, count: number): number => Math.max(0, Math.min(at, count - 1));

export const chosenCard = ({ columns, column, at }: State): Card | undefined => columns[column]?.cards[at[column] ?? 0];

/** What the list shows: of a board's cards all, for the board itself is narrowed; else those that the filter leaves. */
export const shownRows = ({ cards, listed, filter }: State): Row[] => (listed ? cards.filter(matches(filter)) : cards);

export const shownEntries = ({ log, filter }: State): Entry[] =>
  filter.trim() === '' ? log : log.filter((entry) => hasWords(`${entry.operation} ${entry.agent} ${idsOf(entry).join(' ')}`, filter));

const matches =
  (filter: string) =>
  ({ id, title }: Row): boolean =>
    hasWords(`${id} ${title}`, filter);

function hasWords(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** The ids that an entry changed. */
export const idsOf = ({ created = [], updated = [], deleted = [] }: Entry): string[] => [...created, ...updated, ...deleted];

/** The task that is chosen in this view. */
export function chosenTask(state: State): string | undefined {
  if (state.view === 'task') return state.taskId;
  if (state.view === 'board') return chosenCard(state)?.id;
  if (state.view === 'list') return shownRows(state)[state.row]?.id;
  const entry = shownEntries(state)[state.entry];
  return entry && idsOf(entry).find((id) => /^T\d+$/.test(id));
}
