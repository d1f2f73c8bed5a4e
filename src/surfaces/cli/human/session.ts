import { ageOf, type Cell, type Fields, idOf, isEmpty, isFields, isRecords, markOf } from './cell.ts';
import { facts, record, records, special } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';
import { nodeLine } from './tree.ts';

/** One session: which and in what state on two lines, then who is in it, what they hold, what was handed over. */
export function session(fields: Fields, screen: Screen): string[] {
  if (!isSession(fields)) return record(fields, screen);
  const { id, name, scope, status, agent, startedAt, endedAt, graded, phase, agents, claims, note, handoff: handed, ...others } = fields;
  const mark = markOf(status) ?? { text: '·' };
  const about = [
    status,
    scope,
    agent,
    `started ${ageOf(startedAt, screen.now)}`,
    ...(endedAt ? [`ended ${ageOf(endedAt, screen.now)}`] : []),
  ];
  const more = [...(graded ? ['graded'] : []), ...(phase ? [`phase ${phase}`] : [])];
  const isAlone = Array.isArray(agents) && agents.length === 1 && agents[0] === agent;
  const isSaid = isFields(handed) && handed.note === note;
  const rest = { ...(isAlone ? {} : { agents }), ...(isSaid ? {} : { note }), ...others };
  const body = [
    ...facts(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)), narrower(screen, 2)),
    ...(isRecords(claims) ? named([['holds', claims.map((claim) => heldLine(claim, narrower(screen, 9)))]], screen) : []),
  ];
  return [
    ...headLines(`${paintOf(mark, screen)} ${screen.paint('cyan', cut(oneLine(String(id)), screen.columns - 2))}`, name, screen),
    ...wrap([...about, ...more].map((part) => oneLine(String(part))).join(' · '), screen.columns - 2).map((line) => `  ${line}`),
    ...(body.length > 0 ? ['', ...indented(body)] : []),
    ...(isFields(handed) ? ['', screen.paint('bold', 'handoff'), ...indented(handoff(handed, narrower(screen, 2)))] : []),
  ];
}

/** Many of them: a row each, with how long they have been in their state. */
export function sessions(items: Fields[], screen: Screen): string[] {
  if (!items.every(isSession)) return records(items, screen);
  const rows = items.map(({ id, status, scope, agent, startedAt, endedAt, graded, phase, name }) => ({
    ...{ id, status, scope, agent, since: ageOf(endedAt ?? startedAt, screen.now) },
    ...(graded ? { graded } : {}),
    ...(phase ? { phase } : {}),
    ...(name ? { name } : {}),
  }));
  return table(rows, screen, true) ?? items.flatMap((item, i) => [...(i > 0 ? [''] : []), ...session(item, screen)]);
}

/** What whoever comes next has to know: the note, then what is done, open, decided, blocked and next; nothing where there is nothing. */
export function handoff({ note, done, open, decisions, blocked, next, ...others }: Fields, screen: Screen): string[] {
  const lists: [string, unknown][] = [
    ['done', done],
    ['open', open],
    ['blocked', blocked],
    ['decision', decisions],
    ['next', next],
  ];
  const inner = narrower(screen, 10);
  const rows = lists.flatMap(([name, items]): [string, string[]][] =>
    isRecords(items) ? [[name, fewOf(items, (item) => itemLines(item, inner))]] : [],
  );
  return [
    ...(typeof note === 'string' ? wrap(note, screen.columns) : []),
    ...named(rows, screen),
    ...(isEmpty(others) ? [] : facts(others, screen)),
  ];
}

/** How full the context window is, in one line. */
export function context(fields: Fields, screen: Screen): string[] {
  const { state, percent, used, max, reportedAt, ...others } = fields;
  if (typeof state !== 'string') return facts(fields, screen);
  const mark = { text: stateMarks[state]?.text ?? '·', colour: stateMarks[state]?.colour ?? ('dim' as const) };
  const said =
    percent === undefined
      ? 'nobody has reported how full the context window is'
      : `${percent}% of the context window: ${used} of ${max} tokens, reported ${ageOf(reportedAt, screen.now)}`;
  const head = `${paintOf(mark, screen)} ${screen.paint(mark.colour, half(state, screen))}  `;
  return [...hanging(head, said, screen), ...(isEmpty(others) ? [] : facts(others, screen))];
}

/** What is only pointed at, a task or who holds it, stands beside its name. */
export function pointer(name: string, value: Fields, screen: Screen): string[] {
  const inner = narrower(screen, widthOf(name) + 2);
  const { id, title, status, type } = value;
  return named([[name, special(name, value, inner) ?? [nodeLine({ id, title, status, type }, screen, inner.columns)]]], screen);
}

/** Where we are, as a text that people and models read alike. */
export function briefing(fields: Fields, screen: Screen): string[] {
  const { session: own, focus, next, handoff: handed, blocked, openDecisions, sessions: others } = fields;
  const part = (title: string, lines: string[]): string[] =>
    lines.length > 0 ? ['', screen.paint('bold', cut(`## ${title}`, screen.columns)), ...lines] : [];
  const bullets = (items: unknown, lineOf: (item: Fields) => string): string[] =>
    isRecords(items) ? items.flatMap((item) => hanging('- ', lineOf(item), screen)) : [];
  return [
    screen.paint('bold', '# Where we are'),
    ...(isFields(own) ? sessionLines(own, screen) : ['No session.']),
    ...(isFields(focus) ? hanging('Focus: ', `${taskText(focus)} (${oneLine(String(focus.status))})`, screen) : []),
    ...part('Next', bullets(next, taskText)),
    ...(isFields(handed) ? part(handoffTitle(handed, screen), handoffBullets(handed, bullets, screen)) : []),
    ...part('Blocked', bullets(blocked, taskText)),
    ...part('To be decided', bullets(openDecisions, taskText)),
    ...part(
      isFields(own) ? 'Other sessions' : 'Sessions',
      bullets(others, ({ id, scope, agent }) => `${id}: ${scope}, ${agent}`),
    ),
  ];
}

