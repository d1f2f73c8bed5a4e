import { describe, expect, test } from 'vitest';
import { CleoError } from '#core/errors/error.ts';
import { registry } from '#core/index.generated.ts';
import { createFailure } from '#dispatch/dispatch.ts';
import { openApp } from '../../../test/app.ts';
import { addCalls, type FailedCallOrigin } from './error-calls.ts';

const meta = { command: 'tasks.add', timestamp: '2026-01-01T00:00:00.000Z', version: '1' };
const fail = (fix: string, more: object = {}) => new CleoError('E_FILE_ERROR', { path: 'a', problem: 'b', fix, ...more });

async function addCall(error: CleoError, origin: FailedCallOrigin = {}, command = meta.command) {
  const { error: answered } = await addCalls({ registry }, { envelope: createFailure({ ...meta, command }, error), error }, origin);
  // biome-ignore lint/suspicious/noExplicitAny: errors of many shapes
  return answered as any;
}

const query = (domain: string, operation: string, params: object, more: object = {}) => ({
  tool: 'cleo_query',
  domain,
  operation,
  params,
  ...more,
});
const mutate = (domain: string, operation: string, params: object, more: object = {}) => ({
  ...query(domain, operation, params, more),
  tool: 'cleo_mutate',
});

describe('the call of a fix', () => {
  test.each([
    ['cleo next', query('tasks', 'next', {})],
    ['cleo find --id 14', query('tasks', 'find', { id: '14' })],
    [
      "cleo add 'Write the parser' --depends T1,T2 --size small",
      mutate('tasks', 'add', { title: 'Write the parser', depends: ['T1', 'T2'], size: 'small' }),
    ],
    [
      'cleo session start --scope global --auto-focus --name Work',
      mutate('session', 'start', { scope: 'global', autoFocus: true, name: 'Work' }),
    ],
    ['cleo stop --session session-1 --agent ada', mutate('tasks', 'stop', {}, { session: 'session-1', agent: 'ada' })],
    ['cleo doctor --fix', mutate('admin', 'doctor.fix', {})],
    ['cleo doctor', query('admin', 'doctor', {})],
    ['cleo help add', query('admin', 'help', { operation: 'add' })],
    ['cleo help construct run', query('admin', 'help', { operation: 'construct run' })],
    ['cleo help serve', query('admin', 'help', { operation: 'serve' })],
    ['cleo nexus', query('admin', 'help', { operation: 'nexus' })],
    ['cleo', query('admin', 'help', {})],
    ['cleo config set store.busyTimeoutMs 60000', mutate('admin', 'config.set', { key: 'store.busyTimeoutMs', value: '60000' })],
    [String.raw`cleo update T001 --blocked-by 'it'\''s late'`, mutate('tasks', 'update', { taskId: 'T001', blockedBy: "it's late" })],
    ['cleo add Title --idempotency-key k1', mutate('tasks', 'add', { title: 'Title' }, { idempotencyKey: 'k1' })],
    ['cleo add -- --flag', mutate('tasks', 'add', { title: '--flag' })],
  ])('%s', async (fix, call) => {
    expect((await addCall(fail(fix))).call).toEqual(call);
  });

  test.each([
    'cleo serve --port 0',
    'cleo mcp',
    'cleo list --watch',
    'mkdir -p project && cd project && cleo init',
    'cleo add --no-such-flag',
    'cleo no-such-command',
    'cleo add-batch --file -',
  ])('%s has none, and details.manual says so', async (fix) => {
    const error = await addCall(fail(fix));
    expect(error).not.toHaveProperty('call');
    expect(error.details.manual).toBe(`Run in a shell: ${fix}`);
  });

  test('is left out if a person must act', async () => {
    expect(await addCall(fail('cleo version', { manual: 'Install git' }))).toEqual({
      code: 'E_FILE_ERROR',
      exitCode: 3,
      message: 'a: b',
      fix: 'cleo version',
      details: { path: 'a', manual: 'Install git' },
    });
  });

  test('repeats the content that the command line reads from a file', async () => {
    const tasks = [{ title: 'A' }];
    const origin = { params: { tasks } };
    const call = mutate('tasks', 'add-batch', { tasks, dryRun: true });
    expect((await addCall(fail('cleo add-batch --file - --dry-run'), origin, 'tasks.add-batch')).call).toEqual(call);
    expect((await addCall(fail('cleo add-batch --file plan.json --dry-run'), origin, 'tasks.add-batch')).call).toEqual(call);
    expect(await addCall(fail('cleo add-batch --file - --dry-run'), origin, 'workgraph.apply')).not.toHaveProperty('call');
  });

  test('names only the changes if it would repeat a long document', async () => {
    const params = { tasks: [{ title: 'A', description: 'x'.repeat(9000) }], dryRun: false };
    const error = await addCall(fail('cleo add-batch --file - --dry-run'), { params }, 'tasks.add-batch');
    expect(error).not.toHaveProperty('call');
    expect(error.details.manual).toBe('Send the same call with {"dryRun":true} in its parameters');
  });

  test('keeps the identity of the caller', async () => {
    const origin = { agent: 'ada', session: 'session-1' };
    expect((await addCall(fail('cleo next'), origin)).call).toEqual(query('tasks', 'next', {}, origin));
    expect((await addCall(fail('cleo next --agent bob'), origin)).call).toMatchObject({ agent: 'bob', session: 'session-1' });
    expect((await addCall(fail('cleo session list'), origin)).call).toEqual(query('session', 'list', {}, { agent: 'ada' }));
    expect((await addCall(fail('cleo help'), origin)).call).toEqual(query('admin', 'help', {}));
    expect((await addCall(new CleoError('E_SESSION_REQUIRED', {}), origin)).call).not.toHaveProperty('session');
    expect((await addCall(fail('cleo next'), { agent: 'not an id' })).call).toEqual(query('tasks', 'next', {}));
  });
});

test('every alternative has a call too', async () => {
  const error = await addCall(new CleoError('E_NOT_FOUND', { id: 'T9', prefix: '9', suggestions: ['T001'] }));
  expect(error.alternatives).toEqual([
    { action: 'Show T001', command: 'cleo show T001', call: query('tasks', 'show', { taskId: 'T001' }) },
  ]);
});

test('--json --calls prints them, and without --calls they are left out', async () => {
  const { cli } = await openApp({ tasks: ['T001'] });
  const { envelope } = await cli(['show', 'T9', '--json', '--calls']);
  expect(envelope.error.call).toEqual(query('tasks', 'find', { id: '1' }));
  expect(envelope.error.alternatives[0].call).toEqual(query('tasks', 'show', { taskId: 'T001' }));
  expect(JSON.stringify(await cli(['show', 'T9', '--json']))).not.toContain('"call"');
  expect((await cli(['shwo', 'T1', '--calls'])).envelope.error.call).toEqual(query('tasks', 'show', { taskId: 'T1' }));
});

test('a session status without a session names the calls that start one', async () => {
  const { cli } = await openApp({ tasks: ['T001 epic'] });
  const { envelope } = await cli(['session', 'status', '--calls']);
  expect(envelope.alternatives.length).toBeGreaterThan(0);
  for (const { call } of envelope.alternatives) expect(call).toMatchObject({ tool: expect.any(String), domain: 'session' });
});
