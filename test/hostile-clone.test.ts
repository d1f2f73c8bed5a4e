import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleoPath, cleoRunner, runCleo } from './built-cli.ts';
import { listenForConnections, naturalCommands, writeHostileFiles, writeHostileLinks } from './hostile-project.ts';
import { gitIdentity } from './repository.ts';
import { createTempFolder } from './temp-folder.ts';

async function createHostileClone(store: 'server' | 'file') {
  const server = await listenForConnections();
  const home = createTempFolder();
  const root = join(home, 'clone');
  const mark = join(home, 'ran');
  writeHostileFiles(root, mark, store === 'server' ? server.url : undefined);
  const env = { HOME: home, PGPASSWORD: 'secret-of-ada', PGCONNECT_TIMEOUT: '2' };
  const run = (words: string[], stdin = '', more = {}) => runCleo(words, { cwd: root, env: { ...env, ...more }, stdin });
  return { root, home, env, run, connections: server.connections, hasRun: () => existsSync(mark) };
}

test('a clone with a hostile server: the natural commands and the hooks connect to nothing and run nothing', async () => {
  const clone = await createHostileClone('server');
  for (const command of naturalCommands) {
    const { out } = await clone.run([...command.split(' '), '--json']);
    const { error } = JSON.parse(out);
    expect([command, error.details?.cleoCode ?? error.code]).toEqual([command, 'E_PROJECT_UNTRUSTED']);
    expect(error.fix).toContain('cleo trust');
  }
  for (const command of ['version', 'help', 'help add', 'config list', 'doctor', 'trust status', 'nosuch', 'show'])
    await clone.run(command.split(' '));
  // The client reads standard output only.
  const line = 'cleo: this project is not trusted, so its tasks cannot be read; ask a person to run: cleo trust';
  const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: line };
  for (const [client, out] of Object.entries({ claude: line, codex: line, gemini: JSON.stringify({ hookSpecificOutput }) })) {
    const stdin = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 'x', cwd: clone.root });
    const hook = await clone.run(['briefing', '--hook', client, '--budget', '2000'], stdin);
    expect(hook).toMatchObject({ exitCode: 0, out: `${out}\n`, err: expect.stringContaining('is not trusted') });
  }
  expect(clone.connections).toEqual([]);
  expect(clone.hasRun()).toBe(false);
  // The server would have noticed a connection: a trusted address is contacted.
  const { out: digest } = await clone.run(['trust', '--print']);
  await clone.run(['list'], '', { CLEO_TRUST: digest.trim() });
  expect(clone.connections[0]).toBe('connected');
}, 120_000);

test('cleo mcp starts in a hostile clone and answers with the error', async () => {
  const clone = await createHostileClone('server');
  const meta = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '0' } };
  const call = { name: 'cleo_query', arguments: { domain: 'tasks', operation: 'list' } };
  const lines = [
    { id: 1, method: 'initialize', params: meta },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: call },
  ];
  const { out, exitCode } = await clone.run(['mcp'], lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''));
  expect(exitCode).toBe(0);
  expect(out).toContain('"id":1');
  expect(out).toContain('E_PROJECT_UNTRUSTED');
  expect(clone.connections).toEqual([]);
}, 60_000);

