import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from './app.ts';
import { cleoPath, cleoRunner, runCleo } from './built-cli.ts';
import { connectClient } from './mcp-client.ts';
import { grantPerson, personToken } from './person-token.ts';
import { createRepository } from './repository.ts';
import { createTempFolder } from './temp-folder.ts';
import { trustProject } from './trust.ts';

interface Checkout {
  root: string;
  env: Record<string, string>;
  run(...words: string[]): Promise<Json>;
  commit(files: Record<string, string>): string;
}

/** Adds the test command to a file of settings. */
function addTestCommand(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const settings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const tools = { test: [process.execPath, '-e', 'process.exit(0)'] };
  writeFileSync(path, JSON.stringify({ ...settings, verification: { tools } }));
}

/** Opens a repository as the agent `ada`. */
async function openCheckout(
  root: string,
  own: Record<string, string>,
  prepare: (env: Record<string, string>) => Promise<void>,
): Promise<Checkout> {
  const base = { HOME: join(root, '..', 'home'), LOGNAME: 'ada', ...own };
  const env = { ...base, CLEO_AGENT_ID: 'ada' };
  const repository = createRepository(root);
  repository.commit({ '.gitignore': '.cleo\n', 'README.md': 'Recipes\n' });
  await prepare(base);
  const run: Checkout['run'] = async (...words) => {
    const { out, err } = await runCleo([...words, '--json'], { cwd: root, env });
    expect(err).toBe('');
    return JSON.parse(out) as Json;
  };
  return { root, env, run, commit: (files) => repository.commit(files) };
}

/** Opens a checkout that has the store itself. */
const openDirect = (): Promise<Checkout> => {
  const root = join(createTempFolder(), 'project');
  mkdirSync(root);
  return openCheckout(root, {}, async (env) => {
    expect((await runCleo(['init'], { cwd: root, env })).exitCode).toBe(0);
    await grantPerson(root, env);
    addTestCommand(join(root, '.cleo', 'config.json'));
    await trustProject(root, env);
  });
};

/** Opens a checkout whose store is behind a server, which is a process in another folder. */
async function openBehindServer(): Promise<Checkout> {
  const folder = createTempFolder();
  const server = join(folder, 'server');
  const root = join(folder, 'client', 'project');
  for (const path of [server, root]) mkdirSync(path, { recursive: true });
  const home = { HOME: join(folder, 'home') };
  expect((await runCleo(['init'], { cwd: server, env: home })).exitCode).toBe(0);
  await grantPerson(server, home);
  const key: string = JSON.parse((await runCleo(['whoami'], { cwd: server, env: home })).out).project.key;
  const url = await startServer(server, home);
  return openCheckout(root, { CLEO_TOKEN: personToken.secret }, async (env) => {
    const { exitCode, out } = await runCleo(['init', '--server', url, '--project', key], { cwd: root, env });
    expect([exitCode, out]).toEqual([0, expect.any(String)]);
    // The policy is that of the server, and programs are those of this machine.
    addTestCommand(join(env.HOME!, '.cleo', 'config.json'));
  });
}

async function startServer(cwd: string, env: Record<string, string>): Promise<string> {
  const child = spawn(cleoRunner, [cleoPath, 'serve', '--port', '0'], { cwd, env: { PATH: process.env.PATH, ...env } });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return JSON.parse(String(line)).listening.url;
}

