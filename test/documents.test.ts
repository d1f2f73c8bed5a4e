import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openApp } from './app.ts';
import { cleoPath, cleoRunner } from './built-cli.ts';

const bytes = Buffer.from([0xef, 0xbb, 0xbf, ...Array(2000).keys()].map((n) => n % 256));

test('reads a document from standard input and prints its exact bytes', async () => {
  const { root, env } = await openApp({ tasks: ['T001'], engine: 'sqlite' });
  const cleo = (argv: string[], input: string | Buffer = '') =>
    spawnSync(cleoRunner, [cleoPath, ...argv], { cwd: root, env: { PATH: process.env.PATH, ...env }, input, maxBuffer: 1 << 28 });
  for (const [slug, content] of [
    ['binary', bytes],
    ['text', Buffer.from('\ufeff# Heading\r\nwithout an end')],
    ['empty', Buffer.alloc(0)],
    ['long', Buffer.alloc(3 << 20, 'abc ü')],
  ] as const) {
    const added = cleo(['docs', 'add', 'T1', '-', '--slug', slug, '--json'], content);
    expect([slug, added.status, added.stderr.toString()]).toEqual([slug, 0, '']);
    expect(JSON.parse(added.stdout.toString()).doc.sha256).toBe(createHash('sha256').update(content).digest('hex'));
    for (const mode of [[], ['--human']]) expect(cleo(['docs', 'fetch', slug, ...mode]).stdout.equals(content)).toBe(true);
  }
  expect(cleo(['docs', 'update', 'text', '-'], bytes).status).toBe(0);
  expect(cleo(['docs', 'fetch', 'text']).stdout.equals(bytes)).toBe(true);
  const long = cleo(['docs', 'add', 'T1', '-', '--slug', 'longer'], Buffer.alloc((64 << 20) + 1, 'x'));
  expect([long.status, JSON.parse(long.stdout.toString()).error.message]).toEqual([3, 'standard input: is longer than 64 MiB']);
  expect(cleo(['docs', 'add', 'T1', '-', '--content', 'a', '--slug', 'both']).status).toBe(2);
});
