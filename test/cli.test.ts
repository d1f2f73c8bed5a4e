import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openApp } from './app.ts';
import { cleoPath, cleoRunner, runCleo } from './built-cli.ts';

const many = Array.from(
  { length: 300 },
  (_, i) => `T${String(i + 1).padStart(3, '0')} labels label-${i},and-another-one: Task ${i} ${'x'.repeat(150)}`,
);

/** Creates a project and returns the built command for it. */
async function project(tasks: string[] = ['T001 epic: Build it', 'T002 in T001: Write the parser', 'T003 in T001 depends T002: Test it']) {
  const { root, env, store } = await openApp({ tasks });
  const cleo = (argv: string[], more: Record<string, string> = {}) => runCleo(argv, { cwd: root, env: { ...env, ...more } });
  const shell = (script: string, more: Record<string, string> = {}) =>
    spawnSync('bash', ['-c', script], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: root, cleo: cleoPath, node: cleoRunner, ...env, ...more },
    });
  return { root, env, store, cleo, shell };
}

test('prints one line of JSON by default and readable text with --human', async () => {
  const { cleo } = await project();
  expect((await cleo(['show', 'T2'])).out).toMatch(/^\{"_meta":.*\}\n$/);
  expect(await cleo(['show', 'T2', '--human'], { NO_COLOR: '1' })).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^○ T002 {2}Write the parser\n/),
  });
  expect((await cleo(['--json', 'show', 'T2', '--human'])).out).toMatch(/^\{/);
});

test('imports a file that is read in parts', async () => {
  const { cleo, root } = await project([]);
  const line = (i: number): string =>
    JSON.stringify({ id: `bd-${i}`, title: `Issue ${i}`, status: 'open', description: 'é€ '.repeat(5000) });
  writeFileSync(join(root, 'issues.jsonl'), Array.from({ length: 250 }, (_, i) => line(i)).join('\n'));
  const { out } = await cleo(['import', 'issues.jsonl', '--from', 'beads', '--limit', '1']);
  expect(JSON.parse(out)).toMatchObject({ success: true, imported: 250 });
});

