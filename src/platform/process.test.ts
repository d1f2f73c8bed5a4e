import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '../../test/temp-folder.ts';
import { runProgram } from './process.ts';

const node = process.execPath;
const script = (code: string): string[] => [node, '-e', code];
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie no longer runs.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
};
const readPid = (path: string): number => Number(readFileSync(path, 'utf8'));

test('returns the exit code and the output', async () => {
  const ran = await runProgram({}, script('console.log("out"); console.error("err"); process.exit(3)'), {
    folder: createTempFolder(),
    timeoutMs: 20_000,
  });
  expect(ran).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', bytes: 8 });
});

test('passes arguments without a shell', async () => {
  const nasty = ['$(touch x)', '; touch x', '`touch x`', '&& touch x', '*', '"', "'", '\n'];
  const folder = createTempFolder();
  const ran = await runProgram({}, [...script('console.log(JSON.stringify(process.argv.slice(1)))'), ...nasty], {
    folder,
    timeoutMs: 20_000,
  });
  expect(JSON.parse(ran.stdout)).toEqual(nasty);
  expect(existsSync(join(folder, 'x'))).toBe(false);
});

test('returns a problem for a missing program', async () => {
  expect(await runProgram({}, ['no-such-program-here'], { folder: createTempFolder(), timeoutMs: 1000 })).toMatchObject({
    problem: 'no-such-program-here is not installed',
  });
});

test('the same output has the same hash', async () => {
  const getHash = async (text: string): Promise<string> =>
    (await runProgram({}, script(`process.stdout.write(${JSON.stringify(text)})`), { folder: createTempFolder(), timeoutMs: 20_000 }))
      .sha256;
  expect(await getHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await getHash('abd')).not.toBe(await getHash('abc'));
});

test('returns the end of 100 MB of output with constant memory', async () => {
  const before = process.memoryUsage.rss();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const much =
    'const part = "x".repeat(1 << 20); let n = 0; const more = () => { while (n++ < 100) if (!process.stdout.write(part)) return process.stdout.once("drain", more); process.stdout.write("the end") }; more()';
  const ran = await runProgram({}, script(much), { folder: createTempFolder(), timeoutMs: 60_000 });
  clearInterval(watch);
  expect(ran).toMatchObject({ exitCode: 0, bytes: 100 * 2 ** 20 + 7 });
  expect(ran.stdout).toHaveLength(4096);
  expect(ran.stdout.endsWith('xthe end')).toBe(true);
  expect((peak - before) / 2 ** 20).toBeLessThan(60);
});

test('stops a program that prints for ever', async () => {
  const ever = 'const more = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", more) }; more()';
  const ran = await runProgram({}, script(ever), { folder: createTempFolder(), timeoutMs: 20_000, maxBytes: 1 << 20 });
  expect(ran).toMatchObject({ stopped: 'output' });
});

