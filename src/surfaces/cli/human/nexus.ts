import { type Fields, isFields, isRecords } from './cell.ts';
import { facts, record, records } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, wrap } from './text.ts';
import { nodeLine } from './tree.ts';

/** Larger graphs are for `--json` and `--mermaid`. */
const mostLines = 60;

/** The registered projects, a row each; the one that the caller is in has a mark. */
export function projects(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ permission, path }) => permission !== undefined && path !== undefined)) return records(items, screen);
  const rows = items.map(({ here, name, permission, state, path }) => ({
    name: `${name}${here ? ' (here)' : ''}`,
    permission,
    state,
    path,
  }));
  return table(rows, screen, true) ?? rows.flatMap((row) => [`${row.name}  ${row.permission}`, `    ${oneLine(String(row.path))}`]);
}

/** Tasks by their whole names; one that was asked for by its id with everything it has. */
export function farTasks(items: Fields[], screen: Screen): string[] {
  const named = items.map(({ project, id, ...rest }) => ({ id: `${project}:${id}`, ...rest }));
  return named.length === 1 && 'revision' in named[0]! ? record(named[0], screen) : records(named, screen);
}

/** The other end of a dependency. */
export const farOne = (value: unknown, screen: Screen): string[] =>
  isFields(value) && value.project !== undefined ? [endLine(value, screen)] : record(value as Fields, screen);

/** A task, and on which tasks of other projects it hangs in either direction. */
export function farDeps(value: unknown, screen: Screen): string[] {
  if (!isFields(value)) return [];
  const { task, waitsFor, waitedForBy, unanswered } = value;
  if (!isFields(task) || !Array.isArray(waitsFor)) return record(value, screen);
  const part = (title: string, ends: unknown): string[] =>
    isRecords(ends) ? ['', screen.paint('bold', title), ...ends.map((end) => `  ${endLine(end, narrower(screen, 2))}`)] : [];
  const lines = [...part('waits for', waitsFor), ...part('waited for by', waitedForBy), ...silent(unanswered, screen)];
  return [endLine(task, screen), ...(lines.length > 0 ? lines : ['', 'No task of another project is linked to it.'])];
}

/** Each task that waits, with what it waits for below it. */
export function farGraph(value: unknown, screen: Screen): string[] {
  if (!isFields(value)) return [];
  const { nodes, edges, unanswered } = value;
  if (!isRecords(nodes) || !isRecords(edges) || !edges.every(({ from, to }) => typeof from === 'string' && typeof to === 'string'))
    return facts(value, screen);
  const byName = new Map(nodes.map((node) => [`${node.project}:${node.id}`, node]));
  const nodeOf = (name: unknown): Fields => byName.get(String(name)) ?? { id: name };
  const lines = [...new Set(edges.map(({ from }) => from))].flatMap((from) => [
    endLine(nodeOf(from), screen),
    ...edges
      .filter((edge) => edge.from === from)
      .map(({ to, kind }) => `  ${kind === 'across' ? '←' : '·'} ${endLine(nodeOf(to), narrower(screen, 4))}`),
  ]);
  const more = lines.length - mostLines;
  return [
    ...lines.slice(0, mostLines),
    ...(more > 0 ? [screen.paint('dim', `and ${more} lines more`)] : []),
    ...silent(unanswered, screen),
  ];
}

const endLine = ({ project, id, ...rest }: Fields, screen: Screen): string =>
  nodeLine({ ...rest, id: project ? `${project}:${id}` : id }, screen, screen.columns);

const silent = (unanswered: unknown, screen: Screen): string[] =>
  isRecords(unanswered)
    ? [
        '',
        screen.paint('bold', 'gave no answer'),
        ...unanswered.flatMap(({ project, problem }) => hanging(`${project}: ${problem}`, screen)),
      ]
    : [];

const hanging = (text: string, screen: Screen): string[] =>
  wrap(oneLine(text), screen.columns - 2).map((line) => cut(`  ${line}`, screen.columns));
