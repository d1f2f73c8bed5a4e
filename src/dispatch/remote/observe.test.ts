import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type AppOptions, type Json, openApp, type TestApp } from '../../../test/app.ts';
import { startServer } from '../../../test/http-server.ts';
import { grantToken, openRemoteCheckout, type RemoteCheckout } from '../../../test/remote-client.ts';
import { createRepository } from '../../../test/repository.ts';
import { trustProject } from '../../../test/trust.ts';
import { FactsMissing } from '../call-context.ts';

/** Opens a project behind a server, and a client with a folder of its own. */
async function openRemote(options: AppOptions = {}): Promise<RemoteCheckout & { app: TestApp }> {
  const app = await openApp(options);
  return { app, ...(await openRemoteCheckout(app, await startServer(app))) };
}

const readBaseline = ({ store }: TestApp, id: string) => store.read(({ gates }) => gates.getBaseline(id));

test('a claim stores the commit of the client, with one request', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001', 'T002', 'T003'] });
  createRepository(app.root).commit({ 'a.txt': 'of the server' });
  const head = createRepository(root).commit({ 'a.txt': 'of the client' });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true });
  expect(await call('tasks.claim-next')).toMatchObject({ task: { id: 'T002' }, released: 'T001' });
  expect(await call('tasks.update', { taskId: 'T003', status: 'active' })).toMatchObject({ success: true });
  expect(requests).toEqual(['/api/call/tasks.start', '/api/call/tasks.claim-next', '/api/call/tasks.update']);
  for (const id of ['T001', 'T002', 'T003']) expect(await readBaseline(app, id)).toMatchObject({ head });
});

test('a claim outside a repository asks for the declared files of the task, with a second request', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001'] });
  await app.call('tasks.update', { taskId: 'T001', files: ['a.txt', 'gone.txt'] });
  writeFileSync(join(app.root, 'a.txt'), 'of the server, longer');
  writeFileSync(join(root, 'a.txt'), 'client');
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true });
  expect(requests).toHaveLength(2);
  const baseline = await readBaseline(app, 'T001');
  expect(baseline?.files).toMatchObject([{ path: 'a.txt', size: 6, sha256: expect.any(String) }, { path: 'gone.txt' }]);
  // The first request changed nothing and is not in the log.
  expect((await app.call('admin.log', { operation: 'tasks.start' })).entries).toHaveLength(1);
});

test('a client cannot send facts of another form', async () => {
  const { app, client, call } = await openRemote({ tasks: ['T001'] });
  const { connectServer } = client.platform;
  client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      post: (path, request) => connection.post(path, { ...request, body: request.body.replace('"facts":{}', '"facts":{"head":5}') }),
    };
  };
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_VALIDATION_FACTS', message: expect.stringContaining('checkout.head') },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.status).toBe('pending');
});

/** What a program sends that has read the protocol of clients. */
const createMessage = (params: object, facts: object[] = [], process = 'other/1') => ({
  params,
  gateway: 'cleo_mutate',
  attempt: 1,
  facts,
  caller: {
    identity: { kind: 'named', agent: 'ada/judge' },
    grade: { isEnabled: false },
    host: 'elsewhere',
    process: { client: 'claude', pid: 1, startTime: '1', key: process },
  },
});

test.each([
  ['a verdict', 'qaPassed', 'run:run-1', { kind: 'verdict', verdict: 'attested', independence: 'spawn' }],
  ['a run that is not in the log', 'testsPassed', 'run:run-1', { kind: 'run', run: 'run-1', files: [] }],
  ['a tool for a note', 'testsPassed', 'it works', { kind: 'tool', name: 'test', exitCode: 0, sha256: '0'.repeat(64) }],
])('a client cannot invent %s', async (_, gate, evidence, invented) => {
  const before = gate === 'qaPassed' ? ['gate T001 testsPassed by bob'] : [];
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by bob', ...before] });
  const server = await startServer(app);
  const headers = { authorization: `Bearer ${await grantToken(app, 'mutate', 'ada')}` };
  const params = { taskId: 'T001', gate, evidence };
  const { body } = await server.post('call/verify.gate', createMessage(params), headers);
  const facts = body.needs.map(({ name, request }: Json) => ({ name, request, facts: { evidence: [invented], tools: ['test'] } }));
  const { body: answer } = await server.post('call/verify.gate', createMessage(params, facts), headers);
  expect(answer.envelope.error).toMatchObject({ code: 'E_VALIDATION_FACTS', message: expect.stringContaining('is not evidence of it') });
  const { gates } = (await app.call('verify.status', { taskId: 'T001' })).verification;
  expect(gates.find((each: Json) => each.gate === gate)).not.toHaveProperty('isHeld');
});

