import {
  createScreen,
  drawRecord,
  formatId,
  measureWidth,
  type Paint,
  padLeft,
  padRight,
  type Screen,
  toCell,
  toOneLine,
  truncate,
} from '#core/terminal/index.ts';
import { countCards, drawBoard } from './board.ts';
import { drawList } from './list.ts';
import { drawLog } from './log.ts';
import {
  listVisibleEntries,
  listVisibleRows,
  listVisibleWork,
  type ScreenSize,
  type WatchState,
  type WatchView,
  watchViews,
} from './state.ts';
import { truncatePainted } from './window.ts';
import { drawWork } from './work.ts';

/** Draws the whole screen: `rows` lines of at most `columns` columns. */
export function drawFrame(state: WatchState, size: ScreenSize, hasColour: boolean): string[] {
  const screen: Screen = { columns: size.columns, now: state.now, paint: createScreen({ columns: 80, hasColour }).paint };
  const height = countRows(size);
  const body = drawBody(state, screen, height);
  const lines = [
    ...(size.rows >= 3 ? [drawHeader(state, screen)] : []),
    ...Array.from({ length: height }, (_, row) => body[row] ?? ''),
    ...(size.rows >= 2 ? [drawFooter(state, screen)] : []),
  ];
  return lines.map((line) => truncatePainted(line, size.columns));
}

/** Counts the lines between header and footer. */
export const countRows = ({ rows }: ScreenSize): number => Math.max(1, rows - (rows >= 3 ? 2 : rows - 1));

export const countColumnCards = (size: ScreenSize): number => countCards(countRows(size));

function drawBody(state: WatchState, screen: Screen, height: number): string[] {
  if (state.isHelp) return drawHelp(state, screen);
  if (state.view === 'task') return drawTask(state, screen, screen.paint).slice(state.scroll, state.scroll + height);
  if (state.isEmpty) return [];
  if (state.view === 'work') return drawWork(state, screen, height);
  const hasNoRows = state.view === 'log' ? listVisibleEntries(state).length === 0 : listVisibleRows(state).length === 0;
  if (hasNoRows) return ['', `  ${formatEmpty(state)}`];
  if (state.view === 'log') return drawLog(state, screen, height);
  return state.view === 'board' ? drawBoard(state, screen, height) : drawList(state, screen, height);
}

function formatEmpty({ view, filter, listParams, epic }: WatchState): string {
  if (filter.trim() !== '') return `nothing matches ${toOneLine(filter)}`;
  if (view === 'log') return 'nothing was written yet';
  if (epic) return `nothing is inside ${epic}`;
  return listParams ? 'no task is listed' : 'no task yet: cleo add "Write the parser"';
}

export function drawTask({ task, now }: WatchState, { columns }: Pick<ScreenSize, 'columns'>, paint: Paint = (_, text) => text): string[] {
  return task ? drawRecord(task, { columns: Math.max(40, columns), now, paint }) : [];
}

function drawHeader(state: WatchState, { columns, paint }: Screen): string {
  const names = watchViews.filter((view) => !(state.listParams && view === 'board'));
  const formatTab = (view: WatchView): string => `${watchViews.indexOf(view) + 1} ${view}`;
  const tabs = names
    .map((view) => (view === state.view ? paint('bold', `[${formatTab(view)}]`) : paint('dim', ` ${formatTab(view)} `)))
    .join('');
  const { root, epic, view, task } = state;
  const place = view === 'task' ? (task ? formatId(task) : '') : root ? `in ${root.id} ${toOneLine(root.title)}` : epic ? `in ${epic}` : '';
  return joinEnds(tabs, paint('cyan', truncate(place, columns - measureWidth(tabs) - 1)), columns);
}

function drawFooter(state: WatchState, { columns, paint }: Screen): string {
  if (state.problem) {
    const { code, message, fix } = state.problem;
    return paint('red', truncate(toOneLine(`${code} ${message} (${fix})`), columns));
  }
  if (state.isTyping) return `/${toOneLine(state.filter)}${paint('bold', '█')}`;
  const position = formatPosition(state);
  const hints = state.isHelp
    ? ['any key goes back']
    : [...(state.filter ? [`/${toOneLine(state.filter)}`, 'esc all'] : []), ...listHints(state)];
  let text = '';
  for (const hint of hints) {
    const longer = text ? `${text}  ${hint}` : hint;
    if (measureWidth(longer) + measureWidth(position) + 1 > columns) break;
    text = longer;
  }
  return joinEnds(paint('dim', text), paint('dim', position), columns);
}

const listHints = ({ view, epic, listParams }: WatchState): string[] => {
  if (view === 'task') return ['? help', 'esc back', '↑↓ scroll'];
  const epicHint = view === 'log' || view === 'work' || listParams ? [] : [epic ? 'e all' : 'e epic'];
  return ['? help', 'q quit', '⏎ open', '/ filter', ...epicHint, view === 'board' ? '←↓↑→ move' : '↑↓ move'];
};

/** Formats the selected line and the number of lines: `3/12`. */
function formatPosition(state: WatchState): string {
  const format = (at: number, count: number): string => (count > 0 ? `${Math.min(at + 1, count)}/${count}` : '');
  if (state.isHelp || state.view === 'task') return '';
  if (state.view === 'log') return format(state.entry, listVisibleEntries(state).length);
  if (state.view === 'work') return format(state.workRow, listVisibleWork(state).length);
  if (state.view === 'list') return format(state.row, state.listParams && state.filter ? listVisibleRows(state).length : state.total);
  return format(state.selected[state.column] ?? 0, state.columns[state.column]?.count ?? 0);
}

const keyHelp: [keys: string, about: string][] = [
  ['↑ ↓ ← →  h j k l', 'move'],
  ['PgUp PgDn  g G', 'a page; to the first, the last'],
  ['enter', 'open the selected task'],
  ['1 2 3 4 5  tab', 'board, list, task, log, work'],
  ['/', 'filter by words; esc shows all'],
  ['e', 'show only the epic of the selected task; again: everything'],
  ['esc', 'back'],
  ['q', 'back from a task; else quit'],
  ['ctrl+l  ctrl+z', 'redraw; suspend'],
];

const drawHelp = (state: WatchState, { paint }: Screen): string[] => [
  '',
  ...keyHelp.map(([name, about]) => `  ${paint('cyan', padRight(name, 20))}${about}`),
  '',
  paint('dim', `  Marks: ${['pending', 'active', 'blocked', 'done'].map((status) => toCell('status', status).text).join('  ')}`),
  ...(state.now ? [paint('dim', `  Times are UTC; it is ${state.now.slice(11, 16)} by the last answer.`)] : []),
];

const joinEnds = (left: string, right: string, width: number): string =>
  right === '' ? left : `${left}${padLeft(right, Math.max(0, width - measureWidth(left)))}`;
