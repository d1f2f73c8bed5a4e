import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { formatCommand } from '../../src/core/command-line.ts';
import type { Operation } from '../../src/core/define.ts';
import type { TokenScope } from '../../src/core/model/token.ts';
import { type App, dispatch, type Reply } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { getPath } from '../../src/surfaces/http/openapi.ts';
import { type Json, openApp, splitShellWords } from '../app.ts';
import { createToolCall, initialize, startRawServer } from '../mcp-client.ts';
import { grantPerson } from '../person-token.ts';
import { createChoices, pickSeed } from '../random.ts';
import { checkReply } from './check-reply.ts';
import { createFuzzCall, describeCall, type FuzzCall, fuzzTasks, loadOperations } from './fuzz-calls.ts';
import { createFuzzRequest } from './fuzz-requests.ts';
import { createFaultFolder, createFaultProject, type FaultProject, isFull, pickSize } from './processes.ts';
import { removeRateLimit, startServer } from './server-process.ts';

const seed = pickSeed(isFull);
const stackTrace = /\n\s+at .+:\d+:\d+/;
const maxCallMs = 2000;
/** Calls by surface: 1,000 in the short form and 20,000 in the full one. */
const counts = {
  dispatch: pickSize(750, 16_500),
  http: pickSize(80, 1100),
  client: pickSize(80, 1200),
  mcp: pickSize(80, 1000),
  cli: pickSize(20, 200),
};

interface AgentApp {
  app: App;
  close(): Promise<void>;
}

/** Returns a function that copies a project and opens it as an agent, without following the fixes of its errors. */
async function prepareProjects(): Promise<() => AgentApp> {
  const template = await openApp({ tasks: fuzzTasks, engine: 'sqlite' });
  const folder = createFaultFolder();
  let count = 0;
  return () => {
    const root = join(folder, String(++count));
    cpSync(join(template.root, '.cleo'), join(root, '.cleo'), { recursive: true });
    const env = { ...template.env, CLEO_ROOT: root, CLEO_HOME: join(root, 'home') };
    const app = createApp(createPlatform(env, root, '0.0.0-test'));
    return {
      app,
      async close() {
        await app.closeStores();
        rmSync(root, { recursive: true, force: true });
      },
    };
  };
}

/** Collects garbage, so that only memory in use is measured. */
function measureHeap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Operations of scope decide or admin are closed to a token of scope mutate, writes to a token of scope query. */
function checkToken({ operation }: FuzzCall, scope: TokenScope | undefined, { exitCode, envelope }: Reply, what: string): void {
  const needsMore = typeof operation.scope === 'string' || operation.usesHost || (scope === 'query' && operation.kind !== 'query');
  if (scope === undefined || !needsMore) return;
  expect([what, envelope.success, exitCode]).toEqual([what, false, 64]);
}

test(`${counts.dispatch} random calls of all operations end with an answer of the catalog`, async () => {
  const operations = await loadOperations();
  const choices = createChoices(seed);
  const slow: string[] = [];
  const openProject = await prepareProjects();
  let current = openProject();
  let slowestMs = 0;
  let heap = 0;
  const modes = { valid: 0, 'nearly valid': 0, hostile: 0, ok: 0 };
  for (let i = 0; i < counts.dispatch; i++) {
    const call = createFuzzCall(choices, operations);
    const scope = choices.chance(0.2) ? choices.pick<TokenScope>(['query', 'mutate']) : undefined;
    const token = scope && { token: { name: 'fuzz', scope } };
    // An operation that changes the project as a whole must not decide what the next ones find.
    const isFresh = call.operation.name.startsWith('admin.') && call.operation.kind !== 'query';
    const own = isFresh ? openProject() : current;
    const what = `seed ${seed}, call ${i}: ${describeCall(call)}`;
    const run = async (): Promise<{ reply: Reply; ms: number }> => {
      const began = performance.now();
      const reply = await dispatch(own.app, { operation: call.operation.name, params: call.params, gateway: 'cleo_mutate', ...token });
      return { reply, ms: performance.now() - began };
    };
    const { reply, ms } = await run();
    checkReply(reply, what);
    checkToken(call, scope, reply, what);
    modes[call.mode]++;
    if (reply.envelope.success) modes.ok++;
    slowestMs = Math.max(slowestMs, ms);
    // A busy machine delays a call once, a slow operation every time.
    if (ms > maxCallMs && (await run()).ms > maxCallMs) slow.push(what);
    if (isFresh) await own.close();
    if (i % 250 === 249) {
      await current.close();
      current = openProject();
    }
    if (i === Math.floor(counts.dispatch / 2)) heap = measureHeap();
  }
  await current.close();
  const grown = measureHeap() - heap;
  console.log(
    `fuzz in process: seed ${seed}, ${counts.dispatch} calls of ${operations.length} operations, ${JSON.stringify(modes)}, slowest ${Math.round(slowestMs)} ms, heap ${grown.toFixed(1)} MB larger`,
  );
  expect(slow).toEqual([]);
  expect(modes.ok).toBeGreaterThan(counts.dispatch / 20);
  expect(grown).toBeLessThan(pickSize(40, 60));
  expect(Object.prototype).not.toHaveProperty('isAdmin');
});

