import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { measureBlocked, type ProcessMemory } from '../bench/measure.mjs';
import { findPlatform, toPlatformName } from '../scripts/find-bun.mjs';
import { addStart, startSettings } from '../scripts/native-start.mjs';
import { everydayWords, serverWord } from '../scripts/warm-up.mjs';
import { writeExecutable } from '../scripts/write-executable.mjs';
import { toArgv } from '../src/core/command-line.ts';
import { registry } from '../src/core/index.generated.ts';
import { openApp } from './app.ts';
import { cleoPath, runCleo } from './built-cli.ts';
import { createFaultProject, root } from './faults/processes.ts';
import { startServer } from './faults/server-process.ts';
import { grantPerson, needsPerson } from './person-token.ts';
import { createTempFolder } from './temp-folder.ts';
import { cleoLine, runAtTerminal } from './terminal-session.ts';

const operations = await Promise.all(registry.entries.map((entry) => entry.load()));

test.each(operations.map((operation) => [operation.name, operation] as const))('%s answers its example', async (name, operation) => {
  const { call, world, exit = 0 } = operation.example;
  const app = await openApp({ tasks: world ?? [], engine: 'sqlite' });
  const env = needsPerson(operation) ? await grantPerson(app.root, app.env) : app.env;
  const { argv, stdin } = toArgv(operation, call);
  const { out, err, exitCode } = await runCleo(['--json', ...argv], { cwd: app.root, env, ...(stdin === undefined ? {} : { stdin }) });
  expect(err).toBe('');
  expect(JSON.parse(out)._meta.command).toBe(name);
  expect(exitCode).toBe(exit);
});

test('runs without Node, npm and its own folder', () => {
  const folder = createTempFolder();
  const copy = join(folder, 'cleo');
  copyFileSync(cleoPath, copy);
  const run = (...words: string[]) =>
    JSON.parse(execFileSync(copy, words, { cwd: folder, env: { PATH: '/nonexistent', HOME: '/nonexistent' }, encoding: 'utf8' }));
  run('init');
  expect(run('add', 'Write the parser').task.id).toBe('T001');
  expect(run('version')).toMatchObject({ build: 'native', runtime: expect.stringMatching(/^bun 1\./) });
  // Texts for agents and SQL are part of the executable.
  expect(run('skill', 'list').skills.length).toBeGreaterThan(5);
});

