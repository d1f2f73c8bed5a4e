import { parseJson, stripBom } from './parse-json.ts';

interface JsonLinesState {
  /** Numbers, from 1, of the lines that are not JSON, except the last line. */
  invalidLines: number[];
  /** The incomplete last line of an interrupted write. */
  torn?: string;
  /** The last line is JSON, but has no line end. */
  lacksLineEnd?: true;
}

/** Checks a file with one JSON value on each line. */
export function checkJsonLines(text: string): JsonLinesState {
  const lines = stripBom(text).split('\n');
  const last = lines.pop() ?? '';
  const bad = lines.flatMap((line, i) => (line.trim() === '' || parseJson(line) !== undefined ? [] : [i + 1]));
  if (last === '') return { invalidLines: bad };
  return parseJson(last) !== undefined ? { invalidLines: bad, lacksLineEnd: true } : { invalidLines: bad, torn: last };
}