async function openFuzzProject(): Promise<FaultProject> {
  const project = await createFaultProject();
  for (const title of ['One', 'Two', 'Three']) await project.runOk(['add', title]);
  return project;
}

/** Operations that a shared server may be sent: reads, and writes that need no higher scope. */
const isShared = ({ kind, scope, usesHost }: Operation): boolean => kind === 'query' || (typeof scope !== 'string' && !usesHost);

test(`${counts.http} random calls over HTTP are answered, and a local caller cannot administer`, async () => {
  const operations = await loadOperations();
  const choices = createChoices(seed + 1);
  const server = await startServer(await openFuzzProject());
  let slowestMs = 0;
  let memory = 0;
  for (let i = 0; i < counts.http; i++) {
    const call = createFuzzCall(choices, operations);
    const what = `seed ${seed}, call ${i}: ${describeCall(call)}`;
    const began = performance.now();
    const { status, text } = await server.send('POST', getPath(call.operation), JSON.stringify(call.params));
    slowestMs = Math.max(slowestMs, performance.now() - began);
    const body: Json = JSON.parse(text);
    const exitCode: number = body._meta.exitCode ?? 0;
    expect([what, stackTrace.test(text), body.error?.code === 'E_GENERAL_ERROR']).toEqual([what, false, false]);
    if (typeof call.operation.scope === 'string' || call.operation.usesHost) expect([what, status, exitCode]).toEqual([what, 403, 64]);
    if (i === Math.floor(counts.http / 2)) memory = await server.memory();
  }
  const grown = (await server.memory()) - memory;
  console.log(
    `fuzz over HTTP: seed ${seed}, ${counts.http} calls, slowest ${Math.round(slowestMs)} ms, memory ${grown.toFixed(1)} MB larger`,
  );
  expect(server.getErrors()).toBe('');
  expect(slowestMs).toBeLessThan(2.5 * maxCallMs);
  expect(grown).toBeLessThan(pickSize(60, 80));
});

test(`${counts.client} random requests of clients are answered, and a token stays below its scope`, async () => {
  const operations = await loadOperations();
  const choices = createChoices(seed + 4);
  const project = await openFuzzProject();
  await removeRateLimit(project);
  const server = await startServer(project);
  const secret = await storeToken(project, 'mutate');
  let slowestMs = 0;
  let memory = 0;
  const statuses: Record<string, number> = {};
  for (let i = 0; i < counts.client; i++) {
    const { path, body } = createFuzzRequest(choices, operations);
    const what = `seed ${seed}, request ${i}: ${path} ${(JSON.stringify(body) ?? '').slice(0, 400)}`;
    const began = performance.now();
    const { status, text } = await server.send('POST', path, JSON.stringify(body) ?? '', { authorization: `Bearer ${secret}` });
    slowestMs = Math.max(slowestMs, performance.now() - began);
    statuses[status] = (statuses[status] ?? 0) + 1;
    const answer: Json = JSON.parse(text);
    const envelope: Json = answer.envelope ?? answer;
    const isUnexpected = envelope.error?.code === 'E_GENERAL_ERROR' || stackTrace.test(text);
    expect([what, isUnexpected ? text.slice(0, 500) : 'answered']).toEqual([what, 'answered']);
    const operation = operations.find(({ name }) => path === `/api/call/${name}`);
    if (operation && typeof operation.scope === 'string') expect([what, envelope.success]).not.toEqual([what, true]);
    // Without a token nobody is believed.
    if (i % 10 === 0) expect([what, (await server.send('POST', path, JSON.stringify(body) ?? '')).status]).toEqual([what, 401]);
    if (i === Math.floor(counts.client / 2)) memory = await server.memory();
  }
  const grown = (await server.memory()) - memory;
  console.log(
    `fuzz of clients: seed ${seed}, ${counts.client} requests, ${JSON.stringify(statuses)}, slowest ${Math.round(slowestMs)} ms, memory ${grown.toFixed(1)} MB larger`,
  );
  expect(statuses[200]).toBeGreaterThan(counts.client / 10);
  expect(statuses[429]).toBeUndefined();
  expect(server.getErrors()).toBe('');
  expect(slowestMs).toBeLessThan(2.5 * maxCallMs);
  expect(grown).toBeLessThan(pickSize(60, 80));
});

