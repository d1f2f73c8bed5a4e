import {
  type Cell,
  drawFields,
  drawIndented,
  type Fields,
  formatTime,
  isRecords,
  joinParts,
  measureWidth,
  narrowScreen,
  padRight,
  paintCell,
  type Screen,
  toListForm,
  toOneLine,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { defined, isPlainObject } from '#lib/collections.ts';

export const memoryView: View = {
  forms: {
    memory: drawEntry,
    memories: toListForm(drawEntries),
    decisions: toListForm(drawEntries),
    flagged: toListForm(drawEntries),
    timeline: drawTimeline,
  },
};

const marks: Record<string, Cell> = {
  accepted: { text: '✓', colour: 'green' },
  proposed: { text: '?', colour: 'yellow' },
  rejected: { text: '✗', colour: 'red' },
  superseded: { text: '~', colour: 'dim' },
};

const drawMark = (entry: Fields, screen: Screen): string =>
  paintCell(marks[String(entry.confirmation_state)] ?? { text: '·', colour: 'dim' }, screen);

/** Draws a row for each entry: the mark of its state, its id and title, and the entry that superseded it. */
function drawEntries(entries: Fields[], screen: Screen): string[] {
  const { paint, columns } = screen;
  const width = Math.max(...entries.map(({ id }) => measureWidth(toOneLine(String(id)))));
  return entries.flatMap((entry) => {
    const next = entry.supersededBy ? ` → ${entry.supersededBy}` : '';
    const [first = '', ...rest] = wrap(toOneLine(`${entry.title ?? ''}${next}`), columns - width - 4);
    return [
      `${drawMark(entry, screen)} ${paint('cyan', padRight(toOneLine(String(entry.id)), width))}  ${first}`.trimEnd(),
      ...rest.map((line) => `${' '.repeat(width + 4)}${line}`),
    ];
  });
}

/** Draws one entry, with its content if the answer has it. */
function drawEntry(entry: Fields, screen: Screen): string[] {
  const { paint, columns } = screen;
  const { id, type, title, confirmation_state: state, supersededBy, content, tags, tasks, source_table, source_rowid, ...more } = entry;
  const { decidedBy, decidedAt, reason, cites, stale, sessionId, createdAt, createdBy, ...others } = more;
  const decidedTime = decidedAt ? ` ${formatTime(decidedAt) ?? decidedAt}` : '';
  const about = [
    `${state} ${type}`,
    supersededBy && `by ${supersededBy}`,
    decidedBy && `${supersededBy ? `as ${decidedBy} said` : `by ${decidedBy}`}${decidedTime}`,
  ];
  const written = [
    createdAt && `written ${formatTime(createdAt) ?? createdAt}`,
    createdBy && `by ${createdBy}`,
    sessionId && `in ${sessionId}`,
  ];
  const drawDim = (parts: unknown[], separator: string): string[] => {
    const text = joinParts(parts, separator);
    return text === '' ? [] : drawIndented(text, screen).map((line) => paint('dim', line));
  };
  const source = source_table && `${source_table}:${source_rowid}`;
  const fields = defined({ reason, tags, tasks, source, cites, ...others });
  const [first = '', ...rest] = wrap(toOneLine(String(title ?? '')), columns - measureWidth(String(id)) - 4);
  const body = typeof content === 'string' ? ['', ...wrap(content, columns - 2).map((line) => `  ${line}`.trimEnd())] : [];
  const below = drawFields(fields, narrowScreen(screen, 2)).map((line) => `  ${line}`);
  return [
    `${drawMark(entry, screen)} ${paint('cyan', toOneLine(String(id)))}  ${paint('bold', first)}`,
    ...rest.map((line) => `${' '.repeat(measureWidth(String(id)) + 4)}${paint('bold', line)}`),
    ...drawDim(about, ', '),
    ...body,
    ...(below.length > 0 ? ['', ...below] : []),
    ...(isRecords(stale)
      ? stale.flatMap((one) =>
          wrap(toOneLine(`! ${one.id} was superseded by ${one.supersededBy}`), columns - 2).map((line) => `  ${paint('yellow', line)}`),
        )
      : []),
    ...(written.some(Boolean) ? ['', ...drawDim(written, ' ')] : []),
  ];
}

/** Draws an entry with the entries before and after it and those it is linked to, in the order of time. */
function drawTimeline({ memory, supersedes, supersededBy, cites, citedBy, before, after }: Fields, screen: Screen): string[] {
  const inner = narrowScreen(screen, 2);
  const drawPart = (name: string, entries: unknown): string[] =>
    isRecords(entries) ? [screen.paint('bold', name), ...drawEntries(entries, inner).map((line) => `  ${line}`)] : [];
  return [
    ...drawPart('before', isRecords(before) ? before.toReversed() : before),
    ...drawPart('took the place of', supersedes),
    ...drawPart('cites', cites),
    ...(isPlainObject(memory) ? drawEntry(memory, screen) : []),
    ...drawPart('cited by', citedBy),
    ...drawPart('superseded by', isPlainObject(supersededBy) ? [supersededBy] : undefined),
    ...drawPart('after', after),
  ];
}