test('uses colour without a terminal only if it is forced', async () => {
  const { cleo } = await project();
  expect((await cleo(['tree', '--human'], { FORCE_COLOR: '1' })).out).toContain('\u001b[');
  expect((await cleo(['tree', '--human'])).out).not.toContain('\u001b');
  expect((await cleo(['tree', '--human'], { NO_COLOR: '1' })).out).not.toContain('\u001b');
  expect((await cleo(['tree', '--human'], { TERM: 'dumb' })).out).not.toContain('\u001b');
  expect((await cleo(['help'])).out).not.toContain('\u001b');
  // A hook puts this into a prompt.
  expect((await cleo(['briefing', '--human'])).out).toMatch(/^# Where we are\n/);
});

test('an error for people goes to standard error, for programs to standard output', async () => {
  const { cleo } = await project();
  expect(await cleo(['show', 'T9', '--human'], { NO_COLOR: '1' })).toEqual({
    exitCode: 4,
    out: '',
    err: expect.stringMatching(/^E_NOT_FOUND \(exit 4\)\n/),
  });
  expect(await cleo(['show', 'T9'])).toMatchObject({ exitCode: 4, err: '', out: expect.stringMatching(/^\{.*"fix":"cleo /) });
});

test('--quiet prints only ids, one per line', async () => {
  const { cleo } = await project();
  expect((await cleo(['list', '--quiet'])).out).toBe('T001\nT002\nT003\n');
  expect((await cleo(['add', 'One more', '-q'])).out).toBe('T004\n');
  expect((await cleo(['tree', '-q'])).out).toBe('T001\nT002\nT003\nT004\n');
  expect(await cleo(['exists', 'T9', '-q'])).toMatchObject({ exitCode: 100, out: 'false\n' });
  expect(await cleo(['find', 'zzzzzz', '-q'])).toMatchObject({ exitCode: 100, out: '' });
});

test('--fields prints only those fields of each record', async () => {
  const { cleo } = await project();
  expect(JSON.parse((await cleo(['list', '--fields', 'id, title'])).out).tasks).toEqual([
    { id: 'T001', title: 'Build it' },
    { id: 'T002', title: 'Write the parser' },
    { id: 'T003', title: 'Test it' },
  ]);
  const odd = JSON.parse((await cleo(['show', 'T1', '--fields=id,titel'])).out);
  expect(odd).toMatchObject({ task: { id: 'T001' }, _meta: { warnings: ['no record has a field "titel"'] } });
  expect((await cleo(['list', '--fields', 'id,status', '--human'], { NO_COLOR: '1' })).out).toMatch(/^ID {4}STATUS\nT001 {2}○ pending\n/);
});

test.each([[['--help']], [['-h']], [['help']]])('cleo %j prints help, also outside a project', async (argv) => {
  const { out, exitCode } = await runCleo(argv, { cwd: tmpdir() });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^cleo: .*\n\nUsage: cleo <command>/);
  expect(out).toMatch(/^ {2}add +Create a task$/m);
});

test.each([
  [['add', '--help'], /^Create a task\ntasks\.add · mutate · tier 0\n\nUsage: cleo add <title> \[options\]\n/],
  [['help', 'add'], /^Create a task\ntasks\.add/],
  [['help', 'focus', 'set'], /^.*\ntasks\.start/],
  [['criteria'], /^tasks\n {2}criteria check /],
  [['help', 'exit-codes'], /^Exit codes\n {4}0 {2}SUCCESS/],
  [['help', '--tier', '2'], /^ {2}history /m],
])('cleo %j', async (argv, text) => {
  expect(await runCleo(argv, { cwd: tmpdir() })).toMatchObject({ exitCode: 0, err: '', out: expect.stringMatching(text) });
});

test('help fits a terminal of 80 columns', async () => {
  for (const argv of [['help', '--tier', '2'], ['help', 'exit-codes'], ['help']])
    for (const line of (await runCleo(argv, { cwd: tmpdir() })).out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('help --json prints an envelope', async () => {
  expect(JSON.parse((await runCleo(['help', 'add', '--json'], { cwd: tmpdir() })).out)).toMatchObject({
    help: { operation: 'tasks.add' },
  });
  expect(JSON.parse((await runCleo(['add', '--help', '--json'], { cwd: tmpdir() })).out)).toMatchObject({
    help: { operation: 'tasks.add' },
  });
});

test('exits cleanly if the reader closes the pipe early', async () => {
  const { shell } = await project(many);
  const { stdout, stderr } = shell('"$node" "$cleo" list --limit 300 | head -c 1; echo "$PIPESTATUS"');
  expect(stderr).toBe('');
  expect(stdout).toBe('{0\n');
});

test('waits for a full pipe and writes every byte', async () => {
  const { root, env } = await project(many);
  const fifo = join(root, 'pipe');
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  const child = spawn(cleoRunner, [cleoPath, 'list', '--limit', '300'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', writer, 'inherit'],
  });
  closeSync(writer);
  const ended = new Promise((done) => child.on('exit', done));
  await sleep(500);
  expect(child.exitCode).toBe(null);
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(100_000);
  for (let read = -1; read !== 0; ) {
    try {
      read = readSync(reader, chunk);
      chunks.push(Buffer.from(chunk.subarray(0, read)));
    } catch {
      await sleep(5);
    }
  }
  closeSync(reader);
  expect(await ended).toBe(0);
  expect(JSON.parse(Buffer.concat(chunks).toString()).tasks).toHaveLength(300);
});

test.each([
  [['add', '-'], '', 0],
  [['add', '- item'], '', 0],
  [['add', 'constructor'], '', 0],
  [['add', '--', '--json'], '', 0],
  [['add-batch', '--file', '-'], '[{"title":"A"}]', 0],
  [['add-batch', '--file', '-'], '{"tasks":[{"title":"A"}]}', 0],
  [['add-batch', '--file', '-'], '[{"title":"A"}', 2],
  [['add-batch', '--file', '-'], '', 2],
  [['add-batch', '--file', 'missing.json'], '', 3],
  [['add-batch', '--file', '.'], '', 3],
  [['add-batch', '--file'], '', 2],
])('cleo %j with input %j exits with %i', async (argv, stdin, exitCode) => {
  const { root, env } = await project();
  const { out, err, ...ran } = await runCleo(argv, { cwd: root, env, stdin });
  expect(err).toBe('');
  expect(ran.exitCode).toBe(exitCode);
  expect(JSON.parse(out).success).toBe(exitCode === 0);
});

test('rejects input that is not UTF-8', async () => {
  const { shell } = await project();
  const { stdout, status } = shell(`printf '[{"title":"\\xff"}]' | "$node" "$cleo" add-batch --file -`);
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'E_INVALID_INPUT', message: 'standard input is not UTF-8 text' } });
});

test('logs a write whose parameters do not parse', async () => {
  const { store, cleo } = await project();
  await cleo(['add', 'too', 'many']);
  await cleo(['show', 'too', 'many']);
  const entries = await store.read((reads) => reads.audit.list({}, { limit: 5, offset: 0 }));
  expect(entries).toMatchObject([{ operation: 'add', gateway: 'cli', success: false, exitCode: 2, errorCode: 'E_INVALID_INPUT' }]);
});

test('quickstart runs the main workflow, shows real output and leaves no files', async () => {
  const { root } = await project();
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('cleo-demo-'));
  const { out, err, exitCode } = await runCleo(['quickstart'], { cwd: root });
  expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
  expect(out).toContain('$ cleo init\n');
  expect(out).toMatch(/\$ cleo complete\n✓ T002 {2}Write down the grammar\n/);
  // The session id is passed from the start to the grade.
  const [, id] = /\$ cleo session start .*\n◐ (session-\d+-[0-9a-f]+) {2}Recipes\n/.exec(out) ?? [];
  expect(out).toContain(`$ cleo grade ${id} --explain\nC  72 %  ${id}\n`);
  expect(out).toContain('$ cleo complete T003 --agent T003-worker-1\n✓ T003  Implement the parser\n');
  expect(out).toContain('-5  tasks.add without description (taskId: T004)\n');
  expect(out).not.toContain('\u001b');
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('cleo-demo-'))).toEqual(before);
});

test('quickstart in a named folder leaves its files there, and fails in a project', async () => {
  const { root, cleo } = await project();
  expect(await cleo(['quickstart', 'demo'])).toMatchObject({ exitCode: 0, err: '' });
  expect(existsSync(join(root, 'demo', '.cleo', 'cleo.db'))).toBe(true);
  expect((await cleo(['list', '-q'])).out).toBe('T001\nT002\nT003\n');
  expect(await cleo(['quickstart', 'demo'])).toMatchObject({ exitCode: 2, out: expect.stringContaining('is a project already') });
});

/** Runs a command in a pseudo terminal of 80 columns. */
const formatPtyCommand = (command: string) => `stty cols 80 2>/dev/null; script -qec 'stty cols 80; ${command}' /dev/null`;

test('prints coloured text on a terminal', async () => {
  const { shell } = await project();
  const { stdout } = shell(formatPtyCommand('"$node" "$cleo" tree'), { TERM: 'xterm-256color' });
  expect(stdout).toContain('\u001b[36mE-T001\u001b[39m  Build it');
  expect(stdout).toContain('├─ ');
});

test('shows progress of long work on a terminal and clears the line', async () => {
  const { root, env, store } = await project();
  writeFileSync(join(root, 'tasks.json'), '[{"title":"Patience"}]');
  const command = spawn('bash', ['-c', formatPtyCommand('"$node" "$cleo" add-batch --file tasks.json')], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, cleo: cleoPath, node: cleoRunner, TERM: 'xterm', ...env },
  });
  let out = '';
  command.stdout.on('data', (text) => {
    out += text;
  });
  const ended = new Promise((done) => command.on('close', done));
  // Another writer holds the lock for a while.
  await store.write({ at: '2026-01-01T00:00:00.000Z', by: 'other' }, () => sleep(2500));
  await ended;
  expect(out).toMatch(/\rCreate several tasks at once, all or none: 1 s/);
  expect(out.split('\r\u001b[K')[1]).toContain('T004');
});
