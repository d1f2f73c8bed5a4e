import { parseJson } from '#lib/parse-json.ts';

/** The text of one record of a file, with the line on which it begins. */
interface RecordText {
  text: string;
  line: number;
  /** The file ends inside the record. */
  isTorn?: true;
}

/** Splits JSON Lines, a JSON list, or JSON values one after another into their records, without having more than one record and one
 *  chunk in memory. Lists inside the list are flattened, because `gh api --slurp` writes one list per page. In JSON Lines each line is
 *  a record, so that a damaged one does not affect the next. */
export function* splitRecords(chunks: Iterable<string>): Generator<RecordText> {
  const rest = chunks[Symbol.iterator]();
  let head = '';
  let next = rest.next();
  for (; !next.done; next = rest.next()) {
    head += next.value;
    if (head.length > maxHeadLength) break;
  }
  function* all(): Generator<string> {
    yield head.startsWith('\ufeff') ? head.slice(1) : head;
    if (next.done) return;
    for (let more = rest.next(); !more.done; more = rest.next()) yield more.value;
  }
  yield* isJsonLines(head) ? splitLines(all()) : splitValues(all());
}

/** The first two lines show the format. */
const maxHeadLength = 1 << 16;

function isJsonLines(head: string): boolean {
  const [first = '', second] = head
    .slice(0, maxHeadLength)
    .replace(/^\ufeff/, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const start = first.trimStart()[0];
  if (start !== '{' && start !== '[') return true;
  if (start === '[') return false;
  return second?.startsWith('{') === true || parseJson(first.trim().replace(/,$/, '')) !== undefined;
}

function* splitLines(chunks: Iterable<string>): Generator<RecordText> {
  let begun = '';
  let line = 0;
  const toRecords = (text: string): RecordText[] => {
    line += 1;
    const record = text.trim().replace(/,$/, '');
    return record === '' || record === '[' || record === ']' ? [] : [{ text: record, line }];
  };
  for (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', at)) {
      yield* toRecords(begun + chunk.slice(at, end));
      begun = '';
      at = end + 1;
    }
    begun += chunk.slice(at);
  }
  yield* toRecords(begun);
}

const codes = { quote: 34, comma: 44, colon: 58, openList: 91, backslash: 92, closeList: 93, open: 123, close: 125, newline: 10 };
const isSpace = (code: number): boolean => code === 32 || code === codes.newline || code === 13 || code === 9;

function* splitValues(chunks: Iterable<string>): Generator<RecordText> {
  let line = 1;
  let begun = '';
  let record: { line: number; depth: number; isString: boolean; isEscaped: boolean } | undefined;
  for (const chunk of chunks) {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk.charCodeAt(i);
      if (code === codes.newline) line += 1;
      if (!record) {
        if (isSpace(code) || code === codes.comma || code === codes.openList || code === codes.closeList) continue;
        from = i;
        record = { line, depth: code === codes.open ? 1 : 0, isString: code === codes.quote, isEscaped: false };
        continue;
      }
      if (record.isString) {
        if (record.isEscaped) record.isEscaped = false;
        else if (code === codes.backslash) record.isEscaped = true;
        else if (code === codes.quote) record.isString = false;
        continue;
      }
      const isEnd = record.depth === 0 && (isSpace(code) || code === codes.comma || code === codes.closeList);
      if (code === codes.quote) record.isString = true;
      else if (code === codes.open || code === codes.openList) record.depth += 1;
      else if ((code === codes.close || code === codes.closeList) && !isEnd) record.depth -= 1;
      else if (!isEnd) continue;
      if (record.depth > 0 || record.isString) continue;
      yield { text: begun + chunk.slice(from, isEnd ? i : i + 1), line: record.line };
      begun = '';
      record = undefined;
    }
    if (record) begun += chunk.slice(from);
  }
  if (record) yield { text: begun, line: record.line, ...(record.depth > 0 || record.isString ? { isTorn: true } : {}) };
}
