import { countColumnCards, countRows, drawTask } from './frame.ts';
import type { Key, KeyName } from './keys.ts';
import {
  clampIndex,
  getSelectedTask,
  listVisibleEntries,
  listVisibleRows,
  listVisibleWork,
  type ScreenSize,
  type WatchState,
  type WatchView,
  watchViews,
} from './state.ts';

/** Returns the state after a key. */
export function reduceKey(state: WatchState, key: Key, size: ScreenSize): WatchState {
  if ('key' in key && key.key === 'interrupt') return { ...state, isClosed: true };
  if (state.isHelp) return { ...state, isHelp: false };
  if (state.isTyping && ('text' in key || !moveKeys.includes(key.key))) return reduceFilterKey(state, key);
  if ('text' in key) return reduceLetter(state, key.text, size);
  return reduceNamedKey(state, key.key, size);
}

const moveKeys: KeyName[] = ['up', 'down', 'pageUp', 'pageDown'];

/** Edits the filter, which applies as it is typed. */
function reduceFilterKey(state: WatchState, key: Key): WatchState {
  const { filter } = state;
  if ('text' in key) return filter.length < maxFilterLength ? setFilter(state, filter + key.text) : state;
  switch (key.key) {
    case 'backspace':
      return filter === '' ? { ...state, isTyping: false } : setFilter(state, [...filter].slice(0, -1).join(''));
    case 'clear':
      return setFilter(state, '');
    case 'escape':
      return { ...setFilter(state, ''), isTyping: false };
    case 'enter':
    case 'tab':
      return { ...state, isTyping: false };
    default:
      return state;
  }
}

const maxFilterLength = 100;

const setFilter = (state: WatchState, filter: string): WatchState => ({
  ...state,
  filter,
  selected: [0, 0, 0, 0],
  row: 0,
  entry: 0,
  workRow: 0,
});

const letterKeys: Record<string, KeyName> = { h: 'left', j: 'down', k: 'up', l: 'right', g: 'home', G: 'end', ' ': 'pageDown' };

function reduceLetter(state: WatchState, text: string, size: ScreenSize): WatchState {
  const key = letterKeys[text];
  if (key) return reduceNamedKey(state, key, size);
  if (text === 'q') return state.view === 'task' ? closeTask(state) : { ...state, isClosed: true };
  if (text === '?') return { ...state, isHelp: true };
  if (text === '/') return state.view === 'task' ? state : { ...state, isTyping: true };
  if (text === 'e') return narrowToEpic(state);
  const view = watchViews[Number(text) - 1];
  return view && text.length === 1 ? showView(state, view) : state;
}

function reduceNamedKey(state: WatchState, key: KeyName, size: ScreenSize): WatchState {
  switch (key) {
    case 'enter':
      return state.view === 'task' ? state : showView(state, 'task');
    case 'escape':
      return cancelView(state);
    case 'tab':
      return stepView(state, 1);
    case 'backTab':
      return stepView(state, -1);
    case 'left':
    case 'right':
      return moveColumn(state, key === 'right' ? 1 : -1);
    case 'up':
    case 'down':
    case 'pageUp':
    case 'pageDown':
    case 'home':
    case 'end':
      return moveSelection(state, key, size);
    default:
      return state;
  }
}

/** Leaves one level: the task, then the filter, then the epic. */
function cancelView(state: WatchState): WatchState {
  if (state.view === 'task') return closeTask(state);
  if (state.filter !== '') return setFilter(state, '');
  return state.epic ? clearEpic(state) : state;
}

const closeTask = (state: WatchState): WatchState => ({ ...state, view: state.previousView });

/** `list --watch` has no board. */
const hasView = ({ listParams }: WatchState, view: WatchView): boolean => !(listParams && view === 'board');

function showView(state: WatchState, view: WatchView): WatchState {
  if (!hasView(state, view)) return state;
  if (view !== 'task') return { ...state, view, previousView: view };
  const taskId = getSelectedTask(state) ?? state.taskId;
  if (taskId === undefined || state.view === 'task') return state;
  const { task: _, ...rest } = state;
  // The last task stays visible until it is reloaded.
  return taskId === state.taskId ? { ...state, view } : { ...rest, view, taskId, scroll: 0 };
}

/** Shows the next available view; the task view only if a task is selected. */
function stepView(state: WatchState, by: number): WatchState {
  const shown = watchViews.filter(
    (view) => hasView(state, view) && (view !== 'task' || (getSelectedTask(state) ?? state.taskId) !== undefined),
  );
  return showView(state, shown[(shown.indexOf(state.view) + by + shown.length) % shown.length]!);
}

/** Selects the next column that has cards. */
function moveColumn(state: WatchState, by: number): WatchState {
  if (state.view !== 'board') return state;
  const { columns } = state;
  let column = state.column + by;
  while (columns[column]?.cards.length === 0) column += by;
  return columns[column] ? { ...state, column } : state;
}

/** Narrows the board to the epic of the selected task, or to the task if it is an epic or saga; a second call shows everything. */
function narrowToEpic(state: WatchState): WatchState {
  if (state.listParams || state.view === 'log' || state.view === 'work') return state;
  if (state.epic) return clearEpic(state);
  const id = getSelectedTask(state);
  const card = state.cards.find((one) => one.id === id);
  const epic = card && (card.type === 'epic' || card.type === 'saga' ? card.id : card.epicId);
  return epic ? { ...setFilter(state, ''), epic, view: state.previousView === 'list' ? 'list' : 'board' } : state;
}

function clearEpic(state: WatchState): WatchState {
  const { epic: _, root: __, ...rest } = state;
  return rest;
}

function moveSelection(state: WatchState, key: KeyName, size: ScreenSize): WatchState {
  const moveIndex = (at: number, count: number, page: number): number => {
    const target = { up: at - 1, down: at + 1, pageUp: at - page, pageDown: at + page, home: 0, end: count - 1 }[key as 'up'];
    return clampIndex(target, count);
  };
  switch (state.view) {
    case 'board': {
      const cards = state.columns[state.column]?.cards ?? [];
      const selected = state.selected.with(
        state.column,
        moveIndex(state.selected[state.column] ?? 0, cards.length, countColumnCards(size)),
      );
      return { ...state, selected };
    }
    case 'list':
      return { ...state, row: moveIndex(state.row, listVisibleRows(state).length, countRows(size)) };
    case 'log':
      return { ...state, entry: moveIndex(state.entry, listVisibleEntries(state).length, countRows(size)) };
    case 'work':
      return { ...state, workRow: moveIndex(state.workRow, listVisibleWork(state).length, countRows(size)) };
    case 'task': {
      // The last line stays at the bottom of the screen.
      const maxScrolls = Math.max(1, drawTask(state, size).length - countRows(size) + 1);
      return { ...state, scroll: moveIndex(state.scroll, maxScrolls, countRows(size)) };
    }
  }
}
