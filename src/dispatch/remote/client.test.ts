import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from '../../../test/app.ts';
import { startServer, type TestServer } from '../../../test/http-server.ts';
import { createClient, grantToken, toClientEnv } from '../../../test/remote-client.ts';
import { runWordsInApp } from '../../../test/run-words.ts';
import { trustProject } from '../../../test/trust.ts';
import type { TokenScope } from '../../core/model/token.ts';
import { createApp } from '../../main.ts';
import { createPlatform } from '../../platform/platform.ts';
import { type App, dispatch } from '../dispatch.ts';
import { markAway, renewLease } from '../lease.ts';

interface Remote {
  app: TestApp;
  server: TestServer;
  client: App;
  env: Record<string, string>;
  call(operation: string, params?: object, more?: object): Promise<Json>;
}

/** Opens a project behind a server, and a client with a token of that name. */
async function openRemote(
  options: AppOptions & { token?: string; scope?: TokenScope; clientEnv?: Record<string, string>; isSticky?: boolean } = {},
): Promise<Remote> {
  const { token: name = 'tester', scope = 'mutate', clientEnv, isSticky = false, ...rest } = options;
  const app = await openApp(rest);
  const secret = await grantToken(app, scope, name);
  const server = await startServer(app);
  const env = { ...toClientEnv(app, server.url, secret), ...clientEnv };
  const client = createClient(app, env, { isSticky });
  const call: Remote['call'] = async (operation, params = {}, more = {}) =>
    (await dispatch(client, { operation, params, gateway: 'cli', ...more })).envelope;
  return { app, server, client, env, call };
}

const readEntries = async ({ call }: Pick<TestApp, 'call'>): Promise<Json[]> => (await call('admin.log', { limit: 5 })).entries;

test('a command line through a server prints the same line, and the log has its gateway and token', async () => {
  const { app, client, env } = await openRemote();
  const added = await runWordsInApp(client, env, ['add', 'Write the parser', '--description', 'So that we can read it']);
  expect([added.exitCode, added.envelope.task.id]).toEqual([0, 'T001']);
  const shown = await runWordsInApp(client, env, ['show', 'T001', '--human']);
  expect(shown.out).toBe((await app.cli(['show', 'T001', '--human'])).out);
  const entry = (await readEntries(app)).find(({ operation }) => /add$/.test(operation));
  expect(entry).toMatchObject({ gateway: 'cli', agent: 'tester', principal: { kind: 'agent', via: 'token', token: 'tester' } });
});

test('an invalid call is answered without a request', async () => {
  const { app, server, call } = await openRemote();
  await server.stop();
  expect(await call('tasks.show', {})).toMatchObject({ error: { code: 'E_INVALID_INPUT' } });
  expect(await app.call('admin.log', {})).toMatchObject({ _meta: { exitCode: 100 } });
});

test('a server that cannot be reached is exit code 7 after store.busyTimeoutMs', async () => {
  const { server, call } = await openRemote({ config: { store: { busyTimeoutMs: 300 } } });
  await server.stop();
  expect(await call('tasks.list')).toMatchObject({
    _meta: { exitCode: 7 },
    error: {
      code: 'E_STORE_UNAVAILABLE',
      message: expect.stringMatching(new RegExp(`^The cleo server at ${server.url} cannot be reached: .*ECONNREFUSED`)),
    },
  });
});

