import postgres from 'postgres';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { PostgresOptions } from '../../dialects/postgres.ts';
import { type Connection, openConnection } from '../../dialects/postgres-connection.ts';
import { createPostgres } from '../../dialects/postgres-schema.ts';
import { beginTransaction, readTogether, toQuery } from '../../dialects/postgres-transaction.ts';
import type { Db, Sql } from '../sql.ts';
import { createRankReads } from './rank-reads.ts';
import { createRankRefresher } from './rank-refresher.ts';

/** The plans of PostgreSQL depend on how large the tables are. A few thousand tasks are the size at which reading all of them looks cheap,
 *  although the statements need a few rows. `test/plans.test.ts` does the same for SQLite, which plans without statistics. */
const options: PostgresOptions = { url: inject('databaseUrl'), schema: `cleo_p${process.pid}`, busyTimeoutMs: 2000 };
const at = `'2026-01-01T00:00:00.000Z'`;
let connection: Connection;
beforeAll(async () => {
  await createPostgres(options, 'x');
  const client = postgres(options.url, { max: 1, onnotice: () => {} });
  await client
    .unsafe(
      `set search_path to "${options.schema}";
      insert into tasks (seq, id, type, title, status, priority, parent_id, created_at, created_by, updated_at, revision)
        select n, 'T' || lpad(cast(n as text), greatest(3, length(cast(n as text))), '0'), case n when 1 then 'epic' else 'task' end, 'Part', case when n % 3 = 0 then 'done' else 'pending' end,
          'medium', case when n > 1 and n % 2 = 0 then 'T001' end, ${at}, 'ada', ${at}, 1
        from generate_series(1, 4000) n;
      insert into task_ranks (task_id, bucket, parent_id, is_container, score_key, urgency_key)
        select id, E'\\n', coalesce(parent_id, ''), 0, 8000000000000 + seq, 8000000000000 + seq from tasks where status = 'pending' and seq > 1;
      insert into task_ranks (task_id, bucket, parent_id, is_container, score_key, urgency_key)
        values ('T001', E'\\n', '', 1, 7500000000002, 8000000000002);
      analyze tasks, task_ranks, task_dependencies`,
    )
    .simple();
  await client.end({ timeout: 5 });
  connection = openConnection(options);
});
afterAll(async () => {
  await connection.query(`drop schema "${options.schema}" cascade`);
  await connection.end();
});

/** Returns the steps of the plans of all statements of `ask` that read a whole table. */
async function listFullReads(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const { db, endRead } = beginTransaction(connection, options, { isWrite: false, leftMs: 1000, applicationName: undefined });
  const found: string[] = [];
  const explain = async (statement: Sql) => {
    const [text, values] = toQuery(statement);
    const steps = await connection.query(`explain (costs off) ${text}`, values);
    for (const step of steps)
      if (/Seq Scan on (tasks|task_ranks)/.test(String(step['QUERY PLAN']))) found.push(String(step['QUERY PLAN']).trim());
  };
  const explained: Db = {
    engine: 'postgres',
    all: async (statement) => {
      await explain(statement);
      return db.all(statement);
    },
    allWith: (tables, reads) => readTogether(explained, tables, reads),
    // The transaction only reads, and the statement is not run.
    run: explain,
  };
  await ask(explained);
  await endRead();
  return found;
}

const ids = Array.from({ length: 32 }, (_, i) => `T${String(i + 2).padStart(3, '0')}`);

test.each<[string, (db: Db) => Promise<unknown>]>([
  ['the buckets of the project', (db) => createRankReads(db).listBuckets(undefined, 'score')],
  ['the buckets of an epic', (db) => createRankReads(db).listBuckets('T001', 'urgency')],
  ['the best tasks', (db) => createRankReads(db).listBest({ root: undefined, bucket: '\n', order: 'score', limit: 32 })],
  ['the most urgent tasks', (db) => createRankReads(db).listBest({ root: undefined, bucket: '\n', order: 'urgency', limit: 128 })],
  ['the best tasks of an epic', (db) => createRankReads(db).listBest({ root: 'T001', bucket: '\n', order: 'score', limit: 32 })],
  ['the tasks that are due', (db) => createRankReads(db).listDue(undefined, 'score', '2026-01-01', 200)],
  ['the facts of a score', (db) => createRankReads(db).getScoreFacts(ids)],
  [
    'the ranks of a task that was completed',
    async (db) => {
      const ranks = createRankRefresher(db);
      ranks.mark(['T004'], ['T004']);
      await ranks.refresh();
    },
  ],
  ['the ranks of a task that will be completed', (db) => createRankRefresher(db).expectClosing('T004')],
  [
    'the ranks of several tasks',
    async (db) => {
      const ranks = createRankRefresher(db);
      ranks.mark(ids);
      await ranks.refresh();
    },
  ],
])('%s are found by keys in a project of 4,000 tasks', async (_, ask) => {
  expect(await listFullReads(ask)).toEqual([]);
});