test('cleo serve starts in a hostile clone and answers with the error', async () => {
  const clone = await createHostileClone('server');
  const child: ChildProcess = spawn(cleoRunner, [cleoPath, 'serve', '--port', '0', '--json'], {
    cwd: clone.root,
    env: { PATH: process.env.PATH, ...clone.env },
  });
  onTestFinished(() => void child.kill());
  const url = await new Promise<string>((done, failed) => {
    let out = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('\n')) done(JSON.parse(out).listening.url);
    });
    child.on('exit', (code) => failed(new Error(`cleo serve ended with ${code}: ${out}`)));
  });
  const answer = await fetch(`${url}/api/query/tasks/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await answer.text()).toContain('E_PROJECT_UNTRUSTED');
  expect(clone.connections).toEqual([]);
}, 60_000);

test('a clone without a server works at once, and its programs do not run', async () => {
  const clone = await createHostileClone('file');
  expect((await clone.run(['init'])).exitCode).toBe(0);
  expect((await clone.run(['add', 'Write'])).exitCode).toBe(0);
  expect((await clone.run(['show', 'T001'])).exitCode).toBe(0);
  expect((await clone.run(['skill', 'run', 'evil'])).exitCode).toBe(78);
  expect((await clone.run(['construct', 'run'])).exitCode).toBe(78);
  expect(clone.hasRun()).toBe(false);
}, 60_000);

test('a clone with files of clients and links: nothing runs, and no file of the user is written', async () => {
  const clone = await createHostileClone('file');
  const profile = join(clone.home, '.profile');
  writeFileSync(profile, 'mine\n');
  writeHostileLinks(clone.root, join(clone.home, 'ran'), profile);
  execFileSync('git', ['init', '-q'], { cwd: clone.root });
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'x' };
  for (const command of ['init', 'add Write']) await clone.run(command.split(' '), '', env);
  const start = await clone.run(['session', 'start', '--scope', 'global', '--name', 'work', '--auto-focus', '--grade', '--json'], '', env);
  const { id } = JSON.parse(start.out).session;
  const more = [
    'setup --check',
    'setup claude',
    'setup --check all',
    'init --setup all',
    'setup git',
    'doctor --fix',
    'research list',
    'sync',
  ];
  for (const command of [...naturalCommands, ...more, 'session end --note done', 'export --output CHANGELOG.md', 'assess calibrate'])
    await clone.run(command.split(' '), '', env);
  const { out } = await clone.run(['grade', id, '--json'], '', env);
  expect(JSON.parse(out)._meta.warnings).toEqual([expect.stringMatching(/GRADES\.jsonl was not written: .* leads through a link/)]);
  await clone.run(['grade', id, '--sign'], '', env);
  expect(clone.hasRun()).toBe(false);
  expect(readFileSync(profile, 'utf8')).toBe('mine\n');
}, 120_000);

test('a project that is not trusted any more: git hooks stop no commit, and another project does not connect to its server', async () => {
  const server = await listenForConnections();
  const home = createTempFolder();
  const [root, other, bin] = ['clone', 'other', 'bin'].map((name) => join(home, name)) as [string, string, string];
  for (const folder of [root, other, bin]) mkdirSync(folder);
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${cleoRunner}" "${cleoPath}" "$@"\n`, { mode: 0o755 });
  const env = { ...gitIdentity, HOME: home, PATH: `${bin}:${process.env.PATH}`, PGPASSWORD: 'secret-of-ada', PGCONNECT_TIMEOUT: '2' };
  const run = (cwd: string, command: string) => runCleo([...command.split(' '), '--json'], { cwd, env });
  const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q');
  for (const command of ['init', 'add Write', 'sync', 'setup git']) expect((await run(root, command)).exitCode).toBe(0);
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ store: { url: server.url }, project: { key: 'x' } }));
  git('add', '--all');
  const committed = spawnSync('git', ['commit', '-q', '-m', 'Change the store'], { cwd: root, env, encoding: 'utf8' });
  expect(committed).toMatchObject({ status: 0, stderr: expect.stringContaining('E_PROJECT_UNTRUSTED') });
  git('checkout', '-q', '-b', 'topic');
  expect(git('log', '--format=%s')).toBe('Change the store\n');
  for (const command of ['init', 'nexus init', `nexus register ${root} --name clone`]) expect((await run(other, command)).exitCode).toBe(0);
  const { error } = JSON.parse((await run(other, 'nexus query clone:T001')).out);
  expect(error).toMatchObject({
    exitCode: 77,
    message: expect.stringContaining('is not trusted'),
    fix: expect.stringContaining('cleo trust'),
  });
  expect(server.connections).toEqual([]);
}, 120_000);

test('a project that is reached through a link above it needs no trust', async () => {
  const home = createTempFolder();
  mkdirSync(join(home, 'real'));
  symlinkSync(join(home, 'real'), join(home, 'link'));
  const run = (words: string[]) => runCleo(words, { cwd: join(home, 'link'), env: { HOME: home } });
  expect((await run(['init'])).exitCode).toBe(0);
  expect((await run(['add', 'Write'])).exitCode).toBe(0);
});
