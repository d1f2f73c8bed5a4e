import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { measureBlocked, type ProcessMemory } from '../bench/measure.mjs';
import { trustProject } from './trust.ts';

const root = resolve(import.meta.dirname, '..');
const dist = resolve(root, process.env.CLEO_TEST_DIST ?? 'dist');
const env = { PATH: process.env.PATH, HOME: '/nonexistent', LOGNAME: 'sam' };

function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const words of [['init'], ['add', 'Write the parser'], ['add', 'Test it']]) cleo(folder, words);
  return folder;
}

const cleo = (cwd: string, words: string[], file = join(dist, 'cleo.js')): string =>
  execFileSync(process.execPath, [file, ...words], { cwd, env, encoding: 'utf8' });

function listLoaded(cwd: string, words: string[]): { files: string[]; modules: string[] } {
  const { output } = spawnSync(process.execPath, ['--require', join(root, 'bench', 'loads.cjs'), ...words], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return JSON.parse(String(output[3]));
}

const everyday: [string, string[]][] = [
  ['show T1', ['core.js', 'parts/tasks-operations-show.js']],
  ['exists T1', ['core.js', 'parts/tasks-operations-exists.js']],
  ['find parser', ['core.js', 'parts/tasks-operations-find.js', 'parts/store-sql-search-reads.js']],
  ['next', ['core.js', 'parts/tasks-operations-next.js', 'parts/store-sql-tasks-rank-reads.js']],
  [
    'memory find parser',
    ['core.js', 'parts/memory-operations-find.js', 'parts/store-sql-memory-reads.js', 'parts/store-sql-search-reads.js'],
  ],
];

for (const [line, expected] of everyday)
  test(`cleo ${line} loads the core, its own part and nothing else`, () => {
    const folder = createProject();
    writeFileSync(join(folder, 'nothing.cjs'), '');
    const bare = new Set(listLoaded(folder, ['nothing.cjs']).modules);
    const { files, modules } = listLoaded(folder, [join(dist, 'cleo.js'), ...line.split(' ')]);
    const ours = files.filter((path) => path.startsWith(dist) && path.endsWith('.js')).map((path) => relative(dist, path));
    expect(ours.filter((path) => path !== 'cleo.js')).toEqual(expected);
    expect(files.filter((path) => path.includes('node_modules'))).toEqual([]);
    // Built-in modules: those that run a script from a cache, and node:sqlite if available.
    expect(modules.filter((name) => !bare.has(name) && !/sqlite/i.test(name))).toEqual(['NativeModule vm']);
  });

test.each([['add', 'Write'], ['start', 'T2'], ['update', 'T2', '--notes', 'Begun'], ['list']])(
  'cleo %s loads no schema of its result, which the build has moved to a part of its own',
  (...words) => {
    const folder = createProject();
    const { files } = listLoaded(folder, [join(dist, 'cleo.js'), ...words]);
    const parts = files.map((path) => relative(join(dist, 'parts'), path));
    expect(parts).toContain(`tasks-operations-${words[0]}.js`);
    expect(parts.filter((name) => name.endsWith('-result.js'))).toEqual([]);
    expect(statSync(join(dist, 'parts', `tasks-operations-${words[0]}-result.js`)).size).toBeGreaterThan(500);
  },
);

/** The length without the padding at the end. */
const getCodeLength = (path: string): number => readFileSync(join(dist, path), 'utf8').trimEnd().length;

// A garbage collection takes about a twentieth of a start.
test.each(everyday)('cleo %s ends before the first garbage collection', (line) => {
  const folder = createProject();
  const words = ['--trace-gc', join(dist, 'cleo.js'), ...line.split(' ')];
  const run = () => spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
  // The first runs create the cache for these flags of Node.
  for (let runs = 0; runs < 3; runs++) run();
  const { stdout } = run();
  expect(stdout).toContain('"success":true');
  expect(stdout.split('\n').filter((each) => each.includes('Scavenge') || each.includes('Mark-Compact'))).toEqual([]);
});

test('skill run loads no YAML parser, no document rules and no patterns, and does not call git outside a repository', async () => {
  const folder = createProject();
  mkdirSync(join(folder, 'skills', 'yes'), { recursive: true });
  writeFileSync(join(folder, 'skills', 'yes', 'run'), '#!/bin/sh\n', { mode: 0o755 });
  Object.assign(env, { CLEO_HOME: join(folder, 'home') });
  onTestFinished(() => void Reflect.deleteProperty(env, 'CLEO_HOME'));
  await trustProject(folder, env);
  // The first run of a day prunes old runs.
  cleo(folder, ['skill', 'run', 'yes']);
  const { files, modules } = listLoaded(folder, [join(dist, 'cleo.js'), 'skill', 'run', 'yes']);
  const ours = files.filter((path) => path.startsWith(dist) && path.endsWith('.js')).map((path) => relative(dist, path));
  expect(ours.filter((path) => path !== 'cleo.js')).toEqual([
    ...['core.js', 'parts/runs-operations-skills-run.js', 'parts/dispatch-write.js', 'parts/platform-project-trust.js'],
    ...['parts/store-sql-write-store.js', 'parts/platform-runner-runner-platform.js'],
  ]);
  expect(ours.reduce((sum, path) => sum + getCodeLength(path), 0)).toBeLessThan(320_000);
  expect(modules.filter((name) => /perf_hooks|fs\/promises|readline/.test(name))).toEqual([]);
});

test('a run of one skill executes functions of at most 70 source files, so that it can be followed', () => {
  const printed = execFileSync(process.execPath, [join(root, 'bench', 'source-files.mjs')], { encoding: 'utf8' });
  expect(Number(/^(\d+) source files with functions that run in construct run /.exec(printed)?.[1])).toBeLessThanOrEqual(70);
});

test('a git hook without changes loads neither the rules of the plan nor a parser', () => {
  const folder = createProject();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  cleo(folder, ['sync']);
  execFileSync('git', ['add', '--all'], { cwd: folder });
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'plan'], { cwd: folder });
  const { files } = listLoaded(folder, [join(dist, 'cleo.js'), 'sync', '--git-hook', 'pre-commit', '--human']);
  const parts = files.filter((path) => path.startsWith(join(dist, 'parts'))).map((path) => relative(join(dist, 'parts'), path));
  expect(parts).toContain('platform-plan-files.js');
  expect(parts.filter((name) => /^packages-|sync-checkout|staged-secrets/.test(name))).toEqual([]);
  expect(getCodeLength('parts/transfer-operations-sync-git-hook.js')).toBeLessThan(8000);
});

