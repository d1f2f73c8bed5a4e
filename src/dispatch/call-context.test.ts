import { expect, test } from 'vitest';
import { asPerson, openApp } from '../../test/app.ts';

const mine = 'session session-1 task:T001 by tester';
const other = 'session session-2 task:T002 by ada';
const third = 'session session-3 task:T003 by tester';
const ended = 'session session-4 task:T004 ended by tester';
const inEnvironment = (id: string) => ({ CLEO_SESSION_ID: id });

test.each([
  ['no session', [], {}, undefined, 'tasks.add', '0 undefined'],
  ['its only session', [mine, other], {}, undefined, 'tasks.add', '0 session-1'],
  ['no session if the only active one is of another agent', [other, ended], {}, undefined, 'tasks.add', '0 undefined'],
  ['none of several sessions of its own, and fails', [mine, third], {}, undefined, 'tasks.add', '36 undefined'],
  ['none of several sessions of its own in a read', [mine, third], {}, undefined, 'tasks.list', '0 undefined'],
  ['the session that the call names', [mine, other], {}, 'session-2', 'tasks.add', '0 session-2'],
  [
    'the session that the call names, not the one of the environment',
    [mine, other],
    inEnvironment('session-1'),
    'session-2',
    'tasks.add',
    '0 session-2',
  ],
  ['the session of the environment', [mine, other], inEnvironment('session-2'), undefined, 'tasks.add', '0 session-2'],
  ['an unknown id of the environment, as a tag', [mine], inEnvironment('run-9'), undefined, 'tasks.add', '0 run-9'],
  [
    'its active session if that of the environment has ended',
    [mine, ended],
    inEnvironment('session-4'),
    undefined,
    'tasks.add',
    '0 session-1',
  ],
  ['no session if that of the environment has ended', [ended], inEnvironment('session-4'), undefined, 'tasks.add', '0 undefined'],
  ['an unknown session, and fails', [mine], {}, 'session-9', 'tasks.add', '31 session-9'],
  ['an ended session, and fails', [mine, ended], {}, 'session-4', 'tasks.add', '36 session-4'],
  ['an ended session in a read', [mine, ended], {}, 'session-4', 'tasks.list', '0 session-4'],
  ['an unknown session in a read, and fails', [mine], {}, 'session-9', 'tasks.list', '31 session-9'],
  ['an unknown session in a read that needs no store', [mine], {}, 'session-9', 'admin.version', '0 session-9'],
  [
    'the ended session of the environment in an operation on sessions',
    [ended],
    inEnvironment('session-4'),
    undefined,
    'session.list',
    '0 session-4',
  ],
  [
    'no session in another read if that of the environment has ended',
    [ended],
    inEnvironment('session-4'),
    undefined,
    'tasks.list',
    '0 undefined',
  ],
] as Array<[string, string[], Record<string, string>, string | undefined, string, string]>)(
  'a call belongs to %s',
  async (_, sessions, env, session, operation, expected) => {
    const app = await openApp({ env, tasks: ['T001', 'T002', 'T003', 'T004', ...sessions] });
    const params = { 'tasks.add': { title: 'x' } }[operation] ?? {};
    const { _meta } = await app.call(operation, params, session ? { session } : {});
    expect(`${_meta.exitCode ?? 0} ${_meta.sessionId}`).toBe(expected);
    const log = await app.store.read((reads) => reads.audit.listAfter(0, 9));
    const entries = operation === 'tasks.add' ? [expected] : [];
    expect(log.map((entry) => `${entry.exitCode} ${entry.session}`)).toEqual(entries);
  },
);

test.each([
  ['a task cannot be added', 'tasks.add', { title: 'x' }, 36],
  ['a dry run fails, too', 'tasks.add', { title: 'x', dryRun: true }, 36],
  ['a job does not start', 'research.archive', {}, 36],
  ['tasks can be read', 'tasks.show', { taskId: 'T001' }, 0],
  ['a session can be started', 'session.start', { scope: 'task:T001', name: 'x', autoFocus: true }, 0],
  ['an orchestration can be started', 'orchestrate.start', { epicId: 'T002' }, 0],
  ['a token can be created', 'admin.token.create', { name: 'ci', scope: 'query' }, 0],
  ['the project can be maintained', 'admin.config.set', { key: 'session.required', value: 'false' }, 0],
])('if the project requires a session and there is none, %s', async (_, operation, params, exitCode) => {
  const app = await openApp({ config: { session: { required: true } }, tasks: ['T001', 'T002 epic', 'T003 in T002'] });
  expect((await app.reply(operation, params, operation.startsWith('admin.') ? asPerson : {})).exitCode).toBe(exitCode);
});

test('a call that does not say which of several sessions it means is told their ids', async () => {
  const { call } = await openApp({ config: { session: { required: true } }, tasks: ['T001', 'T003', mine, third] });
  expect((await call('tasks.add', { title: 'x' })).error.details).toEqual({ activeSessions: ['session-1', 'session-3'] });
});

test.each([
  ['the call', { agent: 'ci/ada', token: { name: 'ci', scope: 'mutate' } }, 'ci/ada'],
  ['the token', { token: { name: 'ci', scope: 'mutate' } }, 'ci'],
  ['the environment', {}, 'tester'],
] as const)('the agent is named by %s', async (_, more, agent) => {
  const app = await openApp();
  await app.call('tasks.add', { title: 'x' }, more);
  expect(await app.store.read((reads) => reads.audit.listAfter(0, 9))).toMatchObject([{ agent }]);
});

test.each([
  ['agent', { agent: 'a b' }, {}],
  ['session', { session: 'a b' }, {}],
  ['session', {}, { CLEO_SESSION_ID: 'a b' }],
  ['idempotencyKey', { idempotencyKey: 'a b' }, {}],
] as Array<[string, object, Record<string, string>]>)('rejects an invalid %s and writes nothing', async (field, more, env) => {
  const app = await openApp({ env });
  expect((await app.call('tasks.add', { title: 'x' }, more)).error).toMatchObject({ exitCode: 6, fix: 'cleo help', details: { field } });
  expect(await app.store.read((reads) => reads.tasks.get('T001'))).toBeUndefined();
});
