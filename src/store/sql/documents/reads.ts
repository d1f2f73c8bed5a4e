import { toTaskNumber } from '#core/model/scalars.ts';
import type { DocEncoding, DocFilter, DocHit, DocRecord, StaleCitation } from '#documents/model/doc.ts';
import { groupBy } from '#lib/collections.ts';
import type { DocReads } from '../../port/documents.ts';
import { countUpTo, queryInChunks } from '../queries.ts';
import { queryLists } from '../query-lists.ts';
import { type Db, joinSql, omitNull, raw, type Sql, type SqlRow, sql } from '../sql.ts';

const docRecordColumns = raw(
  'd.slug, d.kind, d.title, d.version, d.updated_at, d.created_at, d.created_by, v.digest, c.size from docs d join doc_versions v on v.slug = d.slug and v.version = d.version join doc_contents c on c.digest = v.digest',
);

export const createDocReads = (db: Db): DocReads => ({
  async listForTask(taskId) {
    return (
      await db.all(
        sql`select d.slug, d.kind, d.title, d.version, d.updated_at from doc_tasks l join docs d on d.slug = l.slug
            where l.task_id = ${taskId} order by d.updated_at desc, d.slug`,
      )
    ).map(toDocHit);
  },
  async get(slug) {
    const [row] = await db.all(sql`select ${docRecordColumns} where d.slug = ${slug}`);
    return row && toDocRecord(row);
  },
  async list(filter, page) {
    const found = await db.all(
      sql`select ${docRecordColumns}${whereDoc(filter)} order by d.updated_at desc, d.slug limit ${page.limit} offset ${page.offset}`,
    );
    return found.map(toDocRecord);
  },
  count: (filter, atMost) => countUpTo(db, sql`select 1 as one from docs d${whereDoc(filter)}`, atMost),
  async getVersion(slug, version) {
    const [row] = await db.all(
      sql`select v.version, v.path, v.at, v.agent_id, c.digest, c.encoding, c.size, c.content
          from doc_versions v join doc_contents c on c.digest = v.digest where v.slug = ${slug} and v.version = ${version}`,
    );
    return (
      row && {
        version: Number(row.version),
        ...omitNull({ path: row.path as string | null }),
        at: String(row.at),
        agentId: String(row.agent_id),
        digest: String(row.digest),
        encoding: row.encoding as DocEncoding,
        size: Number(row.size),
        content: String(row.content),
      }
    );
  },
  async listDigests(slug) {
    return (await db.all(sql`select distinct digest from doc_versions where slug = ${slug}`)).map((row) => String(row.digest));
  },
  async getTaskIds(slugs) {
    const found = await queryLists(db, slugs, (some) => sql`select slug as id, task_id as item from doc_tasks where slug in ${some}`);
    for (const ids of found.values()) ids.sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
    return found;
  },
  async getStaleCitations(slugs) {
    const found = await queryInChunks(
      db,
      slugs,
      (some) => sql`select c.by_id, m.id, m.superseded_by from citations c join memories m on m.id = c.memory_id
            where c.by_kind = 'doc' and c.by_id in ${some} and m.confirmation_state = 'superseded' order by m.seq`,
    );
    return new Map([...groupBy(found, (row) => String(row.by_id))].map(([slug, rows]) => [slug, rows.map(toStaleCitation)]));
  },
  async listSlugs(prefix, limit) {
    // A slug contains no pattern characters of `like`.
    const found = await db.all(sql`select slug from docs where slug like ${`${prefix}%`} order by slug limit ${limit}`);
    return found.map((row) => String(row.slug));
  },
  async countByKind() {
    const found = await db.all(sql`select kind, count(*) as n from docs group by kind order by kind`);
    return new Map(found.map((row) => [String(row.kind), Number(row.n)]));
  },
});

function whereDoc({ task, kind }: DocFilter): Sql {
  const conditions = [
    ...(task === undefined ? [] : [sql`d.slug in (select slug from doc_tasks where task_id = ${task})`]),
    ...(kind === undefined ? [] : [sql`d.kind = ${kind}`]),
  ];
  return conditions.length === 0 ? raw('') : sql` where ${joinSql(conditions, ' and ')}`;
}

const toDocHit = (row: SqlRow): DocHit => ({
  slug: String(row.slug),
  kind: String(row.kind),
  title: String(row.title),
  version: Number(row.version),
  updatedAt: String(row.updated_at),
});

const toStaleCitation = (row: SqlRow): StaleCitation => ({
  id: String(row.id),
  ...omitNull({ supersededBy: row.superseded_by as string | null }),
});

const toDocRecord = (row: SqlRow): DocRecord => ({
  ...toDocHit(row),
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  digest: String(row.digest),
  size: Number(row.size),
});
