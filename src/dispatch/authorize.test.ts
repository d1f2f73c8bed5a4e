import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../test/app.ts';
import { grantPerson } from '../../test/person-token.ts';
import { createApp } from '../main.ts';
import { createPlatform } from '../platform/platform.ts';
import { dispatch } from './dispatch.ts';

const shell = { key: 'verification.tools.x', value: ['sh', '-c', 'echo owned'] };

test.each([
  ['MCP over stdio', { gateway: 'cleo_mutate' as const }],
  ['HTTP without a token', { gateway: 'http' as const, token: { name: 'http', scope: 'mutate' as const } }],
  ['the shell of an agent', {}],
])('an agent over %s cannot configure a tool, create a token or restore a backup', async (_, caller) => {
  const app = await openApp({ tasks: ['T001'] });
  for (const [operation, params] of [
    ['admin.config.set', shell],
    ['admin.token.create', { name: 'mine', scope: 'admin' }],
    ['admin.backup.restore', { id: 'x' }],
  ] as const) {
    const { error } = await app.call(operation, params, caller);
    expect(error, operation).toMatchObject({
      code: 'E_FORBIDDEN',
      exitCode: 64,
      fix: expect.stringMatching(/^Ask a person to run: cleo /),
    });
  }
  expect(await app.call('admin.config.set', { key: 'docs.types', value: ['runbook'] }, caller)).toMatchObject({ success: true });
});

test('the log records the principal of a call', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.call('tasks.update', { taskId: 'T001', notes: 'x' });
  await app.call('admin.token.create', { name: 'ci', scope: 'query' }, asPerson);
  const { entries } = await app.call('admin.log', { limit: 2 });
  expect(entries.map(({ principal }: { principal: object }) => principal)).toEqual([
    { kind: 'person', via: 'token', token: 'ada' },
    { kind: 'agent', via: 'shell', process: 'test/tester' },
  ]);
});

test('the fix of a refused call repeats no password', async () => {
  const app = await openApp();
  const url = 'postgres://ada:hunter2secret@db.example.com/cleo';
  for (const params of [
    { key: 'store.url', value: url },
    { key: 'store.url', value: url, user: true },
    { key: 'verification.tools.db', value: ['psql', url] },
  ]) {
    const { error } = await app.call('admin.config.set', params);
    expect(error.fix).toContain(`cleo config set ${params.key} `);
    expect(JSON.stringify(error)).not.toContain('hunter2secret');
  }
});

test('a call without the scope has the exit codes of cleo, not of skills', async () => {
  const app = await openApp({ tasks: ['construct'] });
  const token = { name: 'ci', scope: 'mutate' as const };
  const { _meta, error } = await app.call('construct.run', { construct: 'x' }, { token });
  expect([error.code, error.exitCode, _meta.exitNamespace]).toEqual(['E_FORBIDDEN', 64, undefined]);
  // No token may run programs of the machine, so the fix is not another token.
  expect(error.fix).toBe('Ask a person to run: cleo construct run');
});

test('a token of scope query gets the fix to create one of scope mutate', async () => {
  const app = await openApp();
  const { error } = await app.call('tasks.add', { title: 'x' }, { token: { name: 'ci', scope: 'query' } });
  expect(error.fix).toBe('Ask a person to run: cleo token create --name client-mutate --scope mutate');
});

test('the fix of a call in a session names the session', async () => {
  const app = await openApp({ tasks: ['session session-1 global by tester'] });
  const { error } = await app.call('admin.token.create', { name: 'mine', scope: 'admin' }, { session: 'session-1' });
  expect(error.fix).toMatch(/^Ask a person to run: cleo token create .*--session session-1/);
});

test('CLEO_TOKEN gives its own scope, and only to the command line', async () => {
  const { root, call } = await openApp({ engine: 'sqlite' });
  const createToken = async (scope: string): Promise<string> => (await call('admin.token.create', { name: scope, scope }, asPerson)).secret;
  const list = async (token: string, gateway: 'cli' | 'cleo_query') => {
    const app = createApp(createPlatform({ CLEO_HOME: join(root, 'home'), CLEO_TOKEN: token }, root, '0.0.0-test'));
    const { envelope } = await dispatch(app, { operation: 'admin.token.list', params: {}, gateway });
    await app.closeStores();
    return envelope;
  };
  const admin = await createToken('admin');
  expect(await list(admin, 'cli')).toMatchObject({ success: true });
  expect(await list(admin, 'cleo_query')).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(await list(await createToken('mutate'), 'cli')).toMatchObject({
    error: { code: 'E_FORBIDDEN', message: expect.stringContaining('in CLEO_TOKEN, token mutate has scope mutate') },
  });
});