test('a client without a token is rejected, also on this machine: it could say anything about its checkout and its process', async () => {
  const app = await openApp({ tasks: ['T001', 'gate T001 implemented by bob', 'gate T001 testsPassed by bob'] });
  const server = await startServer(app);
  const paths = ['call/validator.attest', 'call/tasks.start', 'part/construct.run', 'lease', 'records'];
  for (const path of paths) {
    const { status, body } = await server.post(path, createMessage({ taskId: 'T001' }));
    expect([path, status, body.error.code]).toEqual([path, 401, 'E_UNAUTHORIZED']);
  }
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.status).toBe('pending');
});

test('evidence is examined in the checkout of the client and recorded as observed by its token and host', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001 evidence implemented'] });
  await call('tasks.start', { taskId: 'T001' });
  writeFileSync(join(root, 'parser.ts'), 'export {};');
  requests.splice(0);
  const passed = await call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence: 'files:parser.ts' });
  expect(passed.verification).toMatchObject({ gate: 'implemented', evidence: [{ kind: 'files', files: [{ path: 'parser.ts' }] }] });
  expect(requests).toHaveLength(2);
  const [attempt] = await app.store.read(({ gates }) => gates.listAttempts('T001'));
  expect(attempt).toMatchObject({ passed: true, observer: { host: expect.any(String), token: 'tester' } });
  // The server has no such file, and no tool of its own counts.
  expect(await call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' })).toMatchObject({
    error: { code: 'E_GATE_UPDATE_FAILED', message: expect.stringContaining('there is no tool "test"') },
  });
  writeFileSync(join(root, 'parser.ts'), 'changed');
  expect((await call('verify.status', { taskId: 'T001' })).verification.gates[0]).toMatchObject({ stale: ['parser.ts'] });
  expect(await call('tasks.complete', { taskId: 'T001' })).toMatchObject({ _meta: { exitCode: 45 }, error: { code: 'E_EVIDENCE_STALE' } });
});

