import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Redactor } from '#lib/redactor.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';
import type { ProcessResult, ProcessSpec } from './port.ts';
import { listLiving, signalAll } from './process-group.ts';
import { runSkill } from './skill-process.ts';

const plain: Redactor = {
  text: (text) => text,
  value: (value) => value,
  stream: () => ({ push: (part) => Buffer.from(part).toString('latin1'), end: () => '' }),
  counts: () => ({}),
};

let count = 0;
const marks: string[] = [];

async function run(argv: string[] | string, more: Partial<ProcessSpec> = {}): Promise<ProcessResult & { folder: string; mark: string }> {
  const folder = more.folder ?? createTempFolder();
  count += 1;
  const mark = `CLEO_EXECUTION_ID=test-${process.pid}-${count}`;
  marks.push(mark);
  const end = await runSkill({
    argv: typeof argv === 'string' ? [argv] : argv,
    shell: typeof argv === 'string',
    folder,
    env: { PATH: process.env.PATH ?? '', CLEO_EXECUTION_ID: mark.split('=')[1]! },
    stdin: '{}',
    timeoutMs: 30_000,
    killGraceMs: 1500,
    environmentMark: mark,
    inheritedHandle: folder,
    logs: { stdout: join(folder, 'stdout.log'), stderr: join(folder, 'stderr.log') },
    redactor: plain,
    signal: new AbortController().signal,
    ...more,
  });
  return { ...end, folder, mark };
}

/** What runs anywhere: nothing tells what has cleared its environment. */
const running = (): string[] =>
  execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => !line.startsWith('Z'))
    .map((line) => line.replace(/^\S+ +/, ''));
const left = (mark: string): number[] => listLiving({ pid: -1, environmentMark: mark });

afterAll(() => {
  for (const mark of marks.splice(0)) signalAll({ pid: 2 ** 30, environmentMark: mark }, 'SIGKILL');
});

describe('exit code', () => {
  test.each<[string, string | string[], Partial<ProcessResult>]>([
    ['nothing to say', ['true'], { exitCode: 0, timedOut: false, leaked: 0, isTruncated: false }],
    ['a code', 'exit 75', { exitCode: 75 }],
    ['a code that a byte does not hold', 'exit 256', { exitCode: 0 }],
    ['a signal', 'kill -KILL $$', { exitCode: 137, signal: 'SIGKILL' }],
    ['no such program', ['no-such-program-here'], { exitCode: 127, problem: 'no-such-program-here does not exist' }],
  ])('%s', async (_, argv, expected) => {
    expect(await run(argv)).toMatchObject(expected);
  });

  test('reports a file that is not executable as 126', async () => {
    const folder = createTempFolder();
    writeFileSync(join(folder, 'text'), 'echo hi\n');
    chmodSync(join(folder, 'text'), 0o644);
    expect(await run([join(folder, 'text')])).toMatchObject({ exitCode: 126 });
  });

  test('passes stdin and logs both streams', async () => {
    const { stdout, folder, bytes } = await run('cat; echo problem >&2', { stdin: '{"a":1}' });
    expect(Buffer.from(stdout).toString()).toBe('{"a":1}');
    expect(readFileSync(join(folder, 'stdout.log'), 'utf8')).toBe('{"a":1}');
    expect(readFileSync(join(folder, 'stderr.log'), 'utf8')).toBe('problem\n');
    expect(bytes).toEqual({ stdout: 7, stderr: 8 });
    expect(statSync(join(folder, 'stdout.log')).mode & 0o777).toBe(0o600);
  });
});

