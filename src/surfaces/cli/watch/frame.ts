import { cellOf, idOf } from '../human/cell.ts';
import { record } from '../human/record.ts';
import { type Paint, type Screen, screenOf } from '../human/screen.ts';
import { cut, oneLine, pad, padLeft, widthOf } from '../human/text.ts';
import { boardBody, cardsIn } from './board.ts';
import { listBody } from './list.ts';
import { logBody } from './log.ts';
import { type Size, type State, shownEntries, shownRows, type View, views } from './state.ts';
import { clip } from './window.ts';

/** The whole screen: as many lines as it has, none wider than it is. */
export function frame(state: State, size: Size, hasColour: boolean): string[] {
  const screen: Screen = { columns: size.columns, now: state.now, paint: screenOf({ columns: 80, hasColour }).paint };
  const height = rowsOf(size);
  const body = bodyOf(state, screen, height);
  const lines = [
    ...(size.rows >= 3 ? [head(state, screen)] : []),
    ...Array.from({ length: height }, (_, row) => body[row] ?? ''),
    ...(size.rows >= 2 ? [foot(state, screen)] : []),
  ];
  return lines.map((line) => clip(line, size.columns));
}

/** Lines between head and foot. */
export const rowsOf = ({ rows }: Size): number => Math.max(1, rows - (rows >= 3 ? 2 : rows - 1));

export const cardsPerColumn = (size: Size): number => cardsIn(rowsOf(size));

function bodyOf(state: State, screen: Screen, height: number): string[] {
  if (state.isHelp) return helpLines(state, screen);
  if (state.view === 'task') return taskLines(state, screen, screen.paint).slice(state.scroll, state.scroll + height);
  if (state.isEmpty) return [];
  const isBare = state.view === 'log' ? shownEntries(state).length === 0 : shownRows(state).length === 0;
  if (isBare) return ['', `  ${emptyText(state)}`];
  if (state.view === 'log') return logBody(state, screen, height);
  return state.view === 'board' ? boardBody(state, screen, height) : listBody(state, screen, height);
}

function emptyText({ view, filter, listed, epic }: State): string {
  if (filter.trim() !== '') return `nothing matches ${oneLine(filter)}`;
  if (view === 'log') return 'nothing was written yet';
  if (epic) return `nothing is inside ${epic}`;
  return listed ? 'no task is listed' : 'no task yet: cleo add "Write the parser"';
}

/** Everything about the open task, in lines for a screen of this width. */
export function taskLines({ task, now }: State, { columns }: Pick<Size, 'columns'>, paint: Paint = (_, text) => text): string[] {
  return task ? record(task, { columns: Math.max(40, columns), now, paint }) : [];
}

function head(state: State, { columns, paint }: Screen): string {
  const names = views.filter((view) => !(state.listed && view === 'board'));
  const tab = (view: View): string => `${views.indexOf(view) + 1} ${view}`;
  const tabs = names.map((view) => (view === state.view ? paint('bold', `[${tab(view)}]`) : paint('dim', ` ${tab(view)} `))).join('');
  const { root, epic, view, task } = state;
  const place = view === 'task' ? (task ? idOf(task) : '') : root ? `in ${root.id} ${oneLine(root.title)}` : epic ? `in ${epic}` : '';
  return spread(tabs, paint('cyan', cut(place, columns - widthOf(tabs) - 1)), columns);
}

function foot(state: State, { columns, paint }: Screen): string {
  if (state.problem) {
    const { code, message, fix } = state.problem;
    return paint('red', cut(oneLine(`${code} ${message} (${fix})`), columns));
  }
  if (state.isTyping) return `/${oneLine(state.filter)}${paint('bold', '█')}`;
  const position = positionOf(state);
  const hints = state.isHelp
    ? ['any key goes back']
    : [...(state.filter ? [`/${oneLine(state.filter)}`, 'esc all'] : []), ...hintsOf(state)];
  let text = '';
  for (const hint of hints) {
    const longer = text ? `${text}  ${hint}` : hint;
    if (widthOf(longer) + widthOf(position) + 1 > columns) break;
    text = longer;
  }
  return spread(paint('dim', text), paint('dim', position), columns);
}

const hintsOf = ({ view, epic, listed }: State): string[] => {
  if (view === 'task') return ['? help', 'esc back', '↑↓ scroll'];
  const narrow = view === 'log' || listed ? [] : [epic ? 'e all' : 'e epic'];
  return ['? help', 'q quit', '⏎ open', '/ filter', ...narrow, view === 'board' ? '←↓↑→ move' : '↑↓ move'];
};

/** Which one of how many. */
function positionOf(state: State): string {
  const of = (at: number, count: number): string => (count > 0 ? `${Math.min(at + 1, count)}/${count}` : '');
  if (state.isHelp || state.view === 'task') return '';
  if (state.view === 'log') return of(state.entry, shownEntries(state).length);
  if (state.view === 'list') return of(state.row, state.listed && state.filter ? shownRows(state).length : state.total);
  return of(state.at[state.column] ?? 0, state.columns[state.column]?.count ?? 0);
}

const keys: [keys: string, about: string][] = [
  ['↑ ↓ ← →  h j k l', 'move'],
  ['PgUp PgDn  g G', 'a page; to the first, the last'],
  ['enter', 'open the task that is chosen'],
  ['1 2 3 4  tab', 'board, list, task, log'],
  ['/', 'show only what has these words; esc shows all'],
  ['e', 'only what is in the epic of the chosen task; again: everything'],
  ['esc', 'back'],
  ['q', 'back from a task; else quit'],
  ['ctrl+l  ctrl+z', 'draw anew; suspend'],
];

const helpLines = (state: State, { paint }: Screen): string[] => [
  '',
  ...keys.map(([name, about]) => `  ${paint('cyan', pad(name, 20))}${about}`),
  '',
  paint('dim', `  Marks: ${['pending', 'active', 'blocked', 'done'].map((status) => cellOf('status', status).text).join('  ')}`),
  ...(state.now ? [paint('dim', `  Times are UTC; it is ${state.now.slice(11, 16)} by the last answer.`)] : []),
];

const spread = (left: string, right: string, width: number): string =>
  right === '' ? left : `${left}${padLeft(right, Math.max(0, width - widthOf(left)))}`;