/** Replaces what differs between two projects. An observer also has the token that observed it. */
function normalize(value: Json, { root }: Checkout): Json {
  const text = JSON.stringify(value, (key, each) =>
    ['token', 'project', 'call', 'uid'].includes(key) ? undefined : /Ms$/.test(key) ? 0 : each,
  );
  return JSON.parse(
    text
      .replaceAll(JSON.stringify(root).slice(1, -1), '<root>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
      .replace(/\bsession-\d{13}-[0-9a-f]{6}\b/g, '<session>')
      .replace(/\b([0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{12})\b/g, '<hash>')
      .replace(/"[\w.-]+\/\d+\/[\w.]+"/g, '"<process>"'),
  );
}

/** An agent's day on the command line. Returns every answer. */
async function runDay({ run, root, commit }: Checkout): Promise<{ answers: Record<string, Json>; session: string }> {
  const answers: Record<string, Json> = {};
  const step = async (name: string, ...words: string[]): Promise<Json> => {
    answers[name] = await run(...words);
    return answers[name];
  };
  await step('add epic', 'add', 'Read recipes', '--type', 'epic', '--description', 'As people write them');
  for (const title of ['Write the parser', 'Test the parser', 'Print recipes'])
    await step(`add ${title}`, 'add', title, '--parent', 'T001', '--description', `${title} for recipes`, '--files', 'parser.ts');
  await step('sessions', 'session', 'list');
  const { session } = await step('start', 'session', 'start', '--scope', 'epic:T001', '--auto-focus', '--grade', '--name', 'Day');
  await step('dash', 'dash');
  await step('show', 'show', 'T002');
  await step('too early', 'verify', 'T002', '--gate', 'implemented', '--evidence', 'commit:HEAD');
  commit({ 'parser.ts': 'export const parse = 1;\n' });
  await step('implemented', 'verify', 'T002', '--gate', 'implemented', '--evidence', 'commit:HEAD; files:parser.ts');
  await step('tested', 'verify', 'T002', '--gate', 'testsPassed', '--evidence', 'tool:test');
  await step('no tool', 'verify', 'T002', '--gate', 'testsPassed', '--evidence', 'tool:lint');
  writeFileSync(join(root, 'parser.ts'), 'changed');
  await step('stale', 'complete', 'T002');
  await step('gates', 'verify', 'T002');
  writeFileSync(join(root, 'parser.ts'), 'export const parse = 1;\n');
  await step('complete', 'complete', 'T002');
  await step('next', 'next', '--claim');
  await step('update', 'update', 'T003', '--notes', 'Half of it');
  writeFileSync(join(root, 'notes.md'), '# Quantities\n\nThey are fractions.\n');
  await step('docs', 'docs', 'add', 'T003', 'notes.md', '--type', 'note');
  await step('memory', 'memory', 'observe', 'Fractions are common', '--task', 'T003');
  await step('context', 'focus');
  await step('validate', 'validate');
  await step('not in the epic', 'start', 'T900');
  await step('briefing', 'briefing');
  await step('end', 'session', 'end', '--note', 'The parser reads recipes');
  return { answers, session: session.id };
}

/** Reads the log without the entries of setting the project up. */
const readLog = async ({ run }: Checkout): Promise<Json[]> =>
  (await run('log', '--limit', '100')).entries
    .filter(({ operation }: Json) => !['admin.init', 'admin.config.set'].includes(operation))
    .map(({ seq, hash, timestamp, durationMs, principal, ...entry }: Json) => entry);

test("an agent's day on the command line is the same through a server: answers, log and grade", async () => {
  const [direct, remote] = [await openDirect(), await openBehindServer()];
  const [expected, found] = [await runDay(direct), await runDay(remote)];
  for (const [name, answer] of Object.entries(expected.answers))
    expect([name, normalize(found.answers[name]!, remote)]).toEqual([name, normalize(answer, direct)]);
  expect(expected.answers).toMatchObject({
    'too early': { error: { code: 'E_GATE_UPDATE_FAILED' } },
    implemented: { verification: { evidence: [{ kind: 'commit' }, { kind: 'files' }] } },
    tested: { verification: { evidence: [{ kind: 'tool', exitCode: 0 }] } },
    stale: { error: { code: 'E_EVIDENCE_STALE' } },
    complete: { success: true },
    next: { task: { id: 'T003' } },
    docs: { doc: { slug: 'notes' } },
    end: { success: true },
  });
  expect(normalize(await readLog(remote), remote)).toEqual(normalize(await readLog(direct), direct));
  const grades = [await direct.run('grade', expected.session), await remote.run('grade', found.session)];
  expect(normalize(grades[1]!, remote)).toEqual(normalize(grades[0]!, direct));
  expect(grades[0]!.grade.totalScore).toBeGreaterThan(0);
});

/** The same through `cleo mcp`. */
async function runMcpDay({ root, env, commit }: Checkout): Promise<Json[]> {
  const { call } = await connectClient({ root, env });
  const answers: Json[] = [];
  const step = async (gateway: 'query' | 'mutate', operation: string, params: Json = {}): Promise<Json> => {
    const { envelope } = await call(gateway, operation, params);
    answers.push(envelope);
    return envelope;
  };
  await step('mutate', 'tasks.add', { title: 'Read recipes', type: 'epic' });
  await step('mutate', 'tasks.add', { title: 'Write the parser', parent: 'T001', files: ['parser.ts'] });
  await step('mutate', 'tasks.add', { title: 'Test the parser', parent: 'T001' });
  await step('mutate', 'session.start', { scope: 'epic:T001' });
  await step('query', 'tasks.current');
  commit({ 'parser.ts': 'export const parse = 2;\n' });
  await step('mutate', 'verify.gate', { gate: 'implemented', evidence: 'commit:HEAD' });
  await step('mutate', 'verify.gate', { gate: 'testsPassed', evidence: 'tool:test' });
  await step('query', 'verify.status');
  await step('mutate', 'tasks.complete');
  await step('mutate', 'tasks.claim-next');
  writeFileSync(join(root, 'notes.md'), '# Quantities\n');
  await step('mutate', 'docs.add', { taskId: 'T003', file: 'notes.md' });
  await step('mutate', 'memory.observe', { content: 'Fractions are common' });
  await step('query', 'session.briefing');
  await step('mutate', 'session.end', { note: 'Done' });
  return answers;
}

test("an agent's day over MCP is the same through a server", async () => {
  const [direct, remote] = [await openDirect(), await openBehindServer()];
  const [expected, found] = [await runMcpDay(direct), await runMcpDay(remote)];
  expect(expected.map(({ success }) => success)).not.toContain(false);
  expect(normalize(found, remote)).toEqual(normalize(expected, direct));
  expect(normalize(await readLog(remote), remote)).toEqual(normalize(await readLog(direct), direct));
});