/** Stores a token as a person would create it, and returns its secret. */
async function storeToken(project: FaultProject, scope: TokenScope): Promise<string> {
  const env = await grantPerson(project.root, { CLEO_HOME: join(project.root, '.home') });
  return (await project.runOk(['token', 'create', '--name', 'fuzz', '--scope', scope], { env })).secret;
}

test(`${counts.mcp} random calls over stdio are answered`, async () => {
  const operations = (await loadOperations()).filter(isShared);
  const choices = createChoices(seed + 2);
  const raw = startRawServer(await openFuzzProject());
  let errors = '';
  raw.child.stderr.on('data', (text) => {
    errors += text;
  });
  await initialize(raw);
  let slowestMs = 0;
  for (let i = 1; i <= counts.mcp; i++) {
    const call = createFuzzCall(choices, operations);
    const what = `seed ${seed}, call ${i}: ${describeCall(call)}`;
    const began = performance.now();
    raw.send(createToolCall(i, call.operation.kind === 'query' ? 'query' : 'mutate', call.operation.name, call.params));
    const answer = await raw.waitForAnswer(i);
    slowestMs = Math.max(slowestMs, performance.now() - began);
    const text = JSON.stringify(answer);
    expect([what, stackTrace.test(text), answer.result?.structuredContent?.error?.code === 'E_GENERAL_ERROR']).toEqual([
      what,
      false,
      false,
    ]);
    expect(answer.result?.structuredContent, what).toBeDefined();
  }
  raw.child.stdin.end();
  expect([await raw.ended, errors]).toEqual([0, '']);
  console.log(`fuzz over stdio: seed ${seed}, ${counts.mcp} calls, slowest ${Math.round(slowestMs)} ms`);
  expect(slowestMs).toBeLessThan(2.5 * maxCallMs);
});

test(`${counts.cli} random command lines end with an answer`, async () => {
  // A demo runs a whole project in the folder that the call names.
  const operations = (await loadOperations()).filter((operation) => operation.cli.command && !operation.cli.demo && isShared(operation));
  const choices = createChoices(seed + 3);
  const project = await openFuzzProject();
  let slowestMs = 0;
  for (let i = 0; i < counts.cli; ) {
    const call = createFuzzCall(choices, operations);
    const line = formatLine(call);
    // A command line cannot contain NUL, half a surrogate pair, or words over 128 KB.
    if (line === undefined || line.includes('\0') || !line.isWellFormed() || line.length > 50_000) continue;
    i++;
    const what = `seed ${seed}, line ${i}: ${line.slice(0, 400)}`;
    const began = performance.now();
    const { exitCode, stdout, stderr, answer } = await project.run(splitShellWords(line).slice(1));
    slowestMs = Math.max(slowestMs, performance.now() - began);
    // A hook reports its errors next to the answer, and its client is not stopped by them.
    const errors = call.params.hook === undefined ? stderr : stderr.replace(/^cleo: .*\n/, '');
    expect([what, exitCode, errors, stackTrace.test(stdout)]).toEqual([what, expect.any(Number), '', false]);
    // An exit code of 1 belongs to a declared error, such as a grade below `min`.
    if (exitCode === 1) expect([what, answer.error?.code]).toEqual([what, expect.not.stringMatching('E_GENERAL_ERROR')]);
  }
  console.log(`fuzz of command lines: seed ${seed}, ${counts.cli} lines, slowest ${Math.round(slowestMs)} ms`);
  expect(slowestMs).toBeLessThan(4 * maxCallMs);
});

/** Formats a call as a command line; undefined if a value has no form there. */
function formatLine({ operation, params }: FuzzCall): string | undefined {
  try {
    return formatCommand(operation, params, []);
  } catch {
    return undefined;
  }
}
