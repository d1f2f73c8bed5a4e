import {
  type Cell,
  createScreen,
  drawEach,
  drawFields,
  drawHanging,
  drawIndented,
  drawNamed,
  drawOmitted,
  drawRecord,
  drawRecords,
  drawTable,
  type Fields,
  formatAge,
  formatId,
  getMark,
  indentLines,
  isEmpty,
  isRecords,
  joinParts,
  measureWidth,
  narrowScreen,
  paintCell,
  type Screen,
  toListForm,
  toOneLine,
  toRecords,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { defined, isPlainObject } from '#lib/collections.ts';

export const sessionView: View = {
  forms: {
    session: drawSession,
    sessions: toListForm(drawSessions),
    lanes: toListForm(drawLanes),
    handoff: drawHandoff,
    briefing: drawBriefing,
    omitted: drawOmitted,
    context: drawContext,
  },
  titledKeys: ['omitted'],
};

/** Draws one session: its id and state on two lines, then its agents, their claims and the handoff. */
export function drawSession(fields: Fields, screen: Screen): string[] {
  if (!isSession(fields)) return drawRecord(fields, screen);
  const { id, name, scope, status, agent, startedAt, endedAt, graded, phase, agents, claims, context, note, handoff, ...others } = fields;
  const mark = getMark(status) ?? { text: '·' };
  const about = [
    status,
    scope,
    agent,
    `started ${formatAge(startedAt, screen.now)}`,
    ...(endedAt ? [`ended ${formatAge(endedAt, screen.now)}`] : []),
    ...(graded ? ['graded'] : []),
    ...(phase ? [`phase ${phase}`] : []),
  ];
  const isAlone = Array.isArray(agents) && agents.length === 1 && agents[0] === agent;
  const isInHandoff = isPlainObject(handoff) && handoff.note === note;
  const rest = { ...(isAlone ? {} : { agents }), ...(isInHandoff ? {} : { note }), ...others };
  const body = [
    ...drawFields(defined(rest), narrowScreen(screen, 2)),
    ...(isRecords(claims) ? drawNamed([['holds', claims.map((claim) => drawClaim(claim, narrowScreen(screen, 9)))]], screen) : []),
    ...(isRecords(context)
      ? drawNamed([['context', context.map((report) => formatReport(report, narrowScreen(screen, 11)))]], screen)
      : []),
  ];
  return [
    ...drawHead(`${paintCell(mark, screen)} ${screen.paint('cyan', truncate(toOneLine(String(id)), screen.columns - 2))}`, name, screen),
    ...drawIndented(joinParts(about), screen),
    ...(body.length > 0 ? ['', ...indentLines(body)] : []),
    ...(isPlainObject(handoff) ? ['', screen.paint('bold', 'handoff'), ...indentLines(drawHandoff(handoff, narrowScreen(screen, 2)))] : []),
  ];
}

function drawSessions(items: Fields[], screen: Screen): string[] {
  if (!items.every(isSession)) return drawRecords(items, screen);
  const rows = items.map(({ id, status, scope, agent, startedAt, endedAt, graded, phase, name }) => ({
    id,
    status,
    scope,
    agent,
    since: formatAge(endedAt ?? startedAt, screen.now),
    ...(graded ? { graded } : {}),
    ...(phase ? { phase } : {}),
    ...(name ? { name } : {}),
  }));
  return drawTable(rows, screen, true) ?? drawEach(items, (item) => drawSession(item, screen));
}

/** Draws what each agent did, one line for each period and event, in the order of time. */
function drawLanes(lanes: Fields[], screen: Screen): string[] {
  if (!lanes.every(({ focus, marks }) => isRecords(focus) || isRecords(marks))) return drawRecords(lanes, screen);
  return drawEach(lanes, ({ agent, focus, marks }) => {
    const periods = toRecords(focus).map(({ taskId, title, from, to }) => ({
      at: from,
      kind: 'focus',
      taskId,
      until: to ?? 'now',
      text: title,
    }));
    const rows = [...periods, ...toRecords(marks).map(({ at, kind, taskId, text }) => ({ at, kind, taskId, until: undefined, text }))];
    const sorted = rows.sort((a, b) => (String(a.at) < String(b.at) ? -1 : 1)).map((row) => defined(row));
    return [toOneLine(String(agent)), ...indentLines(drawRecords(sorted, narrowScreen(screen, 2)))];
  });
}

/** Draws a handoff: the note, then the tasks that are done, open, blocked, decided and next. Empty lists are left out. */
function drawHandoff({ note, done, open, decisions, blocked, next, ...others }: Fields, screen: Screen): string[] {
  const lists: [string, unknown][] = [
    ['done', done],
    ['open', open],
    ['blocked', blocked],
    ['decision', decisions],
    ['next', next],
  ];
  const inner = narrowScreen(screen, 10);
  const rows = lists.flatMap(([name, items]): [string, string[]][] => (isRecords(items) ? [[name, drawItems(items, inner)]] : []));
  return [
    ...(typeof note === 'string' ? wrap(note, screen.columns) : []),
    ...drawNamed(rows, screen),
    ...(isEmpty(others) ? [] : drawFields(others, screen)),
  ];
}

/** Draws in one line how full the context window is. */
function drawContext(fields: Fields, screen: Screen): string[] {
  const { state, percent, used, max, reportedAt, ...others } = fields;
  if (typeof state !== 'string') return drawFields(fields, screen);
  const mark: Required<Cell> = stateMarks[state] ?? { text: '·', colour: 'dim' };
  const usage =
    percent === undefined
      ? 'context window usage has not been reported'
      : `${percent}% of the context window: ${used} of ${max} tokens, reported ${formatAge(reportedAt, screen.now)}`;
  const head = `${paintCell(mark, screen)} ${screen.paint(mark.colour, toHalfLine(state, screen))}  `;
  return [...drawHanging(head, usage, screen), ...(isEmpty(others) ? [] : drawFields(others, screen))];
}

/** Formats the answer of a briefing as the text that a hook adds to a conversation. */
export function formatBriefing(
  { briefing, omitted = [] }: { briefing: object; omitted?: { section: string; count: number; expand: string }[] | undefined },
  now: string,
): string {
  const lines = drawBriefing(briefing as Fields, createScreen({ columns: Number.POSITIVE_INFINITY, hasColour: false }, now));
  const more = omitted.map(({ section, count, expand }) => `- ${count} more in ${section}: ${expand}`);
  return [...lines, ...(more.length > 0 ? ['', '## Omitted', ...more] : []), ''].join('\n');
}

/** Draws a briefing as Markdown, which people and models read alike. */
function drawBriefing(fields: Fields, screen: Screen): string[] {
  const { session: own, focus, next, handoff, blocked, openDecisions, sessions: others } = fields;
  const drawPart = (title: string, lines: string[]): string[] =>
    lines.length > 0 ? ['', screen.paint('bold', truncate(`## ${title}`, screen.columns)), ...lines] : [];
  const drawTasks = (items: unknown, tag = ''): string[] => drawItemBullets(items, (item) => `${tag}${formatTask(item)}`, screen);
  return [
    screen.paint('bold', '# Where we are'),
    ...(isPlainObject(focus) ? drawHanging('Focus: ', `${formatTask(focus)} (${toOneLine(String(focus.status))})`, screen) : []),
    ...(isPlainObject(own) ? drawOwnSession(own, screen) : ['No session.']),
    ...drawPart('Next', drawTasks(next)),
    ...(isPlainObject(handoff)
      ? drawPart(formatHandoffTitle(handoff, screen), [
          ...(typeof handoff.note === 'string' ? wrap(handoff.note, screen.columns) : []),
          ...drawTasks(handoff.done, 'done: '),
          ...drawTasks(handoff.open, 'open: '),
          ...drawTasks(handoff.blocked, 'blocked: '),
          ...drawTasks(handoff.decisions, 'decision: '),
          ...drawTasks(handoff.next, 'next: '),
        ])
      : []),
    ...drawPart('Blocked', drawTasks(blocked)),
    ...drawPart('To be decided', drawTasks(openDecisions)),
    ...drawPart(
      isPlainObject(own) ? 'Other sessions' : 'Sessions',
      drawItemBullets(others, ({ id, scope, agent }) => `${id}: ${scope}, ${agent}`, screen),
    ),
  ];
}

const drawItemBullets = (items: unknown, format: (item: Fields) => string, screen: Screen): string[] =>
  isRecords(items) ? items.flatMap((item) => drawHanging('- ', format(item), screen)) : [];

function drawOwnSession({ id, name, scope, status, agent, startedAt, graded }: Fields, screen: Screen): string[] {
  const state = `${status}${graded ? ', graded' : ''}, started ${formatAge(startedAt, screen.now)} by ${agent}`;
  return [...drawHanging('Session: ', `${id}${name ? ` ${name}` : ''}`, screen), ...drawHanging('Scope: ', `${scope} (${state})`, screen)];
}

const formatHandoffTitle = ({ sessionId, scope, endedAt }: Fields, { now }: Screen): string =>
  toOneLine(`Handoff of ${sessionId} (${scope}${endedAt ? `, ended ${formatAge(endedAt, now)}` : ''})`);

/** `T002 Write the grammar`, followed by a colon and its blocker or decision. */
function formatTask(item: Fields): string {
  const reason = item.blockedBy ?? item.text;
  const name = [formatId(item), toOneLine(String(item.title ?? ''))].filter((part) => part !== '').join(' ');
  return typeof reason === 'string' ? `${name}: ${toOneLine(reason)}` : name;
}

const stateMarks: Record<string, Required<Cell>> = {
  ok: { text: '✓', colour: 'green' },
  warning: { text: '!', colour: 'yellow' },
  caution: { text: '!', colour: 'yellow' },
  critical: { text: '✗', colour: 'red' },
  emergency: { text: '✗', colour: 'red' },
};

const isSession = (fields: Fields): boolean => typeof fields.id === 'string' && typeof fields.scope === 'string' && 'startedAt' in fields;

/** Draws the whole id, so that it can be copied, and the name next to it or, on a narrow screen, below it. */
function drawHead(id: string, name: unknown, screen: Screen): string[] {
  if (typeof name !== 'string' || name === '') return [id];
  if (screen.columns - measureWidth(id) >= 20) return drawHanging(`${id}  `, name, screen, 'bold');
  return [id, ...drawHanging('  ', name, screen, 'bold')];
}

/** Cuts a long id to half a line, so that its title has room. */
const toHalfLine = (id: unknown, screen: Screen): string => truncate(toOneLine(String(id)), Math.floor(screen.columns / 2));

function drawClaim({ taskId, agent, since, state }: Fields, screen: Screen): string {
  const head = `${screen.paint('cyan', toHalfLine(taskId, screen))}  `;
  return `${head}${truncate(toOneLine(`${agent}, ${formatAge(since, screen.now)}${state ? `, ${state}` : ''}`), screen.columns - measureWidth(head))}`;
}

const formatReport = ({ agent, percent, state }: Fields, { columns }: Screen): string =>
  truncate(toOneLine(`${agent}, ${percent} %, ${state}`), columns);

const maxItems = 10;

const drawItems = (items: Fields[], screen: Screen): string[] => [
  ...items.slice(0, maxItems).flatMap((item) => drawItem(item, screen)),
  ...(items.length > maxItems ? [`… ${items.length - maxItems} more`] : []),
];

function drawItem(item: Fields, screen: Screen): string[] {
  const head = `${screen.paint('cyan', toHalfLine(formatId(item), screen))}  `;
  if (typeof item.text === 'string') return drawHanging(head, item.text, screen);
  const reason = item.blockedBy === undefined ? '' : `: ${item.blockedBy}`;
  return [`${head}${truncate(toOneLine(`${item.title ?? ''}${reason}`), screen.columns - measureWidth(head))}`];
}
