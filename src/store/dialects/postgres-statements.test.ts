import { Socket } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { combineReads, splitCombinedRow } from '../sql/combine-reads.ts';
import { listValues, type Sql, sql } from '../sql/sql.ts';
import { openPostgres, type PostgresOptions } from './postgres.ts';
import { type Connection, openConnection } from './postgres-connection.ts';
import { createPostgres } from './postgres-schema.ts';
import { beginTransaction, type Transaction, toQuery } from './postgres-transaction.ts';

let options: PostgresOptions;
beforeAll(async () => {
  options = { url: inject('databaseUrl'), schema: `cleo_s${process.pid}`, busyTimeoutMs: 2000 };
  await createPostgres(options, 'x');
});
afterAll(async () => {
  const client = postgres(options.url, { max: 1, onnotice: () => {} });
  await client.unsafe(`drop schema "${options.schema}" cascade`);
  await client.end({ timeout: 5 });
});

async function withConnection<T>(more: Partial<PostgresOptions>, work: (connection: Connection, begin: () => Transaction) => Promise<T>) {
  const all = { ...options, ...more };
  const connection = openConnection(all);
  try {
    return await work(connection, () => beginTransaction(connection, all, { isWrite: false, leftMs: 1000, applicationName: undefined }));
  } finally {
    await connection.end();
  }
}

const reads: Sql[] = [
  sql`select ${'a "quote" \\ \n 🙂 עברית'} as text, ${null} as nothing, cast(${'9007199254740991'} as bigint) as big, cast(${7} as integer) as small`,
  sql`select column1 as n from (values (1), (2), (3)) given where column1 > ${1} order by n desc`,
  sql`select name from store_facts where name = ${'no such fact'}`,
  sql`with recursive up (n) as (select 1 union all select n + 1 from up where n < ${3}) select count(*) as n, sum(n) as total from up`,
  sql`select name from store_facts where name in ${listValues(['replica', 'x'])} limit ${5}`,
  sql`select cast('{"a":[1,null]}' as json) as document, true as yes`,
];

test('a combined read has the rows that its reads have', async () => {
  await withConnection({}, async (connection, begin) => {
    const { db, endRead } = begin();
    const single = [];
    for (const read of reads) single.push(await db.all(read));
    const [row] = await db.all(combineReads(reads));
    // The driver returns a sum of bigints as text; every reader converts numbers.
    single[3]![0]!.total = Number(single[3]![0]!.total);
    expect(splitCombinedRow(row, reads.length)).toEqual(single);
    await endRead();
    expect(connection.isLost()).toBe(false);
  });
});

test('joins the reads of one turn in one message, and answers each of them', async () => {
  await withConnection({}, async (connection, begin) => {
    const sent: string[] = [];
    const counted = begin();
    await counted.db.all(sql`select 1 as n`);
    const query = connection.query.bind(connection);
    connection.query = (text, values) => {
      sent.push(text);
      return query(text, values);
    };
    counted.db.joinReads?.();
    const answers = await Promise.all(reads.slice(0, 3).map((read) => counted.db.all(read)));
    expect(sent).toHaveLength(1);
    expect(answers.map((rows) => rows.length)).toEqual([1, 2, 0]);
    await counted.db.all(sql`select 2 as n`);
    expect(sent).toEqual([expect.any(String), 'select 2 as n']);
    await counted.endRead();
  });
});

test('sends writes, and the reads that are requested after them, in one packet', async () => {
  await withConnection({}, async (_, begin) => {
    const { db, endRead } = begin();
    await db.all(sql`select 1 as n`);
    const written = vi.spyOn(Socket.prototype, 'write');
    try {
      await db.run(sql`select set_config('cleo.one', ${'1'}, true)`);
      await db.run(sql`select set_config('cleo.two', ${'2'}, true)`);
      db.joinReads?.();
      const [one, two] = await Promise.all(['cleo.one', 'cleo.two'].map((name) => db.all(sql`select current_setting(${name}) as value`)));
      expect([one, two]).toEqual([[{ value: '1' }], [{ value: '2' }]]);
      expect(written.mock.contexts.filter((socket) => (socket as Socket).remotePort !== undefined)).toHaveLength(1);
    } finally {
      written.mockRestore();
    }
    await endRead();
  });
});

test('a read ahead that was not sent when the transaction ends is never sent', async () => {
  await withConnection({}, async (connection, begin) => {
    const transaction = begin();
    await transaction.db.all(sql`select 1 as n`);
    const late = expect(transaction.ahead.all(sql`select 'late' as n`)).rejects.toThrow('ended');
    await transaction.endRead();
    await late;
    await expect(transaction.ahead.all(sql`select 'later' as n`)).rejects.toThrow('ended');
    expect(
      await connection.query('select count(*) as n from pg_stat_activity where pid = pg_backend_pid() and query like $1', ['%late%']),
    ).toEqual([{ n: 0 }]);
  });
});

