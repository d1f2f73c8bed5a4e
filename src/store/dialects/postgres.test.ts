import postgres from 'postgres';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { schemaVersion } from '../schema-version.ts';
import { openPostgres, type PostgresOptions } from './postgres.ts';
import { fromPostgresError } from './postgres-errors.ts';
import { createPostgres } from './postgres-schema.ts';

const createOptions = (more: Partial<PostgresOptions> = {}): PostgresOptions => ({
  url: inject('databaseUrl'),
  schema: `cleo_d${process.pid}_${Math.random().toString(36).slice(2, 8)}`,
  busyTimeoutMs: 1000,
  ...more,
});

async function runOnServer(statements: string): Promise<void> {
  const client = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
  await client.unsafe(statements).simple();
  await client.end({ timeout: 5 });
}

const readOnce = async (options: PostgresOptions): Promise<unknown> => {
  const store = openPostgres(options);
  try {
    return await store.read((reads) => reads.audit.getHead());
  } finally {
    await store.close();
  }
};
const writeOnce = async (options: PostgresOptions): Promise<unknown> => {
  const store = openPostgres(options);
  try {
    return await store.write({ at: 'x', by: 'x' }, (writes) => writes.tasks.nextId());
  } finally {
    await store.close();
  }
};
const matchError = (code: string, exitCode: number, message = '') =>
  expect.objectContaining({ code, exitCode, message: expect.stringContaining(message) });

describe('an unusable store', () => {
  test('fails if the server has no schema of the project', async () => {
    await expect(readOnce(createOptions())).rejects.toThrow(matchError('E_STORE_DAMAGED', 3, 'or it was removed; nothing was changed'));
    // Another schema would be another project.
    await expect(readOnce(createOptions())).rejects.toMatchObject({ fix: 'cleo config get store.url' });
  });

  test('a newer or older schema fails with exit code 8', async () => {
    const options = createOptions();
    await createPostgres(options, 'x');
    await runOnServer(`insert into "${options.schema}".schema_migrations values (999, 'x', 'x')`);
    await expect(readOnce(options)).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    await expect(writeOnce(options)).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    await expect(createPostgres(options, 'x')).rejects.toThrow(matchError('E_STORE_NEWER', 8));
    await runOnServer(
      `delete from "${options.schema}".schema_migrations; insert into "${options.schema}".schema_migrations values (0, 'x', 'x')`,
    );
    await expect(readOnce(options)).rejects.toThrow(matchError('E_STORE_OLDER', 8));
    await runOnServer(`drop schema "${options.schema}" cascade`);
  });

  test('does not migrate a schema with a foreign migration', async () => {
    const options = createOptions();
    await createPostgres(options, 'x');
    await runOnServer(`update "${options.schema}".schema_migrations set checksum = 'other'`);
    await expect(createPostgres(options, 'x')).rejects.toThrow(matchError('E_CHECKSUM_MISMATCH', 20));
    await runOnServer(`drop schema "${options.schema}" cascade`);
  });

  test.each([
    ['an unknown host', 'postgres://no-such-host.invalid/none'],
    ['an invalid address', 'postgres://[::bad'],
  ])('%s is unreachable', async (_, url) => {
    for (const use of [readOnce, writeOnce, (options: PostgresOptions) => createPostgres(options, 'x')])
      await expect(use(createOptions({ url }))).rejects.toThrow(matchError('E_STORE_UNREACHABLE', 3));
  });

  test('a closed port is tried until the time is over, and at once reported by init', async () => {
    const options = createOptions({ url: 'postgres://127.0.0.1:1/none', busyTimeoutMs: 300 });
    for (const use of [readOnce, writeOnce]) {
      const began = performance.now();
      await expect(use(options)).rejects.toThrow(matchError('E_STORE_UNAVAILABLE', 7, 'cannot be reached'));
      expect(performance.now() - began).toBeGreaterThanOrEqual(290);
    }
    await expect(createPostgres(options, 'x')).rejects.toThrow(matchError('E_STORE_UNREACHABLE', 3));
  });

  test('a missing database and an unknown user are unreachable', async () => {
    const { host, username } = new URL(inject('serverUrl'));
    await expect(readOnce(createOptions({ url: `postgres://${username}@${host}/no_such_database` }))).rejects.toThrow(
      matchError('E_STORE_UNREACHABLE', 3, 'no_such_database'),
    );
    await expect(readOnce(createOptions({ url: `postgres://nobody_at_all:secret@${host}/postgres` }))).rejects.toThrow(
      matchError('E_STORE_UNREACHABLE', 3),
    );
  });
});

describe('a user without permissions', () => {
  const role = `reader_${process.pid}`;
  beforeAll(async () => {
    await runOnServer(`drop role if exists ${role}; create role ${role} login`);
  });

  test('can read with select permission, and fails with exit code 3 on write and create', async () => {
    const options = createOptions();
    await createPostgres(options, 'x');
    await runOnServer(
      `grant usage on schema "${options.schema}" to ${role}; grant select on all tables in schema "${options.schema}" to ${role}`,
    );
    const { host } = new URL(inject('serverUrl'));
    const limited = { ...options, url: `postgres://${role}@${host}/postgres` };
    expect(await readOnce(limited)).toBeUndefined();
    await expect(writeOnce(limited)).rejects.toThrow(matchError('E_FILE_ERROR', 3, 'does not allow it'));
    await expect(createPostgres({ ...limited, schema: `${options.schema}_b` }, 'x')).rejects.toThrow(
      matchError('E_FILE_ERROR', 3, 'permission denied'),
    );
    await runOnServer(`drop owned by ${role}; drop schema "${options.schema}" cascade; drop role ${role}`);
  });
});