/** What a budget left out, and the commands that show it; those are never cut or broken, for they are there to be copied. */
export const omitted = (items: Fields[], screen: Screen): string[] => [
  screen.paint('bold', '## Left out'),
  ...items.map(({ section, count, expand }) => `- ${oneLine(`${count} ${section}`)}: ${oneLine(String(expand))}`),
];

function sessionLines({ id, name, scope, status, agent, startedAt, graded }: Fields, screen: Screen): string[] {
  const state = `${status}${graded ? ', graded' : ''}, started ${ageOf(startedAt, screen.now)} by ${agent}`;
  return [...hanging('Session: ', `${id}${name ? ` ${name}` : ''}`, screen), ...hanging('Scope: ', `${scope} (${state})`, screen)];
}

const handoffTitle = ({ sessionId, scope, endedAt }: Fields, { now }: Screen): string =>
  oneLine(`Handoff of ${sessionId} (${scope}${endedAt ? `, ended ${ageOf(endedAt, now)}` : ''})`);

function handoffBullets(
  { note, done, open, decisions, blocked, next }: Fields,
  bullets: (items: unknown, lineOf: (item: Fields) => string) => string[],
  screen: Screen,
): string[] {
  const tagged = (tag: string, items: unknown): string[] => bullets(items, (item) => `${tag}: ${taskText(item)}`);
  return [
    ...(typeof note === 'string' ? wrap(note, screen.columns) : []),
    ...tagged('done', done),
    ...tagged('open', open),
    ...tagged('blocked', blocked),
    ...tagged('decision', decisions),
    ...tagged('next', next),
  ];
}

/** `T002 Write the grammar`, with what stands in its way or was decided there behind a colon. */
function taskText(item: Fields): string {
  const reason = item.blockedBy ?? item.text;
  const name = [idOf(item), oneLine(String(item.title ?? ''))].filter((part) => part !== '').join(' ');
  return typeof reason === 'string' ? `${name}: ${oneLine(reason)}` : name;
}

const stateMarks: Record<string, Required<Cell>> = {
  ok: { text: '✓', colour: 'green' },
  warning: { text: '!', colour: 'yellow' },
  caution: { text: '!', colour: 'yellow' },
  critical: { text: '✗', colour: 'red' },
  emergency: { text: '✗', colour: 'red' },
};

const isSession = (fields: Fields): boolean => typeof fields.id === 'string' && typeof fields.scope === 'string' && 'startedAt' in fields;

/** The id whole, to be copied; the name beside it, or below where there is no room. */
function headLines(id: string, name: unknown, screen: Screen): string[] {
  if (typeof name !== 'string' || name === '') return [id];
  if (screen.columns - widthOf(id) >= 20) return hanging(`${id}  `, name, screen, 'bold');
  return [id, ...hanging('  ', name, screen, 'bold')];
}

/** An id leaves room for what it names, however long it is. */
const half = (id: unknown, screen: Screen): string => cut(oneLine(String(id)), Math.floor(screen.columns / 2));

const heldLine = ({ taskId, agent, since }: Fields, screen: Screen): string => {
  const head = `${screen.paint('cyan', half(taskId, screen))}  `;
  return `${head}${cut(oneLine(`${agent}, ${ageOf(since, screen.now)}`), screen.columns - widthOf(head))}`;
};

function itemLines(item: Fields, screen: Screen): string[] {
  const head = `${screen.paint('cyan', half(idOf(item), screen))}  `;
  if (typeof item.text === 'string') return hanging(head, item.text, screen);
  const reason = item.blockedBy === undefined ? '' : `: ${item.blockedBy}`;
  return [`${head}${cut(oneLine(`${item.title ?? ''}${reason}`), screen.columns - widthOf(head))}`];
}

const mostItems = 10;

const fewOf = (items: Fields[], linesOf: (item: Fields) => string[]): string[] => [
  ...items.slice(0, mostItems).flatMap(linesOf),
  ...(items.length > mostItems ? [`… ${items.length - mostItems} more`] : []),
];

/** Names in one column, what belongs to each in the other. */
function named(rows: [name: string, lines: string[]][], screen: Screen): string[] {
  const width = Math.max(0, ...rows.map(([name]) => widthOf(name))) + 2;
  return rows.flatMap(([name, lines]) =>
    lines.map((line, i) => `${i === 0 ? screen.paint('dim', pad(name, width)) : ' '.repeat(width)}${line}`),
  );
}

/** A text behind its head; where it goes on, it stands below itself. */
function hanging(head: string, text: string, screen: Screen, colour?: 'bold'): string[] {
  const width = widthOf(head);
  return wrap(oneLine(text), screen.columns - width).map((line, i) =>
    `${i === 0 ? head : ' '.repeat(width)}${colour ? screen.paint(colour, line) : line}`.trimEnd(),
  );
}

const indented = (lines: string[]): string[] => lines.map((line) => (line === '' ? '' : `  ${line}`));
const paintOf = ({ text, colour }: Cell, screen: Screen): string => (colour ? screen.paint(colour, text) : text);
