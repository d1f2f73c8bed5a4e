import { seqOf, type TaskId } from '#core/model/scalars.ts';
import type { DocEncoding, DocFilter, DocHit, DocRecord, StaleCitation } from '#documents/model/doc.ts';
import type { DocReads } from '../port-knowledge.ts';
import { chunks, type Db, inList, join, type Row, raw, type Sql, sql } from './sql.ts';
import { present } from './task-rows.ts';

const recordColumns = raw(
  'd.slug, d.kind, d.title, d.version, d.updated_at, d.created_at, d.created_by, v.digest, c.size from docs d join doc_versions v on v.slug = d.slug and v.version = d.version join doc_contents c on c.digest = v.digest',
);

export const docReads = (db: Db): DocReads => ({
  async of(taskId) {
    return (
      await db.all(
        sql`select d.slug, d.kind, d.title, d.version, d.updated_at from doc_tasks l join docs d on d.slug = l.slug
            where l.task_id = ${taskId} order by d.updated_at desc, d.slug`,
      )
    ).map(toHit);
  },
  async get(slug) {
    const [row] = await db.all(sql`select ${recordColumns} where d.slug = ${slug}`);
    return row && toRecord(row);
  },
  async list(filter, page) {
    const found = await db.all(
      sql`select ${recordColumns}${matching(filter)} order by d.updated_at desc, d.slug limit ${page.limit} offset ${page.offset}`,
    );
    return found.map(toRecord);
  },
  async count(filter, atMost) {
    const [row] = await db.all(sql`select count(*) as n from (select 1 from docs d${matching(filter)} limit ${atMost + 1}) as found`);
    return Number(row?.n);
  },
  async version(slug, version) {
    const [row] = await db.all(
      sql`select v.version, v.path, v.at, v.agent_id, c.digest, c.encoding, c.size, c.content
          from doc_versions v join doc_contents c on c.digest = v.digest where v.slug = ${slug} and v.version = ${version}`,
    );
    return (
      row && {
        version: Number(row.version),
        ...present('path', row.path as string | null),
        at: String(row.at),
        agentId: String(row.agent_id),
        digest: String(row.digest),
        encoding: row.encoding as DocEncoding,
        size: Number(row.size),
        content: String(row.content),
      }
    );
  },
  async digests(slug) {
    return (await db.all(sql`select distinct digest from doc_versions where slug = ${slug}`)).map((row) => String(row.digest));
  },
  async tasks(slugs) {
    const found = new Map<string, TaskId[]>();
    for (const some of chunks(slugs, 500))
      for (const row of await db.all(sql`select slug, task_id from doc_tasks where slug in ${inList(some)}`))
        put(found, String(row.slug), String(row.task_id));
    for (const ids of found.values()) ids.sort((a, b) => seqOf(a) - seqOf(b));
    return found;
  },
  async stale(slugs) {
    const found = new Map<string, StaleCitation[]>();
    for (const some of chunks(slugs, 500))
      for (const row of await db.all(
        sql`select c.by_id, m.id, m.superseded_by from citations c join memories m on m.id = c.memory_id
            where c.by_kind = 'doc' and c.by_id in ${inList(some)} and m.confirmation_state = 'superseded' order by m.seq`,
      ))
        put(found, String(row.by_id), { id: String(row.id), ...present('supersededBy', row.superseded_by as string | null) });
    return found;
  },
  async slugs(beginning, limit) {
    // No character of a slug means anything to `like`.
    const found = await db.all(sql`select slug from docs where slug like ${`${beginning}%`} order by slug limit ${limit}`);
    return found.map((row) => String(row.slug));
  },
  async countsByKind() {
    const found = await db.all(sql`select kind, count(*) as n from docs group by kind order by kind`);
    return new Map(found.map((row) => [String(row.kind), Number(row.n)]));
  },
});

function matching({ task, kind }: DocFilter): Sql {
  const conditions = [
    ...(task === undefined ? [] : [sql`d.slug in (select slug from doc_tasks where task_id = ${task})`]),
    ...(kind === undefined ? [] : [sql`d.kind = ${kind}`]),
  ];
  return conditions.length === 0 ? raw('') : sql` where ${join(conditions, ' and ')}`;
}

function put<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

export const toHit = (row: Row): DocHit => ({
  slug: String(row.slug),
  kind: String(row.kind),
  title: String(row.title),
  version: Number(row.version),
  updatedAt: String(row.updated_at),
});

const toRecord = (row: Row): DocRecord => ({
  ...toHit(row),
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  digest: String(row.digest),
  size: Number(row.size),
});