test('add-batch from a file loads no module for terminals', () => {
  const folder = createProject();
  writeFileSync(join(folder, 'batch.json'), '[{"title":"Write the parser"}]');
  const { modules } = listLoaded(folder, [join(dist, 'cleo.js'), 'add-batch', '--file', 'batch.json']);
  expect(modules.filter((name) => /NativeModule (tty|net)$/.test(name))).toEqual([]);
});

test('the core stays small, because every command loads it', () => {
  expect(getCodeLength('core.js')).toBeLessThan(107_000);
  // The cache of the build contains what other tests have run.
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  rmSync(join(caches, 'show.bin'), { force: true });
  cleo(folder, ['show', 'T1'], join(copy, 'cleo.js'));
  const positions = readPositions(join(caches, 'show.bin'));
  const measureCompiled = (file: string): number => positions[file]!.reduce((from, to) => to - from);
  // Parts use the schema functions of the core, so the two are measured together.
  expect(measureCompiled('core.js') + measureCompiled('parts/tasks-operations-show.js')).toBeLessThan(227_000);
});

test('the first three runs of a command add the code that they compile to its cache', () => {
  const folder = createProject();
  cleo(folder, ['add', 'Check', '--labels', 'docs', '--files', 'a.ts', '--acceptance', 'Works', '--notes', 'Begun']);
  const { copy, caches } = copyDist(folder);
  const cache = join(caches, 'show.bin');
  rmSync(cache, { force: true });
  const sizes = ['T1', 'T3', 'T1', 'T3'].map((id) => {
    cleo(folder, ['show', id], join(copy, 'cleo.js'));
    return [statSync(cache).size, statSync(cache).mtimeMs];
  });
  const [first, second, third, fourth] = sizes;
  expect(second![0]).toBeGreaterThan(first![0]!);
  expect(third![1]).toBeGreaterThan(second![1]!);
  expect(fourth).toEqual(third);
});

