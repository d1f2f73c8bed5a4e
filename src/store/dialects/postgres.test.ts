import postgres from 'postgres';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { schemaVersion } from '../schema-version.ts';
import { asCleoError, createPostgres, openPostgres, type PostgresOptions } from './postgres.ts';

const optionsFor = (more: Partial<PostgresOptions> = {}): PostgresOptions => ({
  url: inject('databaseUrl'),
  schema: `cleo_d${process.pid}_${Math.random().toString(36).slice(2, 8)}`,
  busyTimeoutMs: 1000,
  ...more,
});

async function onServer(statements: string): Promise<void> {
  const client = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
  await client.unsafe(statements).simple();
  await client.end({ timeout: 5 });
}

const reading = async (options: PostgresOptions): Promise<unknown> => {
  const store = openPostgres(options);
  try {
    return await store.read((reads) => reads.audit.head());
  } finally {
    await store.close();
  }
};
const writing = async (options: PostgresOptions): Promise<unknown> => {
  const store = openPostgres(options);
  try {
    return await store.write({ at: 'x', by: 'x' }, (writes) => writes.tasks.nextId());
  } finally {
    await store.close();
  }
};
const refusal = (code: string, exitCode: number, message = '') =>
  expect.objectContaining({ code, exitCode, message: expect.stringContaining(message) });

describe('a store that cannot be used', () => {
  test('no schema on the server', async () => {
    await expect(reading(optionsFor())).rejects.toThrow(refusal('E_STORE_DAMAGED', 3, 'no schema'));
  });

  test('a newer and an older schema', async () => {
    const options = optionsFor();
    await createPostgres(options, 'x');
    await onServer(`insert into "${options.schema}".schema_migrations values (999, 'x', 'x')`);
    await expect(reading(options)).rejects.toThrow(refusal('E_STORE_NEWER', 8));
    await expect(writing(options)).rejects.toThrow(refusal('E_STORE_NEWER', 8));
    await expect(createPostgres(options, 'x')).rejects.toThrow(refusal('E_STORE_NEWER', 8));
    await onServer(
      `delete from "${options.schema}".schema_migrations; insert into "${options.schema}".schema_migrations values (0, 'x', 'x')`,
    );
    await expect(reading(options)).rejects.toThrow(refusal('E_STORE_OLDER', 8));
    await onServer(`drop schema "${options.schema}" cascade`);
  });

  test('a step of the schema that is not ours is not built upon', async () => {
    const options = optionsFor();
    await createPostgres(options, 'x');
    await onServer(`update "${options.schema}".schema_migrations set checksum = 'other'`);
    await expect(createPostgres(options, 'x')).rejects.toThrow(refusal('E_CHECKSUM_MISMATCH', 20));
    await onServer(`drop schema "${options.schema}" cascade`);
  });

  test.each([
    ['a port where nobody listens', 'postgres://127.0.0.1:1/none'],
    ['a host that is none', 'postgres://no-such-host.invalid/none'],
    ['no address at all', 'postgres://[::bad'],
  ])('%s', async (_, url) => {
    for (const use of [reading, writing, (options: PostgresOptions) => createPostgres(options, 'x')])
      await expect(use(optionsFor({ url }))).rejects.toThrow(refusal('E_STORE_UNREACHABLE', 3));
  });

  test('a database that is not there, and a user who is nobody', async () => {
    const { host, username } = new URL(inject('databaseUrl'));
    await expect(reading(optionsFor({ url: `postgres://${username}@${host}/no_such_database` }))).rejects.toThrow(
      refusal('E_STORE_UNREACHABLE', 3, 'no_such_database'),
    );
    await expect(reading(optionsFor({ url: `postgres://nobody_at_all:secret@${host}/postgres` }))).rejects.toThrow(
      refusal('E_STORE_UNREACHABLE', 3),
    );
  });
});

