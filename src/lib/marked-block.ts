/** The lines around a block that we own in a file of the user. */
export interface BlockMarks {
  begin: string;
  end: string;
}

export const markdownMarks: BlockMarks = { begin: '<!-- cleo:begin -->', end: '<!-- cleo:end -->' };
export const tomlMarks: BlockMarks = { begin: '# cleo:begin', end: '# cleo:end' };

/** Finds the block. `broken` means that the marks are not exactly one pair. */
export function findBlock(text: string, { begin, end }: BlockMarks): { start: number; end: number; body: string } | 'broken' | undefined {
  const starts = findLines(text, begin);
  const ends = findLines(text, end);
  const [start] = starts;
  const [close] = ends;
  if (start === undefined && close === undefined) return undefined;
  if (starts.length !== 1 || ends.length !== 1 || start === undefined || close === undefined || close < start) return 'broken';
  const bodyStart = text.indexOf('\n', start) + 1;
  return { start, end: close + end.length, body: text.slice(bodyStart, close).replaceAll('\r\n', '\n') };
}

/** Appends the block to the text, or updates the existing block. `body` ends with a line end. */
export function putBlock(text: string, body: string, marks: BlockMarks): string {
  const found = findBlock(text, marks);
  if (found === 'broken') return text;
  if (found) {
    if (found.body === body) return text;
    const eol = detectEol(text.slice(found.start));
    return text.slice(0, found.start) + formatBlock(body, marks, eol) + text.slice(found.end);
  }
  const eol = detectEol(text);
  const block = formatBlock(body, marks, eol);
  // A text without a final line end gets a block without one, so that `removeBlock` knows what to remove.
  if (text === '') return block + eol;
  return text.endsWith('\n') ? text + eol + block + eol : text + eol + eol + block;
}

/** Removes the block and the blank line in front of it. */
export function removeBlock(text: string, marks: BlockMarks): string {
  const found = findBlock(text, marks);
  if (!found || found === 'broken') return text;
  const eol = detectEol(text.slice(found.start));
  const isLast = found.end === text.length;
  let start = found.start;
  for (let lines = isLast ? 2 : 1; lines > 0 && text.slice(0, start).endsWith(eol); lines -= 1) start -= eol.length;
  return text.slice(0, start) + text.slice(isLast ? found.end : found.end + (text.startsWith(eol, found.end) ? eol.length : 0));
}

const formatBlock = (body: string, { begin, end }: BlockMarks, eol: string): string => `${begin}\n${body}${end}`.replaceAll('\n', eol);

const detectEol = (text: string): string => (/\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n');

/** Returns the positions of all lines that equal `line`. */
function findLines(text: string, line: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const before = at === 0 || text[at - 1] === '\n' || (at === 1 && text[0] === '\ufeff');
    const rest = text.slice(at + line.length, at + line.length + 2);
    if (before && (rest === '' || rest.startsWith('\n') || rest.startsWith('\r\n'))) found.push(at);
  }
  return found;
}
