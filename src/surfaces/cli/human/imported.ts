import { type Fields, isFields } from './cell.ts';
import { records } from './record.ts';
import type { Screen } from './screen.ts';
import { oneLine, wrap } from './text.ts';

const most = 12;

/** What became of the ids of another tool. After an import a few of them, in a line: the list has a command of its own. */
export function ids(value: unknown, screen: Screen): string[] {
  const all = [value].flat().filter(isFields);
  if (all.some((one: Fields) => 'source' in one)) return records(all, screen);
  const shown = all.slice(0, most).map(({ id, taskId }) => `${oneLine(String(id))} → ${taskId}`);
  return wrap([...shown, ...(all.length > most ? ['… cleo imported'] : [])].join(', '), screen.columns);
}