describe('a user without rights', () => {
  const role = `reader_${process.pid}`;
  beforeAll(async () => {
    await onServer(`drop role if exists ${role}; create role ${role} login`);
  });

  test('reads where it may read, and is 3 where it would have to write or make', async () => {
    const options = optionsFor();
    await createPostgres(options, 'x');
    await onServer(
      `grant usage on schema "${options.schema}" to ${role}; grant select on all tables in schema "${options.schema}" to ${role}`,
    );
    const { host } = new URL(options.url);
    const limited = { ...options, url: `postgres://${role}@${host}/postgres` };
    expect(await reading(limited)).toBeUndefined();
    await expect(writing(limited)).rejects.toThrow(refusal('E_FILE_ERROR', 3, 'does not allow it'));
    await expect(createPostgres({ ...limited, schema: `${options.schema}_b` }, 'x')).rejects.toThrow(
      refusal('E_FILE_ERROR', 3, 'permission denied'),
    );
    await onServer(`drop owned by ${role}; drop schema "${options.schema}" cascade; drop role ${role}`);
  });
});

test('a server that takes no writes', async () => {
  const options = optionsFor();
  await createPostgres(options, 'x');
  const url = `${options.url}?default_transaction_read_only=on`;
  expect(await reading({ ...options, url })).toBeUndefined();
  await expect(writing({ ...options, url })).rejects.toThrow(refusal('E_FILE_ERROR', 3, 'takes no writes'));
  await onServer(`drop schema "${options.schema}" cascade`);
});

test('a lock that is not had in time is 7, and nothing was changed', async () => {
  const app = await openApp({ tasks: ['T001'], config: { store: { busyTimeoutMs: 100 } } });
  const other = await app.beside();
  await other.write({ at: 'x', by: 'x' }, async () => {
    expect(await app.call('tasks.add', { title: 'Too late' })).toMatchObject({ error: { code: 'E_LOCK_TIMEOUT', exitCode: 7 } });
  });
  expect(await app.call('tasks.add', { title: 'In time' })).toMatchObject({ task: { id: 'T002' } });
});

test('making a schema that is there answers from where it came; of many at once one makes it', async () => {
  const options = optionsFor();
  const made = await Promise.all(Array.from({ length: 5 }, () => createPostgres(options, 'x')));
  expect(made.map(({ from }) => from).sort()).toEqual([0, ...Array(4).fill(schemaVersion)]);
  await onServer(`drop schema "${options.schema}" cascade`);
});

test.each([
  ['55P03', 'E_LOCK_TIMEOUT', 7],
  ['57014', 'E_LOCK_TIMEOUT', 7],
  ['53100', 'E_FILE_ERROR', 3],
  ['58030', 'E_FILE_ERROR', 3],
  ['25006', 'E_FILE_ERROR', 3],
  ['42501', 'E_FILE_ERROR', 3],
  ['XX001', 'E_STORE_DAMAGED', 3],
  ['XX002', 'E_STORE_DAMAGED', 3],
  ['53300', 'E_STORE_UNREACHABLE', 3],
  ['28P01', 'E_STORE_UNREACHABLE', 3],
  ['3D000', 'E_STORE_UNREACHABLE', 3],
  ['57P01', 'E_STORE_UNREACHABLE', 3],
  ['08006', 'E_STORE_UNREACHABLE', 3],
  ['ECONNREFUSED', 'E_STORE_UNREACHABLE', 3],
  ['EHOSTUNREACH', 'E_STORE_UNREACHABLE', 3],
  ['CONNECT_TIMEOUT', 'E_STORE_UNREACHABLE', 3],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'E_STORE_UNREACHABLE', 3],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'E_STORE_UNREACHABLE', 3],
])('%s is %s', (code, ours, exitCode) => {
  const options = optionsFor({ url: 'postgres://ada:hunter2@db.example/work' });
  const error = asCleoError(Object.assign(new Error('as the server says'), { code }), options);
  expect(error).toMatchObject({ code: ours, exitCode });
  expect((error as Error).message).not.toContain('hunter2');
});

test('what is nobody else’s fault stays what it is', () => {
  const error = Object.assign(new Error('syntax error'), { code: '42601' });
  expect(asCleoError(error, optionsFor())).toBe(error);
});
