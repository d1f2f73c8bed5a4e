import type { LockHolder } from '#core/model/lock-holder.ts';
import { type Db, omitNull, raw, sql } from '../sql.ts';

/** Finds the session that holds the write lock of the schema. A lock with a key of 64 bits is listed as two numbers of 32. */
export async function findLockHolder(db: Pick<Db, 'engine' | 'all'>, schema?: string): Promise<LockHolder | undefined> {
  if (db.engine === 'sqlite') return undefined;
  const name = schema === undefined ? raw('current_schema()') : sql`${schema}`;
  const [row] = await db.all(sql`
    select a.pid, floor(extract(epoch from clock_timestamp() - a.xact_start) * 1000) as held_ms, a.application_name as name, a.usename as "user", host(a.client_addr) as client, a.state,
      to_char(a.xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
      and (cast(cast(l.classid as bigint) as bit(64)) << 32 | cast(cast(l.objid as bigint) as bit(64))) = cast(hashtextextended(${name}, 0) as bit(64))
    limit 1`);
  if (!row) return undefined;
  const { pid, held_ms: heldMs, ...rest } = row;
  return {
    pid: Number(pid),
    ...(heldMs === null ? {} : { heldMs: Number(heldMs) }),
    ...omitNull(rest as Record<'name' | 'user' | 'client' | 'since' | 'state', string | null>),
  };
}
