export interface LinesState {
  /** Line numbers, from 1, that are not JSON, apart from the last. */
  bad: number[];
  /** What a write that was cut short left at the end; undefined where the file ends well. */
  torn?: string;
  /** The last line lacks its end and nothing else. */
  isUnended?: true;
}

/** A file of one JSON value a line, each line ended by a newline. */
export function linesState(text: string): LinesState {
  // Some editors put a mark before the first line.
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const last = lines.pop() ?? '';
  const bad = lines.flatMap((line, i) => (line.trim() === '' || isJson(line) ? [] : [i + 1]));
  if (last === '') return { bad };
  return isJson(last) ? { bad, isUnended: true } : { bad, torn: last };
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