test.each([
  [true, 'keeps the plans of repeated statements', 1],
  [false, 'leaves no statement on a server that a pooler may be in front of', 0],
])('with keepsPlans %s it %s', async (keepsPlans, _, kept) => {
  await withConnection({ keepsPlans, url: inject('serverUrl') }, async (connection, begin) => {
    for (let i = 0; i < 4; i++) {
      const { db, endRead } = begin();
      // The server reports these types of the values of a statement that it keeps.
      const values = sql`select cast(${'{"a":1}'} as json) as document, cast(${'true'} as boolean) as yes, ${i} as n`;
      expect(await db.all(values)).toEqual([{ document: { a: 1 }, yes: true, n: String(i) }]);
      await endRead();
    }
    const named = await connection.query(`select statement from pg_prepared_statements where statement like '%document%'`);
    expect(named).toHaveLength(kept);
  });
});

test('the settings of a connection that keeps plans survive a rollback', async () => {
  const store = openPostgres({ ...options, keepsPlans: true });
  const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'ada' };
  try {
    for (let i = 0; i < 6; i++) {
      const fails = store.write(stamp, async () => {
        throw new Error('on purpose');
      });
      await expect(fails).rejects.toThrow('on purpose');
    }
    expect(await store.write(stamp, (writes) => writes.tasks.nextId())).toMatch(/^T/);
  } finally {
    await store.close();
  }
  await withConnection({ keepsPlans: true, url: inject('serverUrl') }, async (connection, begin) => {
    for (let i = 0; i < 3; i++) {
      const { db, endRead } = begin();
      const names = ['search_path', 'idle_in_transaction_session_timeout', 'random_page_cost', 'lock_timeout'];
      const rows = await db.all(sql`select name, setting from pg_settings where name in ${listValues(names)} order by name`);
      expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
        search_path: `"${options.schema}", public`.replaceAll(/"(\w+)"/g, '$1'),
        idle_in_transaction_session_timeout: '5000',
        random_page_cost: '1.1',
        lock_timeout: '1000',
      });
      await endRead();
    }
    expect(connection.keepsPlans()).toBe(true);
  });
});

test('a plan that a migration made invalid is made again', async () => {
  const store = openPostgres({ ...options, keepsPlans: true });
  const list = () => store.read(({ tokens }) => tokens.listRevokedAfter('2026-01-01'));
  const client = postgres(options.url, { max: 1, onnotice: () => {} });
  try {
    for (let i = 0; i < 4; i++) await list();
    await client.unsafe(`alter table "${options.schema}".tokens add column later text`);
    expect(await list()).toEqual([]);
    await client.unsafe(`alter table "${options.schema}".tokens drop column later`);
    expect(await list()).toEqual([]);
  } finally {
    await client.end({ timeout: 5 });
    await store.close();
  }
});

test('does not name statements if the process is not that of the login, as behind a pooler', async () => {
  await withConnection({ keepsPlans: true }, async (connection, begin) => {
    connection.getProcessId = () => 1;
    for (let i = 0; i < 4; i++) {
      const { db, endRead } = begin();
      await db.all(sql`select ${i} as pooled`);
      await endRead();
    }
    expect(await connection.query(`select statement from pg_prepared_statements where statement like '%pooled%'`)).toEqual([]);
  });
});

test.each([false, true])('with keepsPlans %s a write whose last statement fails does not roll back the next one', async (keepsPlans) => {
  const store = openPostgres({ ...options, keepsPlans });
  const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'ada' };
  try {
    const before = await store.write(stamp, (writes) => writes.tasks.nextId());
    // The same key twice: the error of the second insert arrives after the commit was sent.
    const save = { paramsHash: 'x', at: stamp.at, answer: '{}' };
    const failing = Array.from({ length: 5 }, () =>
      store.write(stamp, async (writes) => {
        await writes.tasks.nextId();
        const relation = { from: 'T999', to: 'T998', type: 'relates', at: stamp.at, by: 'ada' } as never;
        await writes.tasks.relate(relation, 'created' as never);
        await writes.keys.save('x', 'y', save);
      }),
    );
    const passing = Array.from({ length: 5 }, () => store.write(stamp, (writes) => writes.tasks.nextId()));
    const failed = await Promise.allSettled(failing);
    expect(failed.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    const ids = await Promise.all(passing);
    expect(new Set(ids).size).toBe(5);
    const next = await store.write(stamp, (writes) => writes.tasks.nextId());
    expect(Number(next.slice(1)) - Number(before.slice(1))).toBe(6);
  } finally {
    await store.close();
  }
});

