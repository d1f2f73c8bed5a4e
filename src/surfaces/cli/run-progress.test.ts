import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { runProgress } from '#runs/rules/run-progress.ts';
import { openApp } from '../../../test/app.ts';
import { trustProject } from '../../../test/trust.ts';
import { runCli, type Terminal } from './run.ts';
import { showRunProgress } from './run-progress.ts';

const about = { execution_id: 'e', phase: 'design', skill: 'shape', attempt: 1 };

/** Returns what the terminal shows at the end, without cleared lines. */
const screenOf = (written: string): string =>
  written
    .split('\n')
    .map((line) => line.split('\r\u001b[K').at(-1))
    .join('\n');

async function live(columns = 60, hasColour = false) {
  const seen = { text: '', writes: 0, atMs: 0 };
  const terminal = {
    columns,
    hasColour,
    writeError(text: string) {
      seen.text += text;
      seen.writes++;
    },
  };
  const shown = await showRunProgress(runProgress, terminal, () => seen.atMs);
  shown.observe('execution_progress', { kind: 'phase_entered' }, { phase: 'design' });
  return { seen, terminal, ...shown };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('follows the width of a terminal that is resized, and leaves room for ^C', async () => {
  const { seen, terminal, observe } = await live(80);
  observe('attempt_started', {}, { ...about, skill: 'a-skill-with-a-name-that-is-longer-than-the-others' });
  terminal.columns = 40;
  seen.atMs = 2000;
  vi.advanceTimersByTime(250);
  expect(screenOf(seen.text).split('\n').at(-1)).toHaveLength(35);
});

test('keeps result lines and clears the current activity at the end', async () => {
  const { seen, observe, done } = await live();
  observe('attempt_started', {}, about);
  expect(screenOf(seen.text)).toBe('▸ design\n  design · shape · attempt 1 · 0.0 s …');
  seen.atMs = 2000;
  vi.advanceTimersByTime(250);
  expect(screenOf(seen.text)).toBe('▸ design\n  design · shape · attempt 1 · 2.0 s …');
  const { writes } = seen;
  vi.advanceTimersByTime(1000);
  expect(seen.writes).toBe(writes);
  observe('attempt_completed', { exit_code: 75, class: 'temporary', duration_ms: 2000 }, about);
  done();
  expect(screenOf(seen.text)).toBe('▸ design\n  ✗ shape · attempt 1 · exit 75 (temporary) · 2.0 s\n\n');
  vi.advanceTimersByTime(1000);
  done();
  expect(screenOf(seen.text)).toMatch(/2\.0 s\n\n$/);
});

test('fits the screen and escapes control characters of a skill', async () => {
  const { seen, observe, done } = await live(40);
  const long = `${'word '.repeat(30)}\u001b[2J\u0007漢字`;
  observe('execution_progress', { kind: 'note', note: long }, { ...about, skill: 'x'.repeat(60) });
  observe('attempt_started', {}, { ...about, skill: '漢'.repeat(60) });
  expect(seen.text.replaceAll('\r\u001b[K', '')).not.toMatch(/[\u001b\u0007]/);
  const wide = (line: string): number => [...line].reduce((sum, one) => sum + (one > '\u3000' ? 2 : 1), 0);
  for (const line of screenOf(seen.text).split('\n')) expect(wide(line)).toBeLessThanOrEqual(40);
  expect(wide(screenOf(seen.text).split('\n').at(-1)!)).toBeLessThan(40);
  done();
});

test('uses colour only if the terminal has it', async () => {
  expect((await live()).seen.text).not.toContain('\u001b[1m');
  expect((await live(60, true)).seen.text).toContain('\u001b[1m');
});

async function watched(more: Partial<Terminal>, ...argv: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  vi.useRealTimers();
  const { root, env } = await openApp({ env: { PATH: process.env.PATH ?? '' } });
  mkdirSync(join(root, 'skills', 'greet'), { recursive: true });
  writeFileSync(join(root, 'skills', 'greet', 'run.sh'), '#!/bin/sh\necho hello\n');
  chmodSync(join(root, 'skills', 'greet', 'run.sh'), 0o755);
  await trustProject(root, env);
  const app = createApp(createPlatform(env, root, '0.0.0-test'));
  const seen = { out: '', err: '' };
  const terminal: Terminal = {
    ...{ isTerminal: true, isWatched: true, columns: 80, hasColour: false, isDebugging: false, format: undefined },
    write(text) {
      seen.out += String(text);
    },
    writeError(text) {
      seen.err += text;
    },
    ...{ appAt: () => app, start: async () => 0 },
    ...more,
  };
  const exitCode = await runCli(app, ['skill', 'run', 'greet', ...argv], terminal);
  await app.closeStores();
  return { exitCode, ...seen };
}

test('prints progress to standard error and the answer to standard output', async () => {
  const { exitCode, out, err } = await watched({});
  expect(exitCode).toBe(0);
  expect(screenOf(err).split('\n').slice(0, 3)).toEqual([
    '▸ skill',
    '  ✓ greet · precondition gate',
    expect.stringMatching(/^ {2}✓ greet · attempt 1 · exit 0 · \d\.\d s$/),
  ]);
  expect(out).toMatch(/^✓ run-\w+ {2}success\n/);
});

test.each<[string, Partial<Terminal>, string[]]>([
  ['where nobody watches', { isWatched: false }, []],
  ['nor beside JSON', {}, ['--json']],
  ['however JSON is asked for', { format: 'json' }, []],
  ['nor where only the id is wanted', {}, ['--quiet']],
])('draws no progress %s', async (_, terminal, argv) => {
  expect((await watched(terminal, ...argv)).err).not.toContain('attempt');
});