/** Each ignores its end in its own way; the limit is half a second, and two seconds later nothing of it may be left. */
const node = (code: string): string[] => [process.execPath, '-e', code];
/** A sleep that no other test run has. */
const unlike = `sleep 60.${process.pid}`;
const nasty: [string, string | string[], Partial<ProcessResult>][] = [
  ['ignores SIGTERM', 'trap "" TERM; while :; do sleep 1; done', { exitCode: 81 }],
  ['forks', 'sleep 60 & sleep 60', { exitCode: 81, leaked: 0 }],
  ['forks twice', '(sleep 60 &) ; sleep 60', { exitCode: 81 }],
  ['leaves the group', 'setsid sleep 60 & sleep 60', { exitCode: 81, leaked: 1 }],
  ['holds the pipes', 'setsid sh -c "trap \\"\\" TERM; sleep 60" & exit 0', { exitCode: 0 }],
  ['fills its output', 'yes', { exitCode: 81 }],
  ['closes its input', 'exec 0<&-; sleep 60', { exitCode: 81 }],
  [
    'starts others when it is asked to end',
    node(
      'process.on("SIGTERM", () => { for (let i = 0; i < 3; i++) require("child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore" }) }); setInterval(() => {}, 1000)',
    ),
    { exitCode: 81 },
  ],
  ['sleeps in a grandchild', 'sh -c "sh -c \\"sleep 60\\""', { exitCode: 81 }],
  ['stops itself', 'kill -STOP $$', { exitCode: 81 }],
  ['ends and leaves children', 'sleep 60 & exit 3', { exitCode: 3, leaked: 1 }],
  ['clears what its child carries, out of the group', `setsid env -i ${unlike}1 & sleep 60`, { exitCode: 81, leaked: 1 }],
  ['does so and ends at once', `setsid env -i ${unlike}2 & exit 3`, { exitCode: 3, leaked: 1 }],
  ['does so and prints nothing', `setsid env -i ${unlike}3 >/dev/null 2>&1 & sleep 0.2; exit 3`, { exitCode: 3, leaked: 1 }],
  ['does so behind a parent that is gone', `(setsid env -i ${unlike}5 >/dev/null 2>&1 &); exit 3`, { exitCode: 3, leaked: 1 }],
  ['has a child that lets go of everything', `setsid env -i ${unlike}6 >/dev/null 2>&1 3>&- & sleep 60`, { exitCode: 81, leaked: 1 }],
];

describe('is killed with all descendants within two seconds after the timeout', () => {
  test.concurrent.each(nasty)('one that %s', async (_, argv, expected) => {
    const before = Date.now();
    const end = await run(argv, { timeoutMs: 500 });
    expect(Date.now() - before).toBeLessThan(500 + 2000 + 1500);
    expect(end).toMatchObject({ ...expected, timedOut: expected.exitCode === 81 });
    expect(left(end.mark)).toEqual([]);
    for (const words of String(argv).match(new RegExp(`${unlike}\\d`, 'g')) ?? []) expect(running()).not.toContain(words);
  });

  test('one that closed its handles after it was tracked', async () => {
    const lost = `${unlike}7`;
    const end = await run(`setsid env -i sh -c "sleep 0.2; ${lost} & sleep 60" >/dev/null 2>&1 3>&- & sleep 1; exit 3`);
    expect([end.exitCode, end.leaked, running().includes(lost)]).toEqual([3, 3, false]);
  });

  test('one that writes a gibibyte', async () => {
    const before = process.memoryUsage.rss();
    const end = await run('head -c 1073741824 /dev/zero');
    expect(end).toMatchObject({ exitCode: 0, isTruncated: true, bytes: { stdout: 2 ** 30 } });
    expect(end.stdout).toHaveLength(10 * 2 ** 20);
    expect(statSync(join(end.folder, 'stdout.log')).size).toBe(50 * 2 ** 20);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20);
  });
});

test('exits with 130 after cancellation and leaves no process', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  const end = await run('sleep 60', { signal: stop.signal });
  expect(end).toMatchObject({ exitCode: 130, cancelled: true, timedOut: false });
  expect(left(end.mark)).toEqual([]);
});

test('kills the process tree on systems without process groups', async () => {
  const folder = createTempFolder();
  writeFileSync(join(folder, 'taskkill'), `#!/bin/sh\necho "$@" > ${folder}/asked.tmp; mv ${folder}/asked.tmp ${folder}/asked\n`);
  chmodSync(join(folder, 'taskkill'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  onTestFinished(() => {
    Object.defineProperty(process, 'platform', { value: platform });
    vi.unstubAllEnvs();
  });
  expect([listLiving({ pid: process.pid, environmentMark: '' }), listLiving({ pid: 2 ** 22 - 3, environmentMark: '' })]).toEqual([
    [process.pid],
    [],
  ]);
  signalAll({ pid: 4242, environmentMark: '' }, 'SIGTERM');
  while (!existsSync(join(folder, 'asked'))) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('/pid 4242 /T /F\n');
});

test('does not write a log through a link', async () => {
  const folder = createTempFolder();
  const { symlinkSync } = await import('node:fs');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'stdout.log'));
  await expect(run(['true'], { folder })).rejects.toThrow(/ELOOP/);
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
});
