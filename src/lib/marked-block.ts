/** A block of ours in a file of somebody else's, between two lines that nobody else writes. */
export interface Marks {
  begin: string;
  end: string;
}

export const markdownMarks: Marks = { begin: '<!-- cleo:begin -->', end: '<!-- cleo:end -->' };
export const tomlMarks: Marks = { begin: '# cleo:begin', end: '# cleo:end' };

/** Where the block is; `broken` where the marks are not one pair. */
export function findBlock(text: string, { begin, end }: Marks): { start: number; end: number; body: string } | 'broken' | undefined {
  const starts = linesAt(text, begin);
  const ends = linesAt(text, end);
  const [start] = starts;
  const [close] = ends;
  if (start === undefined && close === undefined) return undefined;
  if (starts.length !== 1 || ends.length !== 1 || start === undefined || close === undefined || close < start) return 'broken';
  const bodyStart = text.indexOf('\n', start) + 1;
  return { start, end: close + end.length, body: text.slice(bodyStart, close).replaceAll('\r\n', '\n') };
}

/** Puts the block at the end of the text, or brings the one that is there up to date. `body` ends with a line end. */
export function putBlock(text: string, body: string, marks: Marks): string {
  const found = findBlock(text, marks);
  if (found === 'broken') return text;
  if (found) {
    if (found.body === body) return text;
    const eol = eolOf(text.slice(found.start));
    return text.slice(0, found.start) + written(body, marks, eol) + text.slice(found.end);
  }
  const eol = eolOf(text);
  const block = written(body, marks, eol);
  // A text without a last line end gets a block without one: by that it is known what to take away again.
  if (text === '') return block + eol;
  return text.endsWith('\n') ? text + eol + block + eol : text + eol + eol + block;
}

/** Takes out the block and the blank line before it. */
export function removeBlock(text: string, marks: Marks): string {
  const found = findBlock(text, marks);
  if (!found || found === 'broken') return text;
  const eol = eolOf(text.slice(found.start));
  const isLast = found.end === text.length;
  let start = found.start;
  for (let lines = isLast ? 2 : 1; lines > 0 && text.slice(0, start).endsWith(eol); lines -= 1) start -= eol.length;
  return text.slice(0, start) + text.slice(isLast ? found.end : found.end + (text.startsWith(eol, found.end) ? eol.length : 0));
}

const written = (body: string, { begin, end }: Marks, eol: string): string => `${begin}\n${body}${end}`.replaceAll('\n', eol);

const eolOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n');

/** Where lines begin that say just this. */
function linesAt(text: string, line: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const before = at === 0 || text[at - 1] === '\n' || (at === 1 && text[0] === '\ufeff');
    const rest = text.slice(at + line.length, at + line.length + 2);
    if (before && (rest === '' || rest.startsWith('\n') || rest.startsWith('\r\n'))) found.push(at);
  }
  return found;
}
