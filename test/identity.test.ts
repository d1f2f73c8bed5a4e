import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { cleoPath, cleoRunner } from './built-cli.ts';

/** One call of a client: over its MCP server (`conversation` goes into `_meta`), from its shell tool, or by its hook. */
type Step =
  | { mcp: string; params?: object; meta?: object }
  | { shell: string[]; env?: Record<string, string> }
  | { hook: string[]; input: object; env?: Record<string, string> };

interface Outcome {
  exitCode: number;
  text: string;
}

/** A client that starts a server, shells and hooks as its children, as real clients do, and plays the steps. */
const clientScript = `#!/usr/bin/env node
const { spawn, spawnSync } = require('node:child_process');
const { runner, cleo, steps, serverEnv } = JSON.parse(process.argv[2]);
const env = (more) => ({ PATH: process.env.PATH, HOME: process.env.HOME, LOGNAME: 'sam', ...more });
const waiting = new Map();
let server, buffer = '', nextId = 1;
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const request = (method, params) => new Promise((done) => { waiting.set(nextId, done); send({ id: nextId++, method, params }); });
async function connect() {
  server = spawn(runner, [cleo, 'mcp'], { env: env(serverEnv), stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdout.on('data', (chunk) => {
    buffer += chunk;
    for (let end = buffer.indexOf('\\n'); end >= 0; end = buffer.indexOf('\\n')) {
      const message = JSON.parse(buffer.slice(0, end));
      buffer = buffer.slice(end + 1);
      waiting.get(message.id)?.(message.result);
    }
  });
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'client', version: '1' } });
  send({ method: 'notifications/initialized' });
}
async function play(step) {
  if (step.mcp) {
    if (!server) await connect();
    const [domain, ...rest] = step.mcp.split('.');
    const name = step.params ? 'cleo_mutate' : 'cleo_query';
    const result = await request('tools/call', { name, arguments: { domain, operation: rest.join('.'), params: step.params ?? {} }, ...(step.meta ? { _meta: step.meta } : {}) });
    return { exitCode: result.isError ? 1 : 0, text: result.content[0].text };
  }
  const words = step.shell ?? step.hook;
  const { status, stdout } = spawnSync('sh', ['-c', '"$@"; exit $?', 'sh', runner, cleo, ...words], {
    env: env(step.env), encoding: 'utf8', input: step.input ? JSON.stringify(step.input) : '',
  });
  return { exitCode: status, text: stdout };
}
(async () => {
  const outcomes = [];
  for (const step of steps) outcomes.push(await play(step));
  server?.stdin.end();
  console.log(JSON.stringify(outcomes));
  process.exit(0);
})();
`;

function createProject(): { root: string; play(name: string, serverEnv: Record<string, string>, steps: Step[]): Promise<Outcome[]> } {
  const root = mkdtempSync(join(tmpdir(), 'cleo-identity-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const run = promisify(execFile);
  return {
    root,
    async play(name, serverEnv, steps) {
      const script = join(root, name);
      writeFileSync(script, clientScript);
      const env = { PATH: process.env.PATH, HOME: join(root, 'home'), LOGNAME: 'sam' };
      const { stdout } = await run(process.execPath, [script, JSON.stringify({ runner: cleoRunner, cleo: cleoPath, steps, serverEnv })], {
        cwd: root,
        env,
      });
      return JSON.parse(stdout);
    },
  };
}

const claude = (id: string): Record<string, string> => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id });
const prepare: Step[] = [{ shell: ['init'] }, ...['One', 'Two', 'Three'].map((title) => ({ shell: ['add', title] }))];
const hook = (client: string, id: string, env = {}): Step => ({ hook: ['briefing', '--hook', client], input: { session_id: id }, env });
const isFine = (outcomes: Outcome[]): void => expect(outcomes.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);

test('Claude Code: a claim over MCP is completed in the shell, and the reverse; the hook shows the focus', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  const outcomes = await play('claude', claude('a'), [
    { mcp: 'tasks.start', params: { taskId: 'T001' } },
    hook('claude', 'a', claude('a')),
    { shell: ['complete', 'T001'], env: claude('a') },
    { shell: ['start', 'T002'], env: claude('a') },
    { mcp: 'tasks.complete', params: { taskId: 'T002' } },
  ]);
  isFine(outcomes);
  expect(outcomes[1]?.text).toContain('Focus: T001 One (active)');
});

