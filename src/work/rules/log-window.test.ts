import { expect, test } from 'vitest';
import { takeNewLines } from './log-window.ts';

const toLog = (text: string, bytes = Buffer.byteLength(text)) => ({ text, bytes });

test('takes complete lines once, whatever their length in bytes', () => {
  const first = takeNewLines(toLog('größe\nhal'), 0, false);
  expect(first).toEqual({ text: 'größe\n', shownBytes: 8 });
  expect(takeNewLines(toLog('größe\nhal'), first.shownBytes, false)).toEqual({ text: '', shownBytes: 8 });
  const second = takeNewLines(toLog('größe\nhalf €\nlast'), first.shownBytes, false);
  expect(second).toEqual({ text: 'half €\n', shownBytes: 17 });
  expect(takeNewLines(toLog('größe\nhalf €\nlast'), second.shownBytes, true)).toEqual({ text: 'last', shownBytes: 21 });
});

test('takes only what is new of a log of which the end is known', () => {
  expect(takeNewLines(toLog('c\nd\n', 8), 6, false)).toEqual({ text: 'd\n', shownBytes: 8 });
  // A flood: lines between what was shown and this window are gone.
  expect(takeNewLines(toLog('y\nz\n', 1000), 8, false)).toEqual({ text: 'y\nz\n', shownBytes: 1000 });
});
