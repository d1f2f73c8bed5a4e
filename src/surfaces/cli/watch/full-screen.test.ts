import { expect, test } from 'vitest';
import { openFullScreen, type Tty } from './full-screen.ts';

function open(write?: Tty['write']) {
  const out: string[] = [];
  const raw: boolean[] = [];
  let restore = (): void => {};
  const input = { setRawMode: (isRaw: boolean) => raw.push(isRaw), resume() {}, pause() {} } as unknown as NodeJS.ReadStream;
  const output = { columns: 80, rows: 24, on: () => output, off: () => output } as unknown as Tty['output'];
  const screen = openFullScreen({ input, output, write: write ?? ((text) => out.push(text)), onExit: (call) => (restore = call) });
  return { screen, out, raw, exit: () => restore() };
}

test('writes only changed lines, in one write', () => {
  const { screen, out } = open();
  screen.draw(['one', 'two', 'three'], 80);
  screen.draw(['one', 'other', 'three'], 80);
  screen.draw(['one', 'other', 'three'], 80);
  expect(out.slice(1)).toEqual([
    '\u001b[?2026h\u001b[1;1Hone\u001b[0m\u001b[K\u001b[2;1Htwo\u001b[0m\u001b[K\u001b[3;1Hthree\u001b[0m\u001b[K\u001b[?2026l',
    '\u001b[?2026h\u001b[2;1Hother\u001b[0m\u001b[K\u001b[?2026l',
  ]);
  screen.clear();
  screen.draw(['one', 'other', 'three'], 80);
  expect(out.at(-1)).toContain('\u001b[1;1Hone');
});

test('does not clear the last character of a full line', () => {
  const { screen, out } = open();
  screen.draw(['full!', 'less'], 5);
  expect(out[1]).toBe('\u001b[?2026h\u001b[1;1Hfull!\u001b[0m\u001b[2;1Hless\u001b[0m\u001b[K\u001b[?2026l');
});

test('restores the terminal once, also at the end of the process', () => {
  const { screen, out, raw, exit } = open();
  exit();
  expect(raw).toEqual([true, false]);
  expect(out.at(-1)).toMatch(/\u001b\[\?7h\u001b\[\?25h\u001b\[\?1049l$/);
  const { length } = out;
  screen.restore();
  exit();
  // A later frame would be drawn on the shell's screen.
  screen.draw(['late'], 80);
  expect(out).toHaveLength(length);
});

test('draws everything again after entering a second time', () => {
  const { screen, out } = open();
  screen.draw(['one'], 80);
  screen.restore();
  screen.enter();
  screen.draw(['one'], 80);
  expect(out.at(-1)).toContain('one');
});

test('ignores a terminal that is gone', () => {
  let isGone = false;
  const { screen } = open(() => {
    if (isGone) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  });
  isGone = true;
  expect(() => screen.restore()).not.toThrow();
});