test('Claude Code after --continue: the server has a provisional id, and the same task continues over MCP and shell', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  isFine(await play('claude', claude('a'), [hook('claude', 'a', claude('a')), { mcp: 'tasks.start', params: { taskId: 'T001' } }]));
  const outcomes = await play('claude', claude('provisional'), [
    hook('claude', 'a', claude('a')),
    { mcp: 'tasks.update', params: { taskId: 'T001', status: 'blocked', blockedBy: 'a question' } },
    { shell: ['start', 'T001'], env: claude('a') },
    { mcp: 'tasks.complete', params: { taskId: 'T001' } },
  ]);
  isFine(outcomes);
  expect(outcomes[0]?.text).toContain('Focus: T001 One (active)');
});

test('Claude Code after /clear: server and shell act as the new conversation', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  const outcomes = await play('claude', claude('a'), [
    hook('claude', 'a', claude('a')),
    { mcp: 'tasks.start', params: { taskId: 'T001' } },
    hook('claude', 'b', claude('b')),
    { mcp: 'tasks.start', params: { taskId: 'T002' } },
    { shell: ['complete', 'T002'], env: claude('b') },
    { mcp: 'tasks.complete', params: { taskId: 'T001' } },
  ]);
  isFine(outcomes.slice(0, 5));
  expect(outcomes[5]).toMatchObject({ exitCode: 1, text: expect.stringContaining('E_TASK_CLAIMED') });
});

test('Gemini CLI: server and shell are the process, and the conversation that the hook names', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  const mark = { GEMINI_CLI: '1' };
  const outcomes = await play('gemini', mark, [
    { mcp: 'tasks.start', params: { taskId: 'T001' } },
    hook('gemini', 'g', { GEMINI_SESSION_ID: 'g' }),
    { shell: ['complete', 'T001'], env: mark },
    { shell: ['start', 'T002'], env: mark },
  ]);
  isFine(outcomes);
  expect(JSON.parse(outcomes[1]!.text).hookSpecificOutput).toMatchObject({
    hookEventName: 'SessionStart',
    additionalContext: expect.stringContaining('Focus: T001 One (active)'),
  });
  // The resumed conversation in a new process keeps its task.
  isFine(
    await play('gemini', mark, [hook('gemini', 'g', { GEMINI_SESSION_ID: 'g' }), { mcp: 'tasks.complete', params: { taskId: 'T002' } }]),
  );
});

test('Codex: each call of the server names its conversation; two conversations are two agents', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  const outcomes = await play('codex', {}, [
    { mcp: 'tasks.start', params: { taskId: 'T001' }, meta: { threadId: 'one' } },
    { shell: ['start', 'T001'], env: { CODEX_THREAD_ID: 'two' } },
    { shell: ['complete', 'T001'], env: { CODEX_THREAD_ID: 'one' } },
  ]);
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 35, 0]);
});

test('OpenCode: server and shell are one process', async () => {
  const { play } = createProject();
  await play('setup', {}, prepare);
  const mark = { OPENCODE: '1' };
  isFine(
    await play('opencode', mark, [
      { mcp: 'tasks.start', params: { taskId: 'T001' } },
      { shell: ['complete', 'T001'], env: mark },
    ]),
  );
});

test('an agent has one session: a second start is 67, and its scope applies to every surface', async () => {
  const { play } = createProject();
  await play('setup', {}, [...prepare, { shell: ['add', 'Parser', '--type', 'epic'] }, { shell: ['add', 'Guide', '--type', 'epic'] }]);
  const outcomes = await play('claude', claude('a'), [
    { mcp: 'session.start', params: { scope: 'epic:T004', autoStart: false } },
    { shell: ['session', 'start', '--scope', 'epic:T005', '--auto-focus'], env: claude('a') },
    { shell: ['add', 'Inside'], env: claude('a') },
    { shell: ['add', 'Outside'] },
  ]);
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 67, 0, 0]);
  expect(outcomes[2]?.text).toContain('"parentId":"T004"');
  expect(outcomes[3]?.text).toContain('written outside any session');
});
