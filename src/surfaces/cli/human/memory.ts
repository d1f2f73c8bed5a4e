import { type Fields, isFields, isRecords, timeOf } from './cell.ts';
import { facts } from './record.ts';
import { type Colour, narrower, type Screen } from './screen.ts';
import { oneLine, pad, widthOf, wrap } from './text.ts';

const marks: Record<string, [Colour, string]> = {
  accepted: ['green', '✓'],
  proposed: ['yellow', '?'],
  rejected: ['red', '✗'],
  superseded: ['dim', '~'],
};

const markOf = (entry: Fields): [Colour, string] => marks[String(entry.confirmation_state)] ?? ['dim', '·'];

/** Entries under one another: the state by its mark, the id to be copied, what it says, and what took its place. */
export function memories(entries: Fields[], screen: Screen): string[] {
  const { paint, columns } = screen;
  const width = Math.max(...entries.map(({ id }) => widthOf(oneLine(String(id)))));
  return entries.flatMap((entry) => {
    const [colour, mark] = markOf(entry);
    const next = entry.supersededBy ? ` → ${entry.supersededBy}` : '';
    const [first = '', ...rest] = wrap(oneLine(`${entry.title ?? ''}${next}`), columns - width - 4);
    return [
      `${paint(colour, mark)} ${paint('cyan', pad(oneLine(String(entry.id)), width))}  ${first}`.trimEnd(),
      ...rest.map((line) => `${' '.repeat(width + 4)}${line}`),
    ];
  });
}

/** One entry; with its content where the answer has it. */
export function memory(entry: Fields, screen: Screen): string[] {
  const { paint, columns } = screen;
  const { id, type, title, confirmation_state: state, supersededBy, content, tags, tasks, source_table, source_rowid, ...more } = entry;
  const { decidedBy, decidedAt, reason, cites, stale, sessionId, createdAt, createdBy, ...others } = more;
  const [colour, mark] = markOf(entry);
  const about = [
    `${state} ${type}`,
    supersededBy && `by ${supersededBy}`,
    decidedBy &&
      `${supersededBy ? 'as ' : 'by '}${decidedBy}${supersededBy ? ' said' : ''}${decidedAt ? ` ${timeOf(decidedAt) ?? decidedAt}` : ''}`,
  ];
  const written = [
    createdAt && `written ${timeOf(createdAt) ?? createdAt}`,
    createdBy && `by ${createdBy}`,
    sessionId && `in ${sessionId}`,
  ];
  const line = (parts: unknown[], between: string): string[] => {
    const said = parts.filter(Boolean).map(String).join(between);
    return said === '' ? [] : wrap(oneLine(said), columns - 2).map((text) => paint('dim', `  ${text}`));
  };
  const linked = {
    ...(reason ? { reason } : {}),
    ...(tags ? { tags } : {}),
    ...(tasks ? { tasks } : {}),
    ...(source_table ? { source: `${source_table}:${source_rowid}` } : {}),
    ...(cites ? { cites } : {}),
    ...others,
  };
  const [first = '', ...rest] = wrap(oneLine(String(title ?? '')), columns - widthOf(String(id)) - 4);
  const body = typeof content === 'string' ? ['', ...wrap(content, columns - 2).map((text) => `  ${text}`.trimEnd())] : [];
  const below = facts(linked, narrower(screen, 2)).map((text) => `  ${text}`);
  return [
    `${paint(colour, mark)} ${paint('cyan', oneLine(String(id)))}  ${paint('bold', first)}`,
    ...rest.map((text) => `${' '.repeat(widthOf(String(id)) + 4)}${paint('bold', text)}`),
    ...line(about, ', '),
    ...body,
    ...(below.length > 0 ? ['', ...below] : []),
    ...(isRecords(stale)
      ? stale.flatMap((one) =>
          wrap(oneLine(`! ${one.id} was superseded by ${one.supersededBy}`), columns - 2).map((text) => `  ${paint('yellow', text)}`),
        )
      : []),
    ...(written.some(Boolean) ? ['', ...line(written, ' ')] : []),
  ];
}

/** What stands around an entry, in the order of time. */
export function timeline(value: Fields, screen: Screen): string[] {
  const { memory: entry, supersedes, supersededBy, cites, citedBy, before, after } = value;
  const inner = narrower(screen, 2);
  const part = (name: string, entries: unknown, form = memories): string[] =>
    isRecords(entries) ? [screen.paint('bold', name), ...form(entries, inner).map((line) => `  ${line}`)] : [];
  return [
    ...part('before', isRecords(before) ? before.toReversed() : before),
    ...part('took the place of', supersedes),
    ...part('cites', cites),
    ...(isFields(entry) ? memory(entry, screen) : []),
    ...part('cited by', citedBy),
    ...part('superseded by', isFields(supersededBy) ? [supersededBy] : undefined),
    ...part('after', after),
  ];
}
