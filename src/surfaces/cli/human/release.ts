import { type Fields, isFields, isRecords, timeOf } from './cell.ts';
import { record, records } from './record.ts';
import type { Colour, Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';

const marks: Record<string, { text: string; colour?: Colour }> = {
  created: { text: '○' },
  shipping: { text: '◐', colour: 'cyan' },
  shipped: { text: '✓', colour: 'green' },
  begun: { text: '◐', colour: 'yellow' },
  done: { text: '✓', colour: 'green' },
};
/** So many tasks are told by name; `--json` has them all. */
const mostTasks = 20;

/** One release: how far it has come, what is in it, and where it comes from. */
export function release(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || typeof value.version !== 'string') return isFields(value) ? record(value, screen) : [];
  const { version, status, epicId, createdAt, createdBy, shippedAt, commit, tag, tasks, steps, provenance } = value;
  const mark = markOf(status, screen);
  const said = [
    status === 'created' ? 'not shipped yet' : String(status),
    epicId && `of ${epicId}`,
    `created ${timeOf(createdAt)} by ${createdBy}`,
    shippedAt && `shipped ${timeOf(shippedAt)}`,
  ];
  const lines = [
    `${mark} ${screen.paint('bold', cut(oneLine(version), screen.columns - 2))}`,
    ...indented(said.filter(Boolean).join(' · '), screen),
  ];
  if (commit) lines.push(...indented(`commit ${commit}${tag ? `, tag ${tag}` : ''}`, screen));
  if (isRecords(steps)) lines.push('', ...stepLines(steps, screen));
  if (isRecords(tasks))
    lines.push('', screen.paint('bold', `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`), ...taskLines(tasks, screen));
  if (isFields(provenance) && isRecords(provenance.artifacts))
    lines.push('', screen.paint('bold', 'digests'), ...digestLines(provenance.artifacts, screen));
  return lines;
}

/** Many of them: a row each. */
export function releases(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ version, taskCount }) => typeof version === 'string' && taskCount !== undefined)) return records(items, screen);
  const rows = items.map(({ version, status, taskCount, createdAt, shippedAt = '', commit = '' }) => ({
    release: version,
    state: status,
    tasks: taskCount,
    created: createdAt,
    shipped: shippedAt,
    commit: String(commit).slice(0, 12),
  }));
  return table(rows, screen, true) ?? items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...release(item, screen)]);
}

function stepLines(steps: Fields[], screen: Screen): string[] {
  const width = Math.max(...steps.map(({ step }) => widthOf(String(step))));
  return steps.map(({ step, state, what = state === 'begun' ? 'begun, not finished' : '' }) =>
    `  ${markOf(state, screen)} ${pad(oneLine(String(step)), width)}  ${cut(oneLine(String(what)), screen.columns - width - 6)}`.trimEnd(),
  );
}

const taskLines = (tasks: Fields[], screen: Screen): string[] => [
  ...tasks.slice(0, mostTasks).map(({ id, title = '' }) => {
    const name = oneLine(String(id));
    return `  ${screen.paint('cyan', name)}  ${cut(oneLine(String(title)), screen.columns - widthOf(name) - 4)}`.trimEnd();
  }),
  ...(tasks.length > mostTasks ? [screen.paint('dim', `  and ${tasks.length - mostTasks} more`)] : []),
];

const digestLines = (artifacts: Fields[], screen: Screen): string[] =>
  artifacts.map(
    ({ name, sha256 }) => `  ${screen.paint('dim', String(sha256).slice(0, 12))}  ${cut(oneLine(String(name)), screen.columns - 16)}`,
  );

const indented = (text: string, screen: Screen): string[] => wrap(oneLine(text), screen.columns - 2).map((line) => `  ${line}`);

function markOf(state: unknown, screen: Screen): string {
  const { text, colour } = marks[String(state)] ?? { text: '·' };
  return colour ? screen.paint(colour, text) : text;
}