test('a tool runs on the client without the token and fails the round, which is logged once', async () => {
  const { app, call, root } = await openRemote({ tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada'] });
  await call('tasks.start', { taskId: 'T001' });
  const run = 'process.exit(process.env.CLEO_TOKEN || process.env.CLEO_SERVER ? 9 : 7)';
  const config = join(root, '.cleo', 'config.json');
  writeFileSync(config, JSON.stringify({ store: { engine: 'server' }, verification: { tools: { test: [process.execPath, '-e', run] } } }));
  const submit = () => call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:test' });
  expect(await submit()).toMatchObject({ error: { code: 'E_PROJECT_UNTRUSTED' } });
  await trustProject(root, { CLEO_HOME: join(root, 'home') });
  expect(await submit()).toMatchObject({ error: { code: 'E_GATE_UPDATE_FAILED', details: { exitCode: 7 } } });
  const entries = (await app.call('admin.log', { limit: 10 })).entries.filter(({ operation }: Json) => operation === 'verify.gate');
  expect(entries).toMatchObject([{ success: false, errorCode: 'E_GATE_UPDATE_FAILED', gateway: 'cli' }]);
  expect((await call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ failedRounds: 1 });
});

test('documents are read and written in the folder of the client', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001'] });
  writeFileSync(join(root, 'notes.md'), '# Notes\n');
  expect(await call('docs.add', { taskId: 'T001', file: 'notes.md', type: 'note' })).toMatchObject({ doc: { slug: 'notes', version: 1 } });
  expect(requests).toHaveLength(1);
  expect((await app.call('docs.fetch', { slug: 'notes' })).content).toBe('# Notes\n');
  writeFileSync(join(app.root, 'copy.md'), 'of the server');
  expect(await call('docs.publish', { slug: 'notes', to: 'copy.md' })).toMatchObject({ success: true, file: 'copy.md' });
  expect(readFileSync(join(root, 'copy.md'), 'utf8')).toBe('# Notes\n');
  expect(readFileSync(join(app.root, 'copy.md'), 'utf8')).toBe('of the server');
  expect(await call('docs.publish', { slug: 'notes', to: 'copy.md' })).toMatchObject({ _meta: { exitCode: 102 } });
  expect(requests).toHaveLength(3);
  expect(await call('docs.add', { taskId: 'T001', file: 'gone.md' })).toMatchObject({ error: { code: 'E_FILE_ERROR' } });
});

test('a file that cannot be written fails the call', async () => {
  const { call, root } = await openRemote({ tasks: ['T001', 'doc notes T001: Notes'] });
  writeFileSync(join(root, 'folder'), 'a file');
  const failed = await call('docs.publish', { slug: 'notes', to: 'folder/copy.md' });
  expect(failed).toMatchObject({ success: false, error: { code: 'E_FILE_ERROR' } });
});

test('a server does not receive a file that the call did not name', async () => {
  const { call, root, client } = await openRemote({ tasks: ['T001'] });
  writeFileSync(join(root, '.env'), 'SECRET=1');
  const { connectServer } = client.platform;
  const sent: string[] = [];
  client.platform.connectServer = async (address) => ({
    ...(await connectServer(address)),
    async post(_, { body }) {
      sent.push(body);
      return { status: 200, text: JSON.stringify({ needs: [{ name: 'checkout.document', request: { file: '.env', help: 'cleo' } }] }) };
    },
  });
  expect(await call('docs.add', { taskId: 'T001', content: 'x', slug: 'x' })).toMatchObject({ error: { code: 'E_SERVER_VERSION' } });
  expect(sent).toHaveLength(1);
});

test('a server that asks for the same fact again is not answered for ever', async () => {
  const { call, client } = await openRemote({ tasks: ['T001'] });
  const { connectServer } = client.platform;
  const needs = JSON.stringify({ needs: [{ name: 'checkout.files', request: { paths: ['a.txt'] } }] });
  let count = 0;
  client.platform.connectServer = async (address) => ({
    ...(await connectServer(address)),
    async post() {
      count += 1;
      return { status: 200, text: needs };
    },
  });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ error: { code: 'E_SERVER_VERSION' } });
  expect(count).toBe(2);
});

test('a client that waited observes again', async () => {
  const { app, call, client, requests } = await openRemote();
  const { connectServer, monotonicMs } = client.platform;
  let passedMs = 0;
  client.platform.monotonicMs = () => monotonicMs() + passedMs;
  client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      async post(path, request) {
        // The answer of a server after a long wait.
        if (requests.length > 0) return connection.post(path, request);
        requests.push(path);
        passedMs += 60_000;
        await app.call('tasks.add', { title: 'Write the parser' });
        return { status: 200, text: JSON.stringify({ needs: [{ name: 'checkout.head', request: {} }] }) };
      },
    };
  };
  expect(await call('tasks.claim-next', { timeout: 1 })).toMatchObject({ task: { id: 'T001' } });
  expect(requests).toHaveLength(2);
});