test('writes to a read-only server fail with exit code 3', async () => {
  const options = createOptions();
  await createPostgres(options, 'x');
  const url = `${inject('serverUrl')}?options=-c%20default_transaction_read_only%3Don`;
  expect(await readOnce({ ...options, url })).toBeUndefined();
  await expect(writeOnce({ ...options, url })).rejects.toThrow(matchError('E_FILE_ERROR', 3, 'read-only'));
  await runOnServer(`drop schema "${options.schema}" cascade`);
});

test('a lock timeout fails with exit code 7 and changes nothing', async () => {
  const app = await openApp({ tasks: ['T001'], config: { store: { busyTimeoutMs: 100 } } });
  const other = await app.openSecondStore();
  await other.write({ at: 'x', by: 'agent-7', operation: 'tasks.import' }, async () => {
    const { error } = await app.call('tasks.add', { title: 'Too late' });
    expect(error).toMatchObject({
      code: 'E_LOCK_TIMEOUT',
      exitCode: 7,
      message: expect.stringMatching(/^cleo tasks\.import agent-7 \(server process \d+ of \w+ from [\d.]+\) since 20.*waited 100 ms/),
      details: { holder: { name: 'cleo tasks.import agent-7', state: 'idle in transaction' } },
    });
  });
  expect(await app.call('tasks.add', { title: 'In time' })).toMatchObject({ task: { id: 'T002' } });
});

test('one of several concurrent calls creates the schema; the others return its version', async () => {
  const options = createOptions();
  const made = await Promise.all(Array.from({ length: 5 }, () => createPostgres(options, 'x')));
  expect(made.map(({ from }) => from).sort()).toEqual([0, ...Array(4).fill(schemaVersion)]);
  await runOnServer(`drop schema "${options.schema}" cascade`);
});

test.each([
  ['55P03', 'E_LOCK_TIMEOUT', 7],
  ['57014', 'E_LOCK_TIMEOUT', 7],
  ['40001', 'E_LOCK_TIMEOUT', 7],
  ['40P01', 'E_LOCK_TIMEOUT', 7],
  ['53100', 'E_FILE_ERROR', 3],
  ['58030', 'E_FILE_ERROR', 3],
  ['25006', 'E_FILE_ERROR', 3],
  ['42501', 'E_FILE_ERROR', 3],
  ['XX001', 'E_STORE_DAMAGED', 3],
  ['XX002', 'E_STORE_DAMAGED', 3],
  ['53300', 'E_STORE_UNAVAILABLE', 7],
  ['28P01', 'E_STORE_UNREACHABLE', 3],
  ['3D000', 'E_STORE_UNREACHABLE', 3],
  ['57P01', 'E_STORE_UNAVAILABLE', 7],
  ['57P03', 'E_STORE_UNAVAILABLE', 7],
  ['25P03', 'E_STORE_UNAVAILABLE', 7],
  ['08006', 'E_STORE_UNAVAILABLE', 7],
  ['ECONNREFUSED', 'E_STORE_UNAVAILABLE', 7],
  ['EHOSTUNREACH', 'E_STORE_UNAVAILABLE', 7],
  ['CONNECT_TIMEOUT', 'E_STORE_UNAVAILABLE', 7],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'E_STORE_UNREACHABLE', 3],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'E_STORE_UNREACHABLE', 3],
])('converts the server error %s to %s', (code, ours, exitCode) => {
  const options = createOptions({ url: 'postgres://ada:hunter2@db.example/work' });
  const error = fromPostgresError(Object.assign(new Error('as the server says'), { code }), options);
  expect(error).toMatchObject({ code: ours, exitCode });
  expect((error as Error).message).not.toContain('hunter2');
});

test('does not convert an error in a statement', () => {
  const error = Object.assign(new Error('syntax error'), { code: '42601' });
  expect(fromPostgresError(error, createOptions())).toBe(error);
});

describe('the last row of history in an entry of the log', () => {
  test.each([
    ['follows numbers that were rolled back', `select nextval('task_history_seq_seq'), nextval('task_history_seq_seq')`],
    ['is read where a sequence keeps numbers for each connection', 'alter sequence task_history_seq_seq cache 10'],
    ['is read where numbers have gaps', 'alter sequence task_history_seq_seq increment by 3'],
  ])('%s', async (_, statement) => {
    const app = await openApp({ tasks: ['T001', 'T002'] });
    await app.tamper(statement);
    for (const taskId of ['T001', 'T002']) {
      expect(await app.call('tasks.start', { taskId })).toMatchObject({ success: true });
      expect(await app.call('tasks.add', { title: 'Between', parent: 'T999' })).toMatchObject({ success: false });
      expect(await app.call('tasks.complete', { taskId })).toMatchObject({ task: { status: 'done' } });
    }
    expect(await app.call('admin.audit.verify')).toMatchObject({ chain: { ok: true, entries: 6 } });
    // Undo restores what the rows between two entries changed.
    expect(await app.call('admin.undo')).toMatchObject({ success: true });
    expect(await app.call('tasks.show', { taskId: 'T002' })).toMatchObject({ task: { status: 'active' } });
    expect(await app.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'done' } });
  });
});
