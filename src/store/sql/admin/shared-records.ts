import type { SharedRecordState } from '#core/model/shared-records.ts';
import type { SharedRecordReads, SharedRecordWrites } from '../../port/shared-records.ts';
import type { Stamp } from '../../port/store.ts';
import { type Db, joinSql, listValues, splitChunks, sql } from '../sql.ts';

/** Contents that are read with one statement, so that the memory does not grow with the number of records. */
const maxNames = 200;

export const createSharedRecordReads = (db: Db): SharedRecordReads => ({
  async list(kind) {
    const rows = await db.all(sql`select name, hash, size, state from shared_records where kind = ${kind} order by seq`);
    return rows.map((row) => ({
      name: String(row.name),
      hash: String(row.hash),
      size: Number(row.size),
      state: row.state as SharedRecordState,
    }));
  },
  async readContents(kind, names) {
    const found: Awaited<ReturnType<SharedRecordReads['readContents']>> = [];
    for (const some of splitChunks(names, maxNames)) {
      const rows = await db.all(
        sql`select name, encoding, content from shared_records
            where kind = ${kind} and name in ${listValues(some)} and content is not null`,
      );
      for (const row of rows)
        found.push({ name: String(row.name), encoding: row.encoding as 'utf8' | 'base64', content: String(row.content) });
    }
    return found;
  },
  async listSettings() {
    const rows = await db.all(sql`select name, content from shared_records where kind = 'settings' and state = 'stored' order by name`);
    return rows.map((row) => ({ key: String(row.name), value: String(row.content) }));
  },
});

export const createSharedRecordWrites = (db: Db, stamp: Stamp): SharedRecordWrites => ({
  async save(kind, records) {
    for (const some of splitChunks(records, maxNames)) {
      const [row] = await db.all(sql`select coalesce(max(seq), 0) as last from shared_records`);
      const rows = some.map(({ name, hash, size, stored, replaces }, i) => {
        const own = sql`${Number(row?.last) + 1 + i}`;
        const seq =
          replaces === undefined
            ? own
            : sql`coalesce((select seq from shared_records where kind = ${kind} and name = ${replaces}), ${own})`;
        return sql`(${kind}, ${name}, ${seq}, ${stored ? 'stored' : 'omitted'}, ${hash}, ${size}, ${stored?.encoding ?? 'utf8'},
          ${stored?.content}, ${stamp.by}, ${stamp.at})`;
      });
      await db.run(sql`
        insert into shared_records (kind, name, seq, state, hash, size, encoding, content, agent_id, at) values ${joinSql(rows, ', ')}
        on conflict (kind, name) do update set
          seq = case when shared_records.state = 'removed' then excluded.seq else shared_records.seq end,
          state = excluded.state, hash = excluded.hash, size = excluded.size, encoding = excluded.encoding, content = excluded.content,
          agent_id = excluded.agent_id, at = excluded.at`);
    }
    return [];
  },
  async remove(kind, names) {
    for (const some of splitChunks(names, maxNames))
      await db.run(
        sql`update shared_records set state = 'removed', content = null, agent_id = ${stamp.by}, at = ${stamp.at}
            where kind = ${kind} and name in ${listValues(some)}`,
      );
  },
  omitBefore: (kind, at) =>
    db.run(sql`update shared_records set state = 'omitted', content = null where kind = ${kind} and state = 'stored' and at < ${at}`),
  clear: () => db.run(sql`delete from shared_records`),
});
