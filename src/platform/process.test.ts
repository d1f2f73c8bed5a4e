import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../test/temporary.ts';
import { run } from './process.ts';

const node = process.execPath;
const folder = temporary;
const script = (code: string): string[] => [node, '-e', code];
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie is gone for everyone but its parent.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
};
const pidIn = (path: string): number => Number(readFileSync(path, 'utf8'));

test('what it exits with and prints', async () => {
  const ran = await run({}, script('console.log("out"); console.error("err"); process.exit(3)'), { folder: folder(), timeoutMs: 20_000 });
  expect(ran).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', bytes: 8 });
});

test('words stay words: no shell reads them', async () => {
  const nasty = ['$(touch x)', '; touch x', '`touch x`', '&& touch x', '*', '"', "'", '\n'];
  const place = folder();
  const ran = await run({}, [...script('console.log(JSON.stringify(process.argv.slice(1)))'), ...nasty], {
    folder: place,
    timeoutMs: 20_000,
  });
  expect(JSON.parse(ran.stdout)).toEqual(nasty);
  expect(existsSync(join(place, 'x'))).toBe(false);
});

test('a program that is not there is told, not thrown', async () => {
  expect(await run({}, ['no-such-program-here'], { folder: folder(), timeoutMs: 1000 })).toMatchObject({
    problem: 'no-such-program-here is not there',
  });
});

test('the same output has the same hash', async () => {
  const hashOf = async (text: string): Promise<string> =>
    (await run({}, script(`process.stdout.write(${JSON.stringify(text)})`), { folder: folder(), timeoutMs: 20_000 })).sha256;
  expect(await hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await hashOf('abd')).not.toBe(await hashOf('abc'));
});

test('of 100 MB of output the end is kept, and memory stays flat', async () => {
  const before = process.memoryUsage.rss();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const much =
    'const part = "x".repeat(1 << 20); let n = 0; const more = () => { while (n++ < 100) if (!process.stdout.write(part)) return process.stdout.once("drain", more); process.stdout.write("the end") }; more()';
  const ran = await run({}, script(much), { folder: folder(), timeoutMs: 60_000 });
  clearInterval(watch);
  expect(ran).toMatchObject({ exitCode: 0, bytes: 100 * 2 ** 20 + 7 });
  expect(ran.stdout).toHaveLength(4096);
  expect(ran.stdout.endsWith('xthe end')).toBe(true);
  expect((peak - before) / 2 ** 20).toBeLessThan(60);
});

test('one that prints for ever is ended', async () => {
  const ever = 'const more = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", more) }; more()';
  const ran = await run({}, script(ever), { folder: folder(), timeoutMs: 20_000, maxBytes: 1 << 20 });
  expect(ran).toMatchObject({ stopped: 'output' });
});

test.each([
  ['hangs', 'setInterval(() => {}, 1000)'],
  ['ignores that it is asked to stop', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
])('one that %s is killed', async (_, code) => {
  const place = folder();
  const ran = await run({}, script(`require("fs").writeFileSync("pid", String(process.pid)); ${code}`), { folder: place, timeoutMs: 700 });
  expect(ran).toMatchObject({ stopped: 'time' });
  expect(ran.exitCode).toBeUndefined();
  expect(ran.durationMs).toBeLessThan(4000);
  expect(isAlive(pidIn(join(place, 'pid')))).toBe(false);
});

const starts = (detached: boolean): string =>
  `const child = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: "inherit", detached: ${detached} }); require("fs").writeFileSync("pid", String(child.pid));`;

test.each([
  ['its children', false],
  ['children that left its group', true],
])('killing it kills %s', async (_, detached) => {
  const place = folder();
  const ran = await run({}, script(`${starts(detached)} setInterval(() => {}, 1000)`), { folder: place, timeoutMs: 900 });
  expect(ran).toMatchObject({ stopped: 'time' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isAlive(pidIn(join(place, 'pid')))).toBe(false);
});

test('one that ends and leaves a child with its pipe is not waited for, and the child does not stay', async () => {
  const place = folder();
  const ran = await run({}, script(`${starts(true)} console.log("done"); child.unref(); process.exit(0)`), {
    folder: place,
    timeoutMs: 20_000,
  });
  expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(ran.durationMs).toBeLessThan(5000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isAlive(pidIn(join(place, 'pid')))).toBe(false);
});

test('no variable leads it to another repository', async () => {
  const env = { GIT_DIR: '/elsewhere/.git', GIT_WORK_TREE: '/elsewhere', GIT_AUTHOR_NAME: 'Ada' };
  const ran = await run(env, script('console.log(Object.keys(process.env).filter((name) => name.startsWith("GIT_")).join())'), {
    folder: folder(),
    timeoutMs: 20_000,
  });
  expect(ran.stdout).toBe('GIT_AUTHOR_NAME\n');
});