test.each([
  ['the connection breaks', (reply: (status: number) => void) => reply(0)],
  ['a proxy answers 502', (reply: (status: number) => void) => reply(502)],
])('a write whose answer is lost is repeated without a second effect: %s', async (_, fail) => {
  const { app, server, env } = await openRemote();
  let count = 0;
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(`${server.url}${url}`, { method: method ?? 'POST', headers }, (answer) => {
      if (count++ > 0) {
        outgoing.writeHead(answer.statusCode ?? 200, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      answer.resume();
      answer.on('end', () => fail((status) => (status === 0 ? incoming.socket.destroy() : outgoing.writeHead(status).end('Bad gateway'))));
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const client = createClient(app, { ...env, CLEO_SERVER: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
  const { envelope } = await dispatch(client, { operation: 'tasks.add', params: { title: 'Once' }, gateway: 'cli' });
  expect([envelope.success, envelope._meta.replayed, count]).toEqual([true, true, 2]);
  expect((await app.call('tasks.list')).tasks).toHaveLength(1);
});

test.each([
  ['a person acts as the token', { CLEO_AGENT_ID: '', LOGNAME: 'eve' }, 'ada'],
  ['a conversation acts below the token', { CLEO_AGENT_ID: '', CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'abc' }, 'ada/claude-abc'],
  ['a name below the token stays', { CLEO_AGENT_ID: 'ada/worker-1' }, 'ada/worker-1'],
])('%s', async (_, clientEnv, agent) => {
  const { call, app } = await openRemote({ token: 'ada', clientEnv });
  expect((await call('tasks.add', { title: 'Write the parser' })).success).toBe(true);
  expect((await readEntries(app))[0]).toMatchObject({ agent, principal: { token: 'ada' } });
});

test.each([
  ['CLEO_AGENT_ID', { CLEO_AGENT_ID: 'bob' }, {}],
  ['--agent', { CLEO_AGENT_ID: '' }, { agent: 'bob' }],
])('a token does not act under another name: %s', async (_, clientEnv, more) => {
  const { call } = await openRemote({ token: 'ada', clientEnv });
  expect(await call('tasks.add', { title: 'Write the parser' }, more)).toMatchObject({
    _meta: { exitCode: 64 },
    error: { code: 'E_FORBIDDEN', message: 'Token ada acts as ada, or as a name below it such as ada/bob; bob is another name' },
  });
});

const createToken = ({ call }: Remote): Promise<Json> => call('admin.token.create', { name: 'x', scope: 'query' });
const confirmDecision = ({ call }: Remote): Promise<Json> => call('memory.confirm', { id: 'D-001' });

test.each([
  ['admin', createToken],
  ['decide', confirmDecision],
] as const)('an agent does not get scope %s of the token in its environment, a person does', async (scope, act) => {
  const tasks = ['memory decision: Several machines write'];
  const agent = await openRemote({ tasks, token: 'ada', scope, clientEnv: { CLEO_AGENT_ID: 'ada/worker-1' } });
  expect(await act(agent)).toMatchObject({ _meta: { exitCode: 64 } });
  const person = await openRemote({ tasks, token: 'ada', scope, clientEnv: { CLEO_AGENT_ID: '', LOGNAME: 'ada' } });
  expect(await act(person)).toMatchObject({ success: true });
});

test('a request without a valid token is exit code 64', async () => {
  const { app, env } = await openRemote({ config: { serve: { requireToken: true } } });
  const client = createClient(app, { ...env, CLEO_TOKEN: `cleo_${'x'.repeat(43)}` });
  const { envelope } = await dispatch(client, { operation: 'tasks.list', params: {}, gateway: 'cli' });
  expect(envelope).toMatchObject({ _meta: { exitCode: 64 }, error: { code: 'E_UNAUTHORIZED' } });
});

test('a client of another major version is told to update', async () => {
  const { app, env } = await openRemote();
  const client = createApp(createPlatform(env, app.root, '9.0.0'));
  const { envelope } = await dispatch(client, { operation: 'tasks.list', params: {}, gateway: 'cli' });
  expect(envelope).toMatchObject({ _meta: { exitCode: 8 }, error: { code: 'E_SERVER_VERSION' } });
});

test('an address that is not a cleo server is reported as such', async () => {
  const { app, env } = await openRemote();
  const other = createServer((_, outgoing) => outgoing.writeHead(404, { 'content-type': 'text/html' }).end('<html>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const client = createClient(app, { ...env, CLEO_SERVER: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
  const { envelope } = await dispatch(client, { operation: 'tasks.list', params: {}, gateway: 'cli' });
  expect(envelope).toMatchObject({ _meta: { exitCode: 8 }, error: { message: expect.stringContaining('answered with status 404') } });
});

test('a stdio server stays in the session that it started, and its claims are renewed by the server', async () => {
  const { call, client, app } = await openRemote({ tasks: ['T001 epic', 'T002 in T001'], isSticky: true });
  const mcp = { gateway: 'cleo_mutate', kind: 'mutate' };
  const started = await call('session.start', { scope: 'epic:T001', autoFocus: false }, mcp);
  expect(started.success).toBe(true);
  const { id } = started.session;
  expect((await call('tasks.add', { title: 'More', parent: 'T001' }, mcp))._meta.sessionId).toBe(id);
  await app.call('tasks.start', { taskId: 'T002' }, { session: id });
  await renewLease(client, { agent: 'tester', session: id });
  await markAway(client, { agent: 'tester', session: id, process: 'test/tester' });
  await expect(renewLease(client, { agent: 'bob' })).rejects.toThrow('bob is another name');
});

test('init --server writes the address, and a clone needs trust before its token is sent', async () => {
  const app = await openApp();
  const server = await startServer(app);
  const key = (await app.call('admin.whoami')).project.key;
  const root = mkdtempSync(join(tmpdir(), 'cleo-client-'));
  const env = {
    CLEO_HOME: join(root, 'home'),
    CLEO_ROOT: root,
    CLEO_AGENT_ID: 'tester',
    CLEO_TOKEN: await grantToken(app, 'mutate', 'tester'),
  };
  const client = createApp(createPlatform(env, root, '0.0.0-test'));
  const made = await runWordsInApp(client, env, ['init', '--server', server.url, '--project', key]);
  expect(made.envelope).toMatchObject({ success: true, project: { store: 'server', created: true } });
  expect(JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8'))).toMatchObject({
    store: { engine: 'server' },
    server: { url: server.url, project: key },
    project: { key },
  });
  expect((await runWordsInApp(client, env, ['add', 'From afar'])).exitCode).toBe(0);
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.title).toBe('From afar');
  const clone = createApp(createPlatform({ ...env, CLEO_HOME: join(root, 'other') }, root, '0.0.0-test'));
  expect((await runWordsInApp(clone, env, ['list'])).envelope).toMatchObject({
    error: { code: 'E_PROJECT_UNTRUSTED', message: expect.stringContaining('server.url') },
  });
  const other = createApp(createPlatform({ ...env, CLEO_SERVER: server.url }, root, '0.0.0-test'));
  await app.call('admin.config.set', { key: 'project.key', value: 'another' }, asPerson);
  expect((await runWordsInApp(other, env, ['list'])).envelope).toMatchObject({
    _meta: { exitCode: 8 },
    error: { message: expect.stringContaining(`is ${key}, but this server has the project another`) },
  });
});

test('an operation that runs on the client gets the scope of the token from the server that the user has trusted', async () => {
  const app = await openApp();
  const server = await startServer(app);
  const set = async (scope: TokenScope, url: string, isTrusted = true) => {
    const root = mkdtempSync(join(tmpdir(), 'cleo-client-'));
    mkdirSync(join(root, '.cleo'));
    writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ store: { engine: 'server' }, server: { url } }));
    const own = { CLEO_HOME: join(root, 'home'), CLEO_ROOT: root, CLEO_AGENT_ID: '', LOGNAME: 'ada' };
    const env = { ...own, CLEO_SERVER: server.url, CLEO_TOKEN: await grantToken(app, scope, `ada-${scope}-${root.slice(-6)}`) };
    if (isTrusted) await trustProject(root, env);
    const client = createApp(createPlatform(env, root, '0.0.0-test'));
    const params = { key: 'backup.keep', value: '3' };
    return (await dispatch(client, { operation: 'admin.config.set', params, gateway: 'cli' })).envelope;
  };
  expect(await set('mutate', server.url)).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(await set('admin', server.url)).toMatchObject({ success: true, value: 3 });
  // An agent can start a server that calls its token admin.
  for (const [url, isTrusted] of [
    ['http://127.0.0.1:1', true],
    [server.url, false],
  ] as const)
    expect(await set('admin', url, isTrusted)).toMatchObject({
      error: { code: 'E_FORBIDDEN' },
      _meta: { warnings: [expect.stringContaining('CLEO_SERVER names a server that this user has not trusted')] },
    });
});

test('a call that the token does not allow names the scope, and the whole command for a person', async () => {
  const { call } = await openRemote();
  expect(await call('admin.token.create', { name: 'ci', scope: 'query' })).toMatchObject({
    error: {
      code: 'E_FORBIDDEN',
      message: 'token create needs a person, or a token of scope admin: token tester has scope mutate',
      fix: 'Ask a person to run: cleo token create --name ci --scope query',
    },
  });
  expect(await call('sync.rebuild', {})).toMatchObject({
    error: { code: 'E_STORE_BEHIND_SERVER', fix: 'Ask a person to run: cleo sync --rebuild' },
  });
});

test('trusting the address of a server does not report that its token was not trusted before', async () => {
  const root = mkdtempSync(join(tmpdir(), 'cleo-client-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, '.cleo'), { mode: 0o700 });
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify({ store: { engine: 'server' }, server: { url: 'http://127.0.0.1:1' } }));
  const env = { CLEO_ROOT: root, CLEO_HOME: join(root, 'home'), CLEO_AGENT_ID: '', LOGNAME: 'ada', CLEO_TOKEN: `cleo_${'x'.repeat(43)}` };
  const client = createApp(createPlatform(env, root, '0.0.0-test'));
  const run = async (operation: string, params: object = {}): Promise<Json> =>
    (await dispatch(client, { operation, params, gateway: 'cli' })).envelope;
  expect((await run('admin.config.set', { key: 'backup.keep', value: '3' }))._meta.warnings).toEqual([
    expect.stringContaining('CLEO_TOKEN is ignored: server.url in'),
  ]);
  const { error, _meta } = await run('admin.trust');
  expect([error.code, _meta.warnings]).toEqual(['E_FORBIDDEN', undefined]);
});

test('a program that calls itself a server makes nobody an administrator', async () => {
  const fake = createServer((_, outgoing) => outgoing.end('{"name":"me","scope":"admin"}'));
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void fake.close());
  const app = await openApp({ env: { CLEO_AGENT_ID: '', LOGNAME: 'ada' } });
  const env = toClientEnv(app, `http://127.0.0.1:${(fake.address() as AddressInfo).port}`, `cleo_${'x'.repeat(43)}`);
  const client = createClient(app, env);
  const calls: [string, object][] = [
    ['admin.config.set', { key: 'release.gates.x', value: 'sh -c id' }],
    ['admin.config.set', { key: 'decide.proof', value: 'terminal', user: true }],
    ['admin.trust.remove', {}],
    ['review.resolve', { review: 'rv-1', verdict: 'pass', score: 1 }],
  ];
  for (const [operation, params] of calls)
    expect([operation, (await dispatch(client, { operation, params, gateway: 'cli' })).envelope]).toMatchObject([
      operation,
      { error: { code: 'E_FORBIDDEN' } },
    ]);
});

test('the lines that a shell evaluates are assignments, whatever a server answers', async () => {
  const lines = ['export CLEO_SESSION_ID=s-1\nexport CLEO_SESSION_GRADE=true', 'export CLEO_SESSION_ID=x; touch pwned', 'touch pwned'];
  let answered = 0;
  const fake = createServer((_, outgoing) => {
    const envelope = { _meta: { command: 'session.start', timestamp: '', version: '0.0.0' }, success: true, export: lines[answered++] };
    outgoing.end(JSON.stringify({ envelope }));
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void fake.close());
  const app = await openApp();
  const client = createClient(app, toClientEnv(app, `http://127.0.0.1:${(fake.address() as AddressInfo).port}`, 'x'));
  const start = async (): Promise<Json> =>
    (await dispatch(client, { operation: 'session.start', params: { scope: 'global', autoFocus: false }, gateway: 'cli' })).envelope;
  expect(await start()).toMatchObject({ success: true, export: lines[0] });
  for (const _ of lines.slice(1)) expect(await start()).toMatchObject({ success: false, error: { code: 'E_CONFIG_ERROR' } });
});

test('an answer without an end is given up', { timeout: 60_000 }, async () => {
  const part = Buffer.alloc(1 << 20, 'x');
  const fake = createServer((_, outgoing) => {
    const write = (): void => {
      while (!outgoing.destroyed && outgoing.write(part));
      if (!outgoing.destroyed) outgoing.once('drain', write);
    };
    write();
  });
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    fake.closeAllConnections();
    fake.close();
  });
  const app = await openApp();
  const client = createClient(app, toClientEnv(app, `http://127.0.0.1:${(fake.address() as AddressInfo).port}`, 'x'));
  const { envelope } = await dispatch(client, { operation: 'tasks.list', params: {}, gateway: 'cli' });
  expect(envelope).toMatchObject({ success: false, error: { message: expect.stringContaining('longer than 256 MiB') } });
});
