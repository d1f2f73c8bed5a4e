import {
  type Cell,
  drawEach,
  drawIndented,
  drawRecord,
  drawRecords,
  drawTable,
  type Fields,
  formatCount,
  formatTime,
  isRecords,
  joinParts,
  measureWidth,
  padRight,
  paintCell,
  type Screen,
  toListForm,
  toOneLine,
  truncate,
  type View,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';

export const releaseView: View = {
  forms: {
    release: drawRelease,
    releases: toListForm(drawReleases),
  },
};

const marks: Record<string, Cell> = {
  created: { text: '○' },
  shipping: { text: '◐', colour: 'cyan' },
  shipped: { text: '✓', colour: 'green' },
  begun: { text: '◐', colour: 'yellow' },
  done: { text: '✓', colour: 'green' },
};
/** Further tasks are only counted; `--json` lists them all. */
const maxTasks = 20;

/** Draws one release: its steps, its tasks and the digests of its artifacts. */
function drawRelease(fields: Fields, screen: Screen): string[] {
  const { version, status, epicId, createdAt, createdBy, shippedAt, commit, tag, tasks, steps, provenance } = fields;
  if (typeof version !== 'string') return drawRecord(fields, screen);
  const about = [
    status === 'created' ? 'not shipped yet' : String(status),
    epicId && `of ${epicId}`,
    `created ${formatTime(createdAt)} by ${createdBy}`,
    shippedAt && `shipped ${formatTime(shippedAt)}`,
  ];
  const lines = [
    `${drawMark(status, screen)} ${screen.paint('bold', truncate(toOneLine(version), screen.columns - 2))}`,
    ...drawIndented(joinParts(about), screen),
  ];
  if (commit) lines.push(...drawIndented(`commit ${commit}${tag ? `, tag ${tag}` : ''}`, screen));
  if (isRecords(steps)) lines.push('', ...drawSteps(steps, screen));
  if (isRecords(tasks)) lines.push('', screen.paint('bold', formatCount(tasks.length, 'task')), ...drawTasks(tasks, screen));
  if (isPlainObject(provenance) && isRecords(provenance.artifacts))
    lines.push('', screen.paint('bold', 'digests'), ...drawDigests(provenance.artifacts, screen));
  return lines;
}

function drawReleases(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ version, taskCount }) => typeof version === 'string' && taskCount !== undefined)) return drawRecords(items, screen);
  const rows = items.map(({ version, status, taskCount, createdAt, shippedAt = '', commit = '' }) => ({
    release: version,
    state: status,
    tasks: taskCount,
    created: createdAt,
    shipped: shippedAt,
    commit: String(commit).slice(0, 12),
  }));
  return drawTable(rows, screen, true) ?? drawEach(items, (item) => drawRelease(item, screen));
}

function drawSteps(steps: Fields[], screen: Screen): string[] {
  const width = Math.max(...steps.map(({ step }) => measureWidth(String(step))));
  return steps.map(({ step, state, what = state === 'begun' ? 'begun, not finished' : '' }) =>
    `  ${drawMark(state, screen)} ${padRight(toOneLine(String(step)), width)}  ${truncate(toOneLine(String(what)), screen.columns - width - 6)}`.trimEnd(),
  );
}

const drawTasks = (tasks: Fields[], screen: Screen): string[] => [
  ...tasks.slice(0, maxTasks).map(({ id, title = '' }) => {
    const name = toOneLine(String(id));
    return `  ${screen.paint('cyan', name)}  ${truncate(toOneLine(String(title)), screen.columns - measureWidth(name) - 4)}`.trimEnd();
  }),
  ...(tasks.length > maxTasks ? [screen.paint('dim', `  and ${tasks.length - maxTasks} more`)] : []),
];

const drawDigests = (artifacts: Fields[], screen: Screen): string[] =>
  artifacts.map(
    ({ name, sha256 }) =>
      `  ${screen.paint('dim', String(sha256).slice(0, 12))}  ${truncate(toOneLine(String(name)), screen.columns - 16)}`,
  );

const drawMark = (state: unknown, screen: Screen): string => paintCell(marks[String(state)] ?? { text: '·' }, screen);