test('reports a deleted working folder in words of its runtime', () => {
  for (const words of [['list'], ['add', 'x'], ['mcp']]) {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const options = { cwd: createTempFolder(), encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', cleoPath, ...words], options);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('working directory was deleted')]);
  }
});

test('ignores configuration of Bun in the project', async () => {
  const project = await createFaultProject();
  writeFileSync(join(project.root, '.env'), 'CLEO_AGENT_ID=from-env-file\n');
  writeFileSync(join(project.root, 'preload.ts'), `require('node:fs').writeFileSync('preloaded', '')`);
  writeFileSync(join(project.root, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  const { task } = await project.runOk(['add', 'Write the parser']);
  expect(task.createdBy).not.toBe('from-env-file');
  expect(readdirSync(project.root)).not.toContain('preloaded');
});

test('leaves the log of the database to the next long log, as Node does', async () => {
  const project = await createFaultProject();
  await project.runOk(['add', 'Write the parser']);
  const length = statSync(`${project.database}-wal`).size;
  const bytes = readFileSync(project.database);
  await project.runOk(['add', 'Test it']);
  await project.runOk(['show', 'T001']);
  expect(statSync(`${project.database}-wal`).size).toBeGreaterThan(length);
  expect(readFileSync(project.database).equals(bytes)).toBe(true);
});

test('computes the hashes that the npm package computes', async () => {
  const app = await openApp({ engine: 'sqlite' });
  for (const title of ['Write the parser', 'Lire le fichier ünïcödé 😀', 'x'.repeat(119)]) {
    const { exitCode } = await runCleo(['add', title], { cwd: app.root, env: app.env });
    expect(exitCode).toBe(0);
  }
  const { chain } = await app.call('admin.audit.verify');
  expect(chain).toMatchObject({ ok: true, entries: 3 });
});

test('serves the page that it contains', async () => {
  const project = await createFaultProject();
  const { port } = await startServer(project);
  const url = `http://127.0.0.1:${port}`;
  const page = await (await fetch(`${url}/`)).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  const response = await fetch(`${url}${script}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect((await response.text()).length).toBeGreaterThan(1000);
});

test('has a checksum in the format of sha256sum', () => {
  expect(readFileSync(`${cleoPath}.sha256`, 'utf8')).toBe(`${hashFile(cleoPath)}  ${basename(cleoPath)}\n`);
});

test('the npm packages run the executable, with and without install scripts', () => {
  const target = join(createTempFolder(), 'packages');
  const script = join(root, 'scripts', 'native-packages.mjs');
  execFileSync(process.execPath, [script, target, '--scope', '@example'], { cwd: root });
  // npm installs both packages next to each other.
  const modules = join(createTempFolder(), 'node_modules');
  renameSync(target, modules);
  const command = join(modules, 'cleo-native', 'bin', 'cleo');
  const readVersion = () =>
    JSON.parse(execFileSync(command, ['version'], { env: { PATH: process.env.PATH, HOME: '/nonexistent' } }).toString());
  expect(statSync(command).size).toBeLessThan(10_000);
  expect(readVersion()).toMatchObject({ build: 'native' });
  execFileSync(process.execPath, [join(modules, 'cleo-native', 'install.cjs')]);
  expect(statSync(command).size).toBe(statSync(cleoPath).size);
  expect(readVersion()).toMatchObject({ build: 'native' });
  const [hash, name] = readFileSync(join(modules, 'download', 'SHA256SUMS'), 'utf8')
    .trim()
    .split('  ');
  expect(hashFile(join(modules, 'download', name!))).toBe(hash);
});

// Pages of the executable depend on how the system caches the file. Memory of its own does not, but its pages have other sizes elsewhere.
test('a batch of 1,000 tasks takes at most 18 MB of its own', async () => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return;
  const project = await createFaultProject();
  const tasks = Array.from({ length: 1000 }, (_, i) => ({
    ref: `part-${i}`,
    title: `Part ${i} of the batch`,
    description: `The parser reads one token after another and reports error ${i} with its line and column. `.repeat(2),
    ...(i % 8 === 0 ? { type: 'epic' } : { parent: `part-${i - (i % 8)}` }),
    ...(i % 8 > 1 ? { depends: [`part-${i - 1}`] } : {}),
  }));
  const file = join(createTempFolder(), 'batch.json');
  writeFileSync(file, JSON.stringify(tasks));
  const batch = {
    argv: [cleoPath, 'add-batch', '--file', file],
    cwd: project.root,
    env: { HOME: '/nonexistent', CLEO_HOME: join(project.root, '.home') },
  };
  // The first one also makes the backup of the day.
  await measureBlocked(batch);
  const memory = await measureBlocked(batch);
  expect(memory).toEqual({ peak: expect.any(Number), own: expect.any(Number) });
  expect((memory as ProcessMemory).own).toBeLessThan(18);
});

test.each(['Pacific/Auckland', 'America/Los_Angeles', 'UTC'])('knows the local day in %s', async (zone) => {
  const project = await createFaultProject();
  await project.runOk(['add', 'Call back', '--due', 'today'], { env: { TZ: zone } });
  const { task } = await project.runOk(['show', 'T001']);
  expect(task.due).toBe(new Date().toLocaleDateString('sv-SE', { timeZone: zone }));
});

/** Runs a command with an option of the runtime that prints the settings it was started with. */
async function readRuntimeSettings(argv: string[], env: Record<string, string> = {}): Promise<string> {
  const { out, err } = await runCleo(argv, { cwd: createTempFolder(), env: { BUN_JSC_dumpOptions: '1', ...env } });
  return `${out}${err}`;
}

/** The build adds a start to executables for this platform. On others, everyday commands start as all others do. */
const hasStart = toPlatformName(findPlatform()!) === 'linux-x64';

describe('the start of everyday commands', () => {
  const noCompiler = 'useJIT=false';

  test.each(everydayWords)('%s runs without a compiler where there is a start', async (word) => {
    expect((await readRuntimeSettings([word])).includes(noCompiler)).toBe(hasStart);
  });

  test.each([
    ['find', 'parser', '--limit', '0'],
    ['ready', '--limit=0'],
    ['list'],
    ['import'],
    [serverWord],
    ['sho'],
    ['shows'],
    [''],
    ['--json', 'show'],
    [],
  ])('others run with it: %j', async (...argv) => {
    const settings = await readRuntimeSettings(argv);
    expect(settings).toContain('Modified JSC options');
    expect(settings).not.toContain(noCompiler);
  });

  test('none of its words starts a job', () => {
    for (const word of everydayWords) {
      const kinds = operations
        .filter(({ cli }) => [cli.command].flat().some((command) => command.split(' ')[0] === word))
        .map(({ kind }) => kind);
      expect(kinds, word).not.toEqual([]);
      expect(kinds, word).not.toContain('job');
    }
  });

  test("a user's setting wins, and a program that a command starts gets it", async () => {
    expect(await readRuntimeSettings(['show'], { BUN_JSC_useJIT: '1' })).not.toContain(noCompiler);
    expect(await runPager('env', ['show', 'T001'], { BUN_JSC_useJIT: '1' })).toContain('BUN_JSC_useJIT=1');
  });

  test('programs that a command starts do not get its settings', async () => {
    const variables = await runPager('env', ['show', 'T001']);
    expect(variables).toContain('HOME=');
    for (const name of Object.keys(startSettings)) expect(variables).not.toContain(name);
  });

  test('four parts of the heap of the MCP server have large pages', async () => {
    const project = await createFaultProject();
    const server = spawn(cleoPath, [serverWord], { cwd: project.root, env: { PATH: process.env.PATH, HOME: project.root } });
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await once(server.stdout, 'data');
    if (hasStart && existsSync('/sys/kernel/mm/transparent_hugepage')) {
      // Parts that are next to each other are one mapping.
      const mappings = readFileSync(`/proc/${server.pid}/smaps`, 'utf8').matchAll(/^Size: +(\d+) kB\n(?:(?!Size:).*\n)*?VmFlags:.* hg\b/gm);
      expect([...mappings].map(([, kilobytes]) => Number(kilobytes) / 1024)).toEqual([2, 4, 2]);
    }
    server.stdin.end();
    const [code] = await once(server, 'exit');
    expect(code).toBe(0);
  });

  test('four parts of the heap have large pages', async () => {
    // The system marks them with `hg`, also where it has no large page left. Adjacent parts are one area. Only Linux has this file.
    const addSizes = '/^Size:/ { size = $2 } /^VmFlags:.* hg/ { sum += size } END { print sum / 2048 }';
    const countParts = (words: string[], env = {}) =>
      runPager(`test -e /proc/$PPID/smaps && awk '${addSizes}' /proc/$PPID/smaps`, words, env);
    const none = existsSync('/proc/self/smaps') ? '0\n' : '';
    expect(await countParts(['show', 'T001'])).toBe(hasStart && existsSync('/sys/kernel/mm/transparent_hugepage') ? '4\n' : none);
    expect(await countParts(['list'])).toBe(none);
    // The system looks up all functions at the start, and the runtime calls them as usual.
    expect(await countParts(['show', 'T001'], { LD_BIND_NOW: '1' })).toBe(none);
  });

  /** Returns the output of a program that is the pager of a command. */
  async function runPager(program: string, words: string[], env: Record<string, string> = {}): Promise<string> {
    const project = await createFaultProject();
    await project.runOk(['add', 'Write the parser']);
    await runAtTerminal(`stty cols 80 rows 2; ${cleoLine(...words)}`, {
      cwd: project.root,
      env: { HOME: createTempFolder(), CLEO_HOME: join(project.root, '.home'), PAGER: `{ ${program}; } >output`, ...env },
    });
    return readFileSync(join(project.root, 'output'), 'utf8');
  }

  test('works through a link, without variables and with 10,000 arguments', async () => {
    const project = await createFaultProject();
    await project.runOk(['add', 'Write the parser']);
    const link = join(createTempFolder(), 'ct');
    symlinkSync(cleoPath, link);
    const run = (words: string[]) => JSON.parse(execFileSync(link, words, { cwd: project.root, env: {}, encoding: 'utf8' }));
    expect(run(['show', 'T001']).task.title).toBe('Write the parser');
    const { out } = await runCleo(['show', ...Array<string>(10_000).fill('T001')], { cwd: project.root });
    expect(JSON.parse(out).error.details).toEqual({ field: 'taskIds' });
  });

  test('leaves an executable that it does not know as it is', () => {
    const path = join(createTempFolder(), 'program');
    // The start is added once: the segment of notes is no longer there.
    for (const from of [cleoPath, process.execPath, import.meta.filename]) {
      copyFileSync(from, path);
      expect(addStart(path, { everydayWords, serverWord })).toMatch(/^it|^its/);
      expect(hashFile(path)).toBe(hashFile(from));
    }
  });
});

test.each(['an executable', 'another file'])('writes %s in pieces', (what) => {
  const path = join(createTempFolder(), 'written');
  const bytes = what === 'an executable' ? readFileSync(cleoPath) : Buffer.from('#!/bin/sh\n');
  writeExecutable(path, bytes);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  accessSync(path, constants.X_OK);
});

const hashFile = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
