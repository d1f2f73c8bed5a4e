import { expect, test } from 'vitest';
import { parseKeys } from './keys.ts';

const named = (input: string, isAll?: boolean): string[] =>
  parseKeys(input, isAll).keys.map((key) => ('key' in key ? key.key : `'${key.text}`));

test.each([
  ['\u001b[A\u001b[B\u001b[C\u001b[D', ['up', 'down', 'right', 'left']],
  ['\u001bOA\u001bOH', ['up', 'home']],
  ['\u001b[1~\u001b[4~\u001b[5~\u001b[6~\u001b[Z', ['home', 'end', 'pageUp', 'pageDown', 'backTab']],
  ['q/漢👩', ["'q", "'/", "'漢", "'👩"]],
  ['\r\t\u007f\u0003\u000c\u0015\u001a', ['enter', 'tab', 'backspace', 'interrupt', 'redraw', 'clear', 'suspend']],
  ['\u001bq', ['escape', "'q"]],
  ['\u001b\u001b[A', ['escape', 'up']],
  // Mouse and focus events, a colour report, and control characters without a key.
  ['\u001b[<0;10;5M\u001b[I\u001b[?62;c\u0000\u0001\u009bx', ["'x"]],
])('%j', (input, keys) => {
  expect(named(input)).toEqual(keys);
  expect(parseKeys(input).rest).toBe('');
});

test.each(['\u001b', '\u001b[', '\u001b[1', '\u001bO'])('treats %j as incomplete', (input) => {
  expect(parseKeys(`j${input}`)).toEqual({ keys: [{ text: 'j' }], rest: input });
  expect(named(input, true)[0]).toBe('escape');
});
