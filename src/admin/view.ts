import {
  drawFields,
  drawNode,
  drawRecords,
  drawTable,
  escapeControls,
  type Fields,
  formatAge,
  formatChanges,
  formatCount,
  isEmpty,
  isRecords,
  narrowScreen,
  paintCell,
  type Screen,
  toCell,
  toLabel,
  toOneLine,
  toRecords,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';

export const adminView: View = {
  forms: {
    summary: drawDashboard,
    entries: (value, screen) => drawRecords(toRecords(value).map(toLogRow), screen),
    preview: (value, screen) => toRecords(value).flatMap((file) => drawPreview(file, screen)),
  },
};

/** Draws the project on one screen: counts first, then sessions and claims. Empty parts are left out. */
function drawDashboard(fields: Fields, screen: Screen): string[] {
  const { tasks, archived, cancelled, byStatus, byType, ready, next, lastActivity, ...lists } = fields;
  if (typeof tasks !== 'number' || !isPlainObject(byStatus) || !isPlainObject(byType)) return drawFields(fields, screen);
  const inner = narrowScreen(screen, 2);
  const types = Object.entries(byType).map(([name, count]) => `${count} ${toOneLine(name)}`);
  const counts = `${formatCount(tasks, 'task')}${types.length > 0 ? ` (${types.join(', ')})` : ''}`;
  return [
    ...wrap(
      `${counts}${archived ? `, ${archived} archived` : ''}${cancelled ? `, ${cancelled} cancelled` : ''}, ${ready} ready`,
      screen.columns,
    ),
    ...(isEmpty(byStatus) ? [] : [drawStatusCounts(byStatus, screen)]),
    ...(isPlainObject(next) ? [`next  ${drawNode(next, screen, screen.columns - 6)}`] : []),
    ...Object.entries(lists)
      .filter(([, value]) => !isEmpty(value))
      .flatMap(([key, value]) => [
        '',
        screen.paint('bold', truncate(toLabel(key), screen.columns)),
        ...drawPart(key, value, inner).map((line) => `  ${line}`),
      ]),
    ...(isPlainObject(lastActivity)
      ? ['', ...wrap(formatActivity(lastActivity, screen), screen.columns).map((line) => screen.paint('dim', line))]
      : []),
  ];
}

function drawStatusCounts(byStatus: Fields, screen: Screen): string {
  const parts = Object.entries(byStatus).map(([status, count]) => {
    const cell = toCell('status', status);
    return { ...cell, text: `${cell.text} ${count}` };
  });
  const plain = parts.map(({ text }) => text).join('   ');
  if (plain.length > screen.columns) return truncate(plain, screen.columns);
  return parts.map((part) => paintCell(part, screen)).join('   ');
}

function drawPart(key: string, value: unknown, screen: Screen): string[] {
  if (!isRecords(value)) return drawFields({ [key]: value }, screen);
  const rows = value.map((item) => ('since' in item ? { ...item, since: formatAge(item.since, screen.now) } : item));
  if (key === 'sessions') return drawTable(rows.map(toSessionRow), screen, true) ?? drawRecords(rows, screen);
  // The rows of the sessions already list their claims.
  return drawRecords(
    rows.map(({ session: _, ...row }: Fields) => row),
    screen,
  );
}

function toSessionRow({ id, scope, agent, since, claims, name }: Fields): Fields {
  const holds = isRecords(claims) ? claims.map(({ taskId, state }) => (state ? `${taskId} (${state})` : taskId)) : [];
  return { id, scope, agent, since, ...(holds.length > 0 ? { holds } : {}), ...(name ? { name } : {}) };
}

const formatActivity = ({ operation, agent, at }: Fields, { now }: Screen): string =>
  toOneLine(`last activity: ${operation} by ${agent}, ${formatAge(at, now)}`);

/** Shortens a log entry to its caller, operation and outcome; `--json` prints all of it. */
function toLogRow(entry: Fields): Fields {
  if (!('success' in entry)) return entry;
  const { seq, timestamp, agent, operation, success, errorCode, exitCode, created, updated, deleted, params } = entry;
  const outcome = success ? formatChanges({ created, updated, deleted }).join(', ') : `${errorCode} (${exitCode})`;
  return { seq, timestamp, status: success ? 'ok' : 'error', agent, operation, outcome, ...(isEmpty(params) ? {} : { params }) };
}

/** Draws the text that would be added to a file. */
const drawPreview = ({ file, adds }: Fields, screen: Screen): string[] => [
  screen.paint('bold', String(file)),
  ...String(adds)
    .split(/\r?\n/)
    .map((line) => `  ${escapeControls(line)}`.trimEnd()),
];