test("CLEO_TOKEN of a project does not change the user's own settings, which count in all projects", async () => {
  const { root } = await openApp({ engine: 'sqlite' });
  const person = await grantPerson(root, { CLEO_HOME: join(root, 'home') });
  const set = async (params: object) => {
    const app = createApp(createPlatform(person, root, '0.0.0-test'));
    const { envelope } = await dispatch(app, { operation: 'admin.config.set', params, gateway: 'cli' });
    await app.closeStores();
    return envelope;
  };
  expect(await set({ key: 'decide.proof', value: 'terminal', user: true })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  expect(await set({ key: 'backup.keep', value: 3 })).toMatchObject({ success: true });
});

test.each([
  ['the name of an agent', { CLEO_AGENT_ID: 'tester' }, 'CLEO_AGENT_ID=tester'],
  ['the variable of a client', { CLEO_AGENT_ID: '', CLAUDECODE: '1' }, 'CLAUDECODE'],
])('CLEO_TOKEN is ignored with a warning next to %s', async (_, env, mark) => {
  const { root } = await openApp({ engine: 'sqlite' });
  const person = await grantPerson(root, { CLEO_HOME: join(root, 'home') });
  const app = createApp(createPlatform({ ...person, ...env }, root, '0.0.0-test'));
  const { envelope } = await dispatch(app, { operation: 'admin.token.list', params: {}, gateway: 'cli' });
  expect(envelope).toMatchObject({
    error: { code: 'E_FORBIDDEN' },
    _meta: { warnings: [`CLEO_TOKEN is ignored: ${mark} is the mark of an agent`] },
  });
  await app.closeStores();
});

test('an error offers a command that its caller may not run to a person', async () => {
  const app = await openApp();
  writeFileSync(join(app.root, '.cleo', 'config.json'), '{"nope":1}');
  expect((await app.call('tasks.add', { title: 'x' })).error).toMatchObject({
    fix: 'Ask a person to run: cleo config unset nope',
    details: { manual: 'Ask a person to run: cleo config unset nope' },
  });
  expect((await app.call('tasks.add', { title: 'x' }, asPerson)).error.fix).toBe('cleo config unset nope');
  expect((await app.cli('cleo config unset nope', asPerson)).exitCode).toBe(0);
});

const askForHelp = 'Ask a person to run: cleo config unset nope';

test.each([
  ['a person at a terminal', { isAtTerminal: true as const, env: { CLEO_AGENT_ID: '' } }, {}, 'cleo config unset nope'],
  ['a token of a person in CLEO_TOKEN', { env: { CLEO_AGENT_ID: '', CLEO_TOKEN: 'x' } }, {}, 'cleo config unset nope'],
  ['an agent with the CLEO_TOKEN of a person', { env: { CLEO_TOKEN: 'x' } }, {}, askForHelp],
  ['an agent over MCP with CLEO_TOKEN', { env: { CLEO_AGENT_ID: '', CLEO_TOKEN: 'x' } }, { gateway: 'cleo_mutate' as const }, askForHelp],
  [
    'a token of scope mutate',
    { isAtTerminal: true as const, agent: 'ci' },
    { token: { name: 'ci', scope: 'mutate' as const } },
    askForHelp,
  ],
  ['a token of scope decide', { isAtTerminal: true as const }, { token: { name: 'ci', scope: 'decide' as const } }, askForHelp],
])('%s gets the fix that it may run', async (_, options, caller, fix) => {
  const app = await openApp({ engine: 'sqlite', ...options });
  writeFileSync(join(app.root, '.cleo', 'config.json'), '{"nope":1}');
  expect((await app.call('tasks.add', { title: 'x' }, caller)).error.fix).toBe(fix);
});

test('an error has no call if only a person may make it', async () => {
  const app = await openApp();
  const callWrongGateway = async (operation: string, params: object) =>
    (await app.reply(operation, { ...params }, { gateway: 'cleo_mutate', kind: 'mutate' })).error!;
  expect(await callWrongGateway('tasks.find', { query: 'x' })).toMatchObject({ call: { operation: 'find' }, fix: 'cleo find x' });
  const error = await callWrongGateway('admin.token.list', {});
  expect(error).toMatchObject({ code: 'E_INVALID_INPUT', fix: 'Ask a person to run: cleo token list' });
  expect(error.call).toBeUndefined();
});
