import { ageOf, cellOf, type Fields, isEmpty, isFields, isRecords, labelOf } from './cell.ts';
import { facts, records } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, wrap } from './text.ts';
import { nodeLine } from './tree.ts';

/** The project on one screen: the counts on two lines, then who is at what; what is empty is left out. */
export function dash(fields: Fields, screen: Screen): string[] {
  const { tasks, archived, byStatus, byType, ready, next, lastActivity, ...lists } = fields;
  if (typeof tasks !== 'number' || !isFields(byStatus) || !isFields(byType)) return facts(fields, screen);
  const inner = narrower(screen, 2);
  return [
    ...wrap(`${counted(tasks, 'task')}${listed(byType)}${archived ? `, ${archived} archived` : ''}, ${ready} ready`, screen.columns),
    ...(isEmpty(byStatus) ? [] : [statusLine(byStatus, screen)]),
    ...(isFields(next) ? [`next  ${nodeLine(next, screen, screen.columns - 6)}`] : []),
    ...Object.entries(lists)
      .filter(([, value]) => !isEmpty(value))
      .flatMap(([key, value]) => [
        '',
        screen.paint('bold', cut(labelOf(key), screen.columns)),
        ...part(key, value, inner).map((line) => `  ${line}`),
      ]),
    ...(isFields(lastActivity)
      ? ['', ...wrap(lastLine(lastActivity, screen), screen.columns).map((line) => screen.paint('dim', line))]
      : []),
  ];
}

const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
const listed = (counts: Fields): string =>
  isEmpty(counts)
    ? ''
    : ` (${Object.entries(counts)
        .map(([name, n]) => `${n} ${oneLine(name)}`)
        .join(', ')})`;

function statusLine(byStatus: Fields, screen: Screen): string {
  const parts = Object.entries(byStatus).map(([status, n]) => ({ ...cellOf('status', status), n }));
  const plain = parts.map(({ text, n }) => `${text} ${n}`).join('   ');
  if (plain.length > screen.columns) return cut(plain, screen.columns);
  return parts.map(({ text, colour, n }) => (colour ? screen.paint(colour, `${text} ${n}`) : `${text} ${n}`)).join('   ');
}

function part(key: string, value: unknown, screen: Screen): string[] {
  if (!isRecords(value)) return facts({ [key]: value }, screen);
  const rows = value.map((item) => ('since' in item ? { ...item, since: ageOf(item.since, screen.now) } : item));
  if (key === 'sessions') return table(rows.map(withHolds), screen, true) ?? records(rows, screen);
  // Which session it is in, the sessions tell by what they hold.
  return records(
    rows.map(({ session: _, ...row }: Fields) => row),
    screen,
  );
}

function withHolds({ id, scope, agent, since, claims, name }: Fields): Fields {
  const holds = isRecords(claims) ? claims.map(({ taskId }) => taskId) : [];
  return { id, scope, agent, since, ...(holds.length > 0 ? { holds } : {}), ...(name ? { name } : {}) };
}

const lastLine = ({ operation, agent, at }: Fields, { now }: Screen): string =>
  oneLine(`last activity: ${operation} by ${agent}, ${ageOf(at, now)}`);
