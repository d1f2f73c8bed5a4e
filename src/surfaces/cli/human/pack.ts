import type { Pack } from '#orchestration/model/pack.ts';
import { packText } from '#orchestration/model/pack-text.ts';
import { type Fields, isFields } from './cell.ts';
import { facts } from './record.ts';
import type { Screen } from './screen.ts';
import { wrap } from './text.ts';

/** A context pack as it stands in a prompt, with its titles to be seen. */
export function pack(value: unknown, screen: Screen): string[] {
  if (!isPack(value)) return facts(isFields(value) ? value : {}, screen);
  return packText(value)
    .split('\n')
    .flatMap((line) => {
      const lines = wrap(line, screen.columns);
      return line.startsWith('#') ? lines.map((each) => screen.paint('bold', each)) : lines;
    });
}

/** Not one of which only some fields were asked for. */
const isPack = (value: unknown): value is Pack =>
  isFields(value) && isFields(value.task) && typeof (value.task as Fields).title === 'string';