describe('a connection that keeps plans', () => {
  const withPipeline: typeof withConnection = (more, work) =>
    withConnection({ keepsPlans: true, url: inject('serverUrl'), ...more }, async (connection, begin) => {
      const { db, endRead } = begin();
      await db.all(sql`select 1 as n`);
      await endRead();
      expect(connection.keepsPlans()).toBe(true);
      return work(connection, begin);
    });

  test('answers all statements of a turn in one packet', async () => {
    await withPipeline({}, async (connection) => {
      const received = vi.fn();
      const written = vi.spyOn(Socket.prototype, 'write');
      try {
        const first = connection.query('select 1 as n');
        await new Promise(setImmediate);
        const socket = written.mock.contexts.find((one) => (one as Socket).remotePort !== undefined) as Socket;
        await first;
        socket.on('data', received);
        const answers = await Promise.all([2, 3, 4].map((n) => connection.query('select cast($1 as integer) as n', [n])));
        expect(answers).toEqual([[{ n: 2 }], [{ n: 3 }], [{ n: 4 }]]);
        expect(received).toHaveBeenCalledTimes(1);
      } finally {
        written.mockRestore();
      }
    });
  });

  test('reads long texts, whose answer arrives in many parts', async () => {
    await withPipeline({}, async (connection) => {
      const text = 'a "quote" \\ \n 🙂 עברית '.repeat(50_000);
      for (let i = 0; i < 3; i++) {
        const [[row], rows] = await Promise.all([
          connection.query('select $1 as text, null as nothing, cast($2 as bigint) as big', [text, 9007199254740991]),
          connection.query('select n, repeat($1, 50) as text from generate_series(1, 2000) n', ['🙂']),
        ]);
        expect(row).toEqual({ text, nothing: null, big: 9007199254740991 });
        expect(rows).toHaveLength(2000);
        expect(rows[1999]).toEqual({ n: 2000, text: '🙂'.repeat(50) });
      }
    });
  });

  test('skips the statements after one that failed, and runs the next transaction', async () => {
    await withPipeline({}, async (connection) => {
      const run = (): Promise<PromiseSettledResult<unknown>[]> =>
        Promise.allSettled([
          connection.query('begin'),
          connection.query('select 1 / cast($1 as integer) as n', [0]),
          connection.query('select 2 as skipped'),
          connection.endTransaction('rollback'),
          connection.query('select 3 as next'),
        ]);
      for (let i = 0; i < 4; i++) {
        const [, failed, skipped, ended, next] = await run();
        expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012', message: 'division by zero' } });
        expect(skipped).toMatchObject({ status: 'rejected', reason: { code: '25P02' } });
        expect(ended?.status).toBe('fulfilled');
        expect(next).toEqual({ status: 'fulfilled', value: [{ next: 3 }] });
      }
      // The server never parsed it in the first two rounds.
      expect(await connection.query('select 2 as skipped')).toEqual([{ skipped: 2 }]);
    });
  });

  test('repeats a transaction with a statement whose plan was not kept, because one before it had failed', async () => {
    const store = openPostgres({ ...options, url: inject('serverUrl'), keepsPlans: true });
    const stamp = { at: '2026-01-01T00:00:00.000Z', by: 'ada' };
    const relation = { from: 'T999', to: 'T998', type: 'relates', at: stamp.at, by: 'ada' } as never;
    const fail = () => store.write(stamp, (writes) => writes.tasks.relate(relation, 'created' as never).then(() => writes.jobs.finish(1)));
    try {
      for (let i = 0; i < 4; i++) {
        const failing = fail();
        const passing = store.write(stamp, (writes) => writes.jobs.finish(1));
        await expect(failing).rejects.toThrow('not-null constraint');
        await passing;
      }
    } finally {
      await store.close();
    }
  });

  test('rejects what waits for an answer when the connection is lost', async () => {
    await withPipeline({}, async (connection) => {
      const [waiting, second] = [connection.query('select pg_sleep(60)'), connection.query('select 1 as n')];
      const [end] = await Promise.allSettled([waiting, second, terminate(connection.getProcessId()!)]);
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'CONNECTION_CLOSED' } });
      await expect(second).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      await expect(connection.query('select 1 as n')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      expect(connection.isLost()).toBe(true);
    });
  });
});

async function terminate(processId: number): Promise<void> {
  const client = postgres(inject('serverUrl'), { max: 1, onnotice: () => {} });
  await client.unsafe(`select pg_terminate_backend(${processId})`);
  await client.end({ timeout: 5 });
}

test('toQuery numbers the values of a combined statement in order', () => {
  const [text, values] = toQuery(combineReads([sql`select ${1} as a`, sql`select ${2} as b, ${3} as c`]));
  expect(text).toContain('select $1 as a');
  expect(text).toContain('select $2 as b, $3 as c');
  expect(values).toEqual([1, 2, 3]);
});
