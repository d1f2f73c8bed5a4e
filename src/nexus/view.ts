import {
  drawFields,
  drawNode,
  drawRecord,
  drawRecords,
  drawTable,
  type Fields,
  isRecords,
  narrowScreen,
  type Screen,
  toListForm,
  toOneLine,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';

export const nexusView: View = {
  forms: {
    projects: toListForm(drawProjects),
    tasks: toListForm(drawTasks),
    on: drawTarget,
    deps: drawDependencies,
    graph: drawGraph,
  },
};

/** Draws a row for each registered project; the current one is marked. */
function drawProjects(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ permission, path }) => permission !== undefined && path !== undefined)) return drawRecords(items, screen);
  const rows = items.map(({ here, name, permission, state, path }) => ({
    name: `${name}${here ? ' (here)' : ''}`,
    permission,
    state,
    path,
  }));
  return drawTable(rows, screen, true) ?? rows.flatMap((row) => [`${row.name}  ${row.permission}`, `    ${toOneLine(String(row.path))}`]);
}

/** Draws tasks with the names of their projects; a task that was queried by id with all its fields. */
function drawTasks(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ project }) => typeof project === 'string')) return drawRecords(items, screen);
  const tasks = items.map(({ project, id, ...rest }) => ({ id: `${project}:${id}`, ...rest }));
  return tasks.length === 1 && 'revision' in tasks[0]! ? drawRecord(tasks[0], screen) : drawRecords(tasks, screen);
}

/** Draws the other end of a dependency. */
function drawTarget(fields: Fields, screen: Screen): string[] {
  return fields.project === undefined ? drawRecord(fields, screen) : [drawTask(fields, screen)];
}

/** Draws a task and its dependencies on tasks of other projects, in both directions. */
function drawDependencies(fields: Fields, screen: Screen): string[] {
  const { task, waitsFor, waitedForBy, unanswered } = fields;
  if (!isPlainObject(task) || !Array.isArray(waitsFor)) return drawRecord(fields, screen);
  const drawPart = (title: string, ends: unknown): string[] =>
    isRecords(ends) ? ['', screen.paint('bold', title), ...ends.map((end) => `  ${drawTask(end, narrowScreen(screen, 2))}`)] : [];
  const lines = [...drawPart('waits for', waitsFor), ...drawPart('waited for by', waitedForBy), ...drawUnanswered(unanswered, screen)];
  return [drawTask(task, screen), ...(lines.length > 0 ? lines : ['', 'No task of another project is linked to it.'])];
}

/** Larger graphs are cut; `--json` and `--mermaid` print them whole. */
const maxLines = 60;

/** Draws each task that waits with its dependencies below it. */
function drawGraph(fields: Fields, screen: Screen): string[] {
  const { nodes, edges, unanswered } = fields;
  if (!isRecords(nodes) || !isRecords(edges) || !edges.every(({ from, to }) => typeof from === 'string' && typeof to === 'string'))
    return drawFields(fields, screen);
  const byName = new Map(nodes.map((node) => [`${node.project}:${node.id}`, node]));
  const getNode = (name: unknown): Fields => byName.get(String(name)) ?? { id: name };
  const lines = [...new Set(edges.map(({ from }) => from))].flatMap((from) => [
    drawTask(getNode(from), screen),
    ...edges
      .filter((edge) => edge.from === from)
      .map(({ to, kind }) => `  ${kind === 'across' ? '←' : '·'} ${drawTask(getNode(to), narrowScreen(screen, 4))}`),
  ]);
  const more = lines.length - maxLines;
  return [
    ...lines.slice(0, maxLines),
    ...(more > 0 ? [screen.paint('dim', `and ${more} lines more`)] : []),
    ...drawUnanswered(unanswered, screen),
  ];
}

const drawTask = ({ project, id, ...rest }: Fields, screen: Screen): string =>
  drawNode({ ...rest, id: project ? `${project}:${id}` : id }, screen);

/** Draws the projects that could not be read. */
const drawUnanswered = (unanswered: unknown, screen: Screen): string[] =>
  isRecords(unanswered)
    ? [
        '',
        screen.paint('bold', 'gave no answer'),
        ...unanswered.flatMap(({ project, problem }) =>
          wrap(toOneLine(`${project}: ${problem}`), screen.columns - 2).map((line) => truncate(`  ${line}`, screen.columns)),
        ),
      ]
    : [];