test.each([
  ['hangs', 'setInterval(() => {}, 1000)'],
  ['ignores SIGTERM', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
])('kills a program that %s', async (_, code) => {
  const folder = createTempFolder();
  const ran = await runProgram({}, script(`require("fs").writeFileSync("pid", String(process.pid)); ${code}`), {
    folder,
    timeoutMs: 700,
  });
  expect(ran).toMatchObject({ stopped: 'time' });
  expect(ran.exitCode).toBeUndefined();
  expect(ran.durationMs).toBeLessThan(4000);
  expect(isAlive(readPid(join(folder, 'pid')))).toBe(false);
});

const spawnChild = (detached: boolean): string =>
  `const child = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: "inherit", detached: ${detached} }); require("fs").writeFileSync("pid", String(child.pid));`;

test.each([
  ['its children', false],
  ['children outside its process group', true],
])('a timeout kills %s', async (_, detached) => {
  const folder = createTempFolder();
  const ran = await runProgram({}, script(`${spawnChild(detached)} setInterval(() => {}, 1000)`), { folder, timeoutMs: 900 });
  expect(ran).toMatchObject({ stopped: 'time' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isAlive(readPid(join(folder, 'pid')))).toBe(false);
});

test('a program that Ctrl-C killed before it began is started again, once, in a process that survives Ctrl-C', async () => {
  const folder = createTempFolder();
  const run = async (words: string) => {
    const { exitCode, signal, stdout } = await runProgram({}, ['sh', '-c', `echo run >> runs; ${words}`], { folder, timeoutMs: 20_000 });
    const runs = readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1;
    rmSync(join(folder, 'runs'));
    return { exitCode, signal, stdout, runs };
  };
  const dieFirst = '[ $(wc -l < runs) -gt 1 ] || kill -INT $$; echo done';
  expect(await run(dieFirst)).toMatchObject({ signal: 'SIGINT', runs: 1 });
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  onTestFinished(() => void process.off('SIGINT', ignore));
  expect(await run(dieFirst)).toMatchObject({ exitCode: 0, stdout: 'done\n', runs: 2 });
  expect(await run('kill -INT $$')).toMatchObject({ signal: 'SIGINT', runs: 2 });
  expect(await run('echo began; kill -INT $$')).toMatchObject({ signal: 'SIGINT', runs: 1 });
});

test('does not wait for a child that keeps the pipe open, and kills it', async () => {
  const folder = createTempFolder();
  const ran = await runProgram({}, script(`${spawnChild(true)} console.log("done"); child.unref(); process.exit(0)`), {
    folder,
    timeoutMs: 20_000,
  });
  expect(ran).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(ran.durationMs).toBeLessThan(5000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isAlive(readPid(join(folder, 'pid')))).toBe(false);
});

const unlike = `sleep 60.${process.pid}`;
const listRunning = (): string => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });

test.each([
  ['a child in the background', `${unlike}1 &`],
  ['a child without output', `${unlike}2 >/dev/null 2>&1 &`],
  ['a daemon', `setsid ${unlike}3 >/dev/null 2>&1 < /dev/null &`],
  ['a daemon without environment', `setsid env -i ${unlike}4 >/dev/null 2>&1 &`],
  ['a daemon behind a parent that is gone', `(setsid env -i ${unlike}5 >/dev/null 2>&1 &)`],
  ['a daemon that ignores signals', `setsid sh -c 'trap "" TERM HUP INT; ${unlike}6' >/dev/null 2>&1 &`],
  ['a daemon that closed its handles', `setsid env -i ${unlike}7 >/dev/null 2>&1 3>&- & sleep 0.3`],
])('leaves no process of a program that has ended: %s', async (_, line) => {
  const ran = await runProgram({ PATH: process.env.PATH }, ['sh', '-c', `${line}\nexit 3`], {
    folder: createTempFolder(),
    timeoutMs: 20_000,
  });
  expect(ran).toMatchObject({ exitCode: 3 });
  expect(listRunning()).not.toContain(/sleep 60\.\d+/.exec(line)![0]);
});

test('passes the allowed variables, and the whole environment only on request', async () => {
  const env = { PATH: process.env.PATH, API_TOKEN: 'x', MY_SETTING: 'y', LC_ALL: 'C' };
  const read = async (more: object): Promise<string> => {
    const names = 'console.log(Object.keys(process.env).filter((name) => !name.startsWith("CLEO_")).sort().join())';
    return (await runProgram(env, script(names), { folder: createTempFolder(), timeoutMs: 20_000, ...more })).stdout;
  };
  expect(await read({})).toBe('LC_ALL,PATH\n');
  expect(await read({ variables: ['MY_SETTING'], env: { ADDED: '1' } })).toBe('ADDED,LC_ALL,MY_SETTING,PATH\n');
  expect(await read({ inheritsEnv: true })).toBe('API_TOKEN,LC_ALL,MY_SETTING,PATH\n');
});

test('removes variables that select another repository', async () => {
  const env = { GIT_DIR: '/elsewhere/.git', GIT_WORK_TREE: '/elsewhere', GIT_AUTHOR_NAME: 'Ada' };
  const ran = await runProgram(env, script('console.log(Object.keys(process.env).filter((name) => name.startsWith("GIT_")).join())'), {
    folder: createTempFolder(),
    inheritsEnv: true,
    timeoutMs: 20_000,
  });
  expect(ran.stdout).toBe('GIT_AUTHOR_NAME\n');
});