test('a spawn uses the skills of the client and writes the prompt there', async () => {
  const { app, call, root } = await openRemote({ tasks: ['T001 epic', 'T002 in T001: Investigate slow starts'] });
  mkdirSync(join(root, '.cleo', 'skills', 'own'), { recursive: true });
  writeFileSync(join(root, '.cleo', 'skills', 'own', 'SKILL.md'), '---\nname: own\ndescription: Ours\n---\nDo it our way.\n');
  const answer = await call('orchestrate.spawn', { taskId: 'T002', skill: 'own', promptFile: true });
  expect(answer.error).toBeUndefined();
  const { spawn } = answer;
  expect(spawn).toMatchObject({ skill: 'own', agentId: 'tester/T002-worker-1', promptFile: '.cleo/research/prompts/T002-worker-1.md' });
  // Its token does not act under another name.
  expect(await call('tasks.start', { taskId: 'T002' }, { agent: spawn.agentId })).toMatchObject({ success: true });
  expect(await call('tasks.start', { taskId: 'T002' }, { agent: 'T002-worker-1' })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(spawn.prompt).toContain(root);
  expect(readFileSync(join(root, spawn.promptFile), 'utf8')).toContain('Do it our way.');
  expect(existsSync(join(app.root, spawn.promptFile))).toBe(false);
});

test('a subagent reports through the server, and its output file is that of the client', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001 epic', 'T002 in T001: Investigate slow starts'] });
  await call('orchestrate.spawn', { taskId: 'T002' });
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs', 'starts.md'), '# Slow starts\n');
  const entry = { file: 'docs/starts.md', title: 'Slow starts', status: 'partial', needsFollowup: ['Measure'], linkedTasks: ['T002'] };
  requests.splice(0);
  expect(await call('research.add', entry)).toMatchObject({ success: true, entry: { id: 'T002-slow-starts' } });
  // Besides, the client looks for records of other machines.
  expect(requests.filter((path) => path !== '/api/records')).toHaveLength(1);
  expect((await app.call('research.list')).entries).toMatchObject([{ id: 'T002-slow-starts' }]);
  expect(await call('orchestrate.collect', { taskId: 'T002' })).toMatchObject({
    collected: { entryId: 'T002-slow-starts', status: 'partial' },
  });
  writeFileSync(join(root, 'docs', 'starts.md'), ' ');
  expect(await call('orchestrate.collect', { taskId: 'T002' })).toMatchObject({ error: { message: expect.stringContaining('is empty') } });
  expect(await call('research.add', { ...entry, file: 'docs/gone.md', title: 'Gone' })).toMatchObject({
    _meta: { warnings: [expect.stringContaining('does not exist yet')] },
  });
});

test('a call that waited for work asks again for what its client observed long ago', async () => {
  const app = await openApp();
  const facts = [{ name: 'checkout.head', request: {}, facts: {} }];
  const wait = (receivedMs: number) => app.reply('tasks.claim-next', { timeout: 30 }, { clientFacts: { facts, receivedMs } });
  const [old, fresh] = [wait(-60_000), wait(Number.MAX_SAFE_INTEGER)];
  const failed = expect(old).rejects.toBeInstanceOf(FactsMissing);
  // Both have to be waiting before there is work.
  await sleep(1500);
  await app.call('tasks.add', { title: 'Write the parser' });
  await failed;
  expect((await fresh).envelope).toMatchObject({ task: { id: 'T001' } });
});

test('the stages of tasks are decided on the server, by the skills of its project', async () => {
  const { call } = await openRemote({ tasks: ['T001 epic', 'T002 in T001: Write the parser'] });
  expect(await call('orchestrate.spawn', { taskId: 'T002' })).toMatchObject({ error: { code: 'E_LIFECYCLE_GATE_FAILED' } });
});

test('a tool of the server does not run on clients, which are told how to set it', async () => {
  const { call } = await openRemote({
    tasks: ['T001 evidence testsPassed', 'gate T001 implemented by ada'],
    config: { verification: { tools: { check: ['true'] } } },
  });
  await call('tasks.start', { taskId: 'T001' });
  expect(await call('verify.gate', { taskId: 'T001', gate: 'testsPassed', evidence: 'tool:check' })).toMatchObject({
    error: { message: expect.stringContaining(`cleo config set verification.tools.check '["true"]'`) },
  });
});