test('a word that is no command does not write the cache again', () => {
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  const cache = join(caches, '-.bin');
  const runTypo = (): number => {
    spawnSync(process.execPath, [join(copy, 'cleo.js'), 'shwo'], { cwd: folder, env });
    return statSync(cache).mtimeMs;
  };
  rmSync(cache, { force: true });
  const first = runTypo();
  expect([runTypo(), runTypo()]).toEqual([first, first]);
});

test('a read that is logged has a code cache of its own', () => {
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  const show = (more: Record<string, string>): void =>
    void execFileSync(process.execPath, [join(copy, 'cleo.js'), 'show', 'T1'], { cwd: folder, env: { ...env, ...more } });
  for (const name of ['show.bin', 'show+grade.bin']) rmSync(join(caches, name), { force: true });
  show({ CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: 'bench' });
  show({});
  expect(Object.keys(readPositions(join(caches, 'show+grade.bin')))).toContain('parts/dispatch-log.js');
  expect(Object.keys(readPositions(join(caches, 'show.bin')))).toEqual(['core.js', 'parts/tasks-operations-show.js']);
});

test('parts do not contain copies of the packages that many of them use', () => {
  const sizes = readdirSync(join(dist, 'parts')).map((name) => statSync(join(dist, 'parts', name)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(9_300_000);
  expect(readdirSync(join(dist, 'parts')).filter((name) => /^packages-(yaml|jsonc-parser)\.js$/.test(name))).toHaveLength(2);
});

test('an empty project folder stays small', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cleo(folder, ['init']);
  // A table with a text as its key takes two pages, one with a serial number or without rowid takes one, and so does every index.
  const sizes = readdirSync(join(folder, '.cleo')).map((name) => statSync(join(folder, '.cleo', name)).size);
  expect(sizes.reduce((sum, size) => sum + size) / 1024).toBeLessThan(640);
});

/** Reads where the code of each file is in a cache. */
function readPositions(cache: string): Record<string, [from: number, to: number]> {
  const [head = ''] = readFileSync(cache, 'latin1').split('\n', 1);
  return JSON.parse(head).positions;
}

/** Copies the build, so that other tests are not affected. */
function copyDist(folder: string): { copy: string; caches: string } {
  const copy = join(folder, 'copy', 'dist');
  // Other tests run commands at the same time, which write caches to a temporary name and rename them.
  cpSync(dist, copy, { recursive: true, filter: (path) => !/\.bin\.\d+$/.test(path) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'copy', 'node_modules'));
  const caches = join(copy, 'cache', readdirSync(join(copy, 'cache'))[0]!);
  // Command lines that begin with a flag leave this cache; it is used if another is missing.
  rmSync(join(caches, '-.bin'), { force: true });
  return { copy, caches };
}

test('a command that loads every operation creates a complete cache once; a server stores only what a start needs', () => {
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  const places = (name: string): string[] => Object.keys(readPositions(join(caches, name)));
  rmSync(join(caches, 'help.bin'), { force: true });
  cleo(folder, ['help', '--tier', '2'], join(copy, 'cleo.js'));
  expect(places('help.bin').length).toBeGreaterThan(60);
  const { mtimeMs } = statSync(join(caches, 'help.bin'));
  cleo(folder, ['help', '--tier', '2'], join(copy, 'cleo.js'));
  expect(statSync(join(caches, 'help.bin')).mtimeMs).toBe(mtimeMs);
  const ask = (id: number, method: string, params: object): string => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const input = [
    ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    ask(2, 'tools/call', { name: 'cleo_query', arguments: { domain: 'admin', operation: 'help', params: { tier: 2 } } }),
  ].join('');
  const { mtimeMs: servers } = statSync(join(caches, 'mcp.bin'));
  execFileSync(process.execPath, [join(copy, 'cleo.js'), 'mcp'], { cwd: folder, env, input });
  expect(statSync(join(caches, 'mcp.bin')).mtimeMs).toBe(servers);
});

test('a damaged code cache is ignored and created again', () => {
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  const cache = join(caches, 'show.bin');
  const size = statSync(cache).size;
  for (const damage of [
    () => truncateSync(cache, 0),
    () => truncateSync(cache, 5000),
    () => truncateSync(cache, size - 1),
    () => truncateSync(cache, size / 2),
    () => writeFileSync(cache, Buffer.alloc(size)),
    () => writeFileSync(cache, Buffer.alloc(size, 'x\n')),
    () => rmSync(cache),
  ]) {
    damage();
    expect(JSON.parse(cleo(folder, ['show', 'T1'], join(copy, 'cleo.js')))).toMatchObject({ task: { id: 'T001' } });
    expect(statSync(cache).size).toBeGreaterThan(50_000);
  }
});

test('a flipped bit anywhere in the code cache is noticed, and the code is compiled again', () => {
  const folder = createProject();
  const { copy, caches } = copyDist(folder);
  const cache = join(caches, 'show.bin');
  const intact = readFileSync(cache);
  const head = intact.indexOf(10);
  const runs = process.env.CLEO_FAULTS === 'full' ? 1500 : 60;
  // A third of the flips is in the positions at the beginning of the file.
  const offsets = Array.from({ length: runs }, (_, i) => Math.floor(((i % 3 === 0 ? head : intact.length) * i) / runs));
  for (const [i, offset] of offsets.entries()) {
    const damaged = Buffer.from(intact);
    damaged[offset]! ^= 1 << (i % 8);
    writeFileSync(cache, damaged);
    const what = `bit ${i % 8} of byte ${offset}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, 'cleo.js'), 'show', 'T1'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect([what, status, stderr]).toEqual([what, 0, '']);
    expect(JSON.parse(stdout), what).toMatchObject({ task: { id: 'T001' } });
    // The next start has a valid cache again.
    const repaired = readFileSync(cache);
    const half = repaired.length / 2;
    expect([what, repaired.equals(damaged), repaired.subarray(0, half).equals(repaired.subarray(half))]).toEqual([what, false, true]);
  }
});

// Only Linux shows what a process waits for. Elsewhere the benchmark preloads a script.
const isLinux = process.platform === 'linux';

test('the memory of a process is measured while it waits to print', async () => {
  if (!isLinux) return;
  const script = 'const bytes = Buffer.alloc(64 << 20, 1); require("node:fs").writeSync(1, "x".repeat(100_000) + bytes.length)';
  const memory = await measureBlocked({ argv: ['-e', script], cwd: root });
  expect(memory).toEqual({ peak: expect.any(Number), own: expect.any(Number) });
  const { peak, own } = memory as ProcessMemory;
  expect(own).toBeGreaterThan(64);
  expect(own).toBeLessThan(96);
  expect(peak).toBeGreaterThan(own);
});

test.each([
  ['fails', 'process.exit(3)', 'exit 3'],
  ['prints nothing', '0', undefined],
])('a process that %s has no figure of memory', async (_, script, figure) => {
  if (isLinux) expect(await measureBlocked({ argv: ['-e', script], cwd: root })).toBe(figure);
});
