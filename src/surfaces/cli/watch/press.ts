import { cardsPerColumn, rowsOf, taskLines } from './frame.ts';
import type { Key, KeyName } from './keys.ts';
import { chosenTask, type Size, type State, shownEntries, shownRows, type View, views, within } from './state.ts';

/** What a key makes of what is on the screen. */
export function press(state: State, key: Key, size: Size): State {
  if ('key' in key && key.key === 'interrupt') return { ...state, isOver: true };
  if (state.isHelp) return { ...state, isHelp: false };
  if (state.isTyping && ('text' in key || !moves.includes(key.key))) return typed(state, key);
  if ('text' in key) return lettered(state, key.text, size);
  return pressed(state, key.key, size);
}

const moves: KeyName[] = ['up', 'down', 'pageUp', 'pageDown'];

/** The filter acts as it is typed; the arrows still move. */
function typed(state: State, key: Key): State {
  const { filter } = state;
  if ('text' in key) return filter.length < longest ? narrowed(state, filter + key.text) : state;
  switch (key.key) {
    case 'backspace':
      return filter === '' ? { ...state, isTyping: false } : narrowed(state, [...filter].slice(0, -1).join(''));
    case 'clear':
      return narrowed(state, '');
    case 'escape':
      return { ...narrowed(state, ''), isTyping: false };
    case 'enter':
    case 'tab':
      return { ...state, isTyping: false };
    default:
      return state;
  }
}

const longest = 100;

const narrowed = (state: State, filter: string): State => ({ ...state, filter, at: [0, 0, 0, 0], row: 0, entry: 0 });

const letters: Record<string, KeyName> = { h: 'left', j: 'down', k: 'up', l: 'right', g: 'home', G: 'end', ' ': 'pageDown' };

function lettered(state: State, text: string, size: Size): State {
  const meant = letters[text];
  if (meant) return pressed(state, meant, size);
  if (text === 'q') return state.view === 'task' ? back(state) : { ...state, isOver: true };
  if (text === '?') return { ...state, isHelp: true };
  if (text === '/') return state.view === 'task' ? state : { ...state, isTyping: true };
  if (text === 'e') return narrowToEpic(state);
  const view = views[Number(text) - 1];
  return view && text.length === 1 ? show(state, view) : state;
}

function pressed(state: State, key: KeyName, size: Size): State {
  switch (key) {
    case 'enter':
      return state.view === 'task' ? state : show(state, 'task');
    case 'escape':
      return undo(state);
    case 'tab':
      return step(state, 1);
    case 'backTab':
      return step(state, -1);
    case 'left':
    case 'right':
      return sideways(state, key === 'right' ? 1 : -1);
    case 'up':
    case 'down':
    case 'pageUp':
    case 'pageDown':
    case 'home':
    case 'end':
      return move(state, key, size);
    default:
      return state;
  }
}

/** One thing at a time: out of the task, off the filter, out of the epic. */
function undo(state: State): State {
  if (state.view === 'task') return back(state);
  if (state.filter !== '') return narrowed(state, '');
  return state.epic ? everything(state) : state;
}

const back = (state: State): State => ({ ...state, view: state.from });

/** The board is of a whole project, a list of what it was asked for. */
const has = ({ listed }: State, view: View): boolean => !(listed && view === 'board');

function show(state: State, view: View): State {
  if (!has(state, view)) return state;
  if (view !== 'task') return { ...state, view, from: view };
  const taskId = chosenTask(state) ?? state.taskId;
  if (taskId === undefined || state.view === 'task') return state;
  const { task: _, ...rest } = state;
  // What was open last is still known, until it is told anew.
  return taskId === state.taskId ? { ...state, view } : { ...rest, view, taskId, scroll: 0 };
}

/** The next view that there is; the one of a task only where one is chosen. */
function step(state: State, by: number): State {
  const shown = views.filter((view) => has(state, view) && (view !== 'task' || (chosenTask(state) ?? state.taskId) !== undefined));
  return show(state, shown[(shown.indexOf(state.view) + by + shown.length) % shown.length]!);
}

/** To the next column with something to choose. */
function sideways(state: State, by: number): State {
  if (state.view !== 'board') return state;
  const { columns } = state;
  let column = state.column + by;
  while (columns[column]?.cards.length === 0) column += by;
  return columns[column] ? { ...state, column } : state;
}

/** To the epic of what is chosen, or to what is chosen itself where it holds others; from there to everything. */
function narrowToEpic(state: State): State {
  if (state.listed || state.view === 'log') return state;
  if (state.epic) return everything(state);
  const id = chosenTask(state);
  const card = state.cards.find((one) => one.id === id);
  const epic = card && (card.type === 'epic' || card.type === 'saga' ? card.id : card.epicId);
  return epic ? { ...narrowed(state, ''), epic, view: state.from === 'log' ? 'board' : state.from } : state;
}

function everything(state: State): State {
  const { epic: _, root: __, ...rest } = state;
  return rest;
}

function move(state: State, key: KeyName, size: Size): State {
  const to = (at: number, count: number, page: number): number => {
    const target = { up: at - 1, down: at + 1, pageUp: at - page, pageDown: at + page, home: 0, end: count - 1 }[key as 'up'];
    return within(target, count);
  };
  switch (state.view) {
    case 'board': {
      const cards = state.columns[state.column]?.cards ?? [];
      const at = state.at.with(state.column, to(state.at[state.column] ?? 0, cards.length, cardsPerColumn(size)));
      return { ...state, at };
    }
    case 'list':
      return { ...state, row: to(state.row, shownRows(state).length, rowsOf(size)) };
    case 'log':
      return { ...state, entry: to(state.entry, shownEntries(state).length, rowsOf(size)) };
    case 'task': {
      // The last line may not leave the bottom of the screen.
      const tops = Math.max(1, taskLines(state, size).length - rowsOf(size) + 1);
      return { ...state, scroll: to(state.scroll, tops, rowsOf(size)) };
    }
  }
}
