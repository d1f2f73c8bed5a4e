import type { RelationType, TaskId } from '#core/model/scalars.ts';
import type { DocEncoding } from '#documents/model/doc.ts';
import { groupBy } from '#lib/collections.ts';
import type { PlanKind } from '#transfer/model/plan.ts';
import type { DeletedTaskRow, PlanPosition, PlanReads, PlanRow } from '../../port/plan.ts';
import { toMemoryRecord } from '../memory/rows.ts';
import { queryInChunks } from '../queries.ts';
import { queryLists } from '../query-lists.ts';
import { readSessions } from '../sessions/lazy-reads.ts';
import { type Db, listValues, omitNull, raw, type SqlRow, sql, toId } from '../sql.ts';
import { attemptColumns, roundColumns, toAttempt, toRounds } from '../verification/gates.ts';

const positionName = 'plan.position';

export function createPlanReads(db: Db): PlanReads {
  const readIds = async (ids: string[], from: 'id' | 'uid', to: 'id' | 'uid'): Promise<Map<string, string>> => {
    const found = await queryInChunks(db, ids, (some) => sql`select id, uid from tasks where ${raw(from)} in ${some}`);
    return new Map(found.map((row) => [String(row[from]), String(row[to])]));
  };
  return {
    async getSyncedPosition() {
      const [row] = await db.all(sql`select value from store_facts where name = ${positionName}`);
      return row && (JSON.parse(String(row.value)) as PlanPosition);
    },
    async getPosition(at) {
      const [row] = await db.all(sql`
        select (select coalesce(max(seq), 0) from task_history) as history, (select coalesce(max(seq), 0) from task_gates) as evidence,
          (select coalesce(max(seq), 0) from audit_log) as audit`);
      return { history: Number(row?.history), evidence: Number(row?.evidence), audit: Number(row?.audit), at };
    },
    async listFileStats(tree) {
      const records = tree
        ? sql`(select r.kind, r.uid, f.file_stat from plan_records r
            left join plan_files f on f.tree = ${tree} and f.kind = r.kind and f.uid = r.uid) records`
        : raw('plan_records');
      // One text instead of tens of thousands of rows, which take longer to create than to read.
      const [row] = await db.all(
        sql`select string_agg(kind || ' ' || uid || ' ' || coalesce(file_stat, ''), ${'\n'}) as lines from ${records}`,
      );
      return row?.lines ? String(row.lines).split('\n').map(parseStatLine) : [];
    },
    listTrees: async () => (await db.all(sql`select distinct tree as id from plan_files`)).map(toId),
    async listSummaries() {
      return (await db.all(sql`select kind, uid, summary, outcome from plan_records`)).map((row) => ({
        kind: row.kind as PlanKind,
        uid: String(row.uid),
        summary: String(row.summary),
        ...omitNull({ outcome: row.outcome as string | null }),
      }));
    },
    async getRows(kind, uids) {
      const found = await queryInChunks(
        db,
        uids,
        (some) => sql`select ${rowColumns} from plan_records where kind = ${kind} and uid in ${some}`,
      );
      return found.map(toPlanRow);
    },
    listAllRows: async (kind) =>
      (await db.all(sql`select ${rowColumns} from plan_records where kind = ${kind} order by uid`)).map(toPlanRow),
    async listChangedTasks(since) {
      if (!since) return (await db.all(sql`select id from tasks order by seq`)).map(toId);
      const found = await db.all(sql`
        select id from tasks where id in (
          select task_id from task_history where seq > ${since.history}
          union select task_id from task_gates where seq > ${since.evidence}
          union select task_id from claims where claimed_at >= ${since.at})
        order by seq`);
      return found.map(toId);
    },
    async listDeletedTasks(since) {
      const found = await db.all(sql`
        select task_id, at, by_agent, old_value from task_history where seq > ${since.history} and field = 'deleted' order by seq`);
      const deleted = found.map((row): DeletedTaskRow => {
        const { record } = JSON.parse(String(row.old_value)) as { record: { uid: string } };
        return { id: String(row.task_id), uid: record.uid, at: String(row.at), by: String(row.by_agent) };
      });
      const present = await readIds(
        deleted.map(({ uid }) => uid),
        'uid',
        'id',
      );
      return deleted.filter(({ uid }) => !present.has(uid));
    },
    async listChangedDomains(since) {
      const found = await db.all(sql`select distinct domain as id from audit_log where seq > ${since.audit} and success = 1`);
      return found.map(toId);
    },
    async listEditTimes(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select task_id, field, max(at) as at from task_history where task_id in ${some} group by task_id, field`,
      );
      return new Map(
        [...groupBy(found, (row) => String(row.task_id))].map(([id, rows]) => [
          id,
          new Map(rows.map((row) => [String(row.field), String(row.at)])),
        ]),
      );
    },
    getTaskIds: (uids) => readIds(uids, 'uid', 'id'),
    getTaskUids: (ids) => readIds(ids, 'id', 'uid'),
    async listRelationsFrom(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`
          select task_id, related_to, relation_type, reason, created_at, created_by from task_relations where task_id in ${some}
          order by task_id, related_to, relation_type`,
      );
      return found.map((row) => ({
        from: String(row.task_id),
        to: String(row.related_to),
        type: row.relation_type as RelationType,
        reason: String(row.reason),
        at: String(row.created_at),
        by: String(row.created_by),
      }));
    },
    async listAttempts(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select task_id, ${attemptColumns} from task_gates where task_id in ${some} order by seq`,
      );
      return new Map([...groupBy(found, (row) => String(row.task_id))].map(([id, rows]) => [id, rows.map(toAttempt)]));
    },
    async listRounds(ids) {
      const found = await queryInChunks(
        db,
        ids,
        (some) => sql`select task_id, ${roundColumns} from task_verifications where task_id in ${some}`,
      );
      return new Map(found.map((row): [TaskId, ReturnType<typeof toRounds>] => [String(row.task_id), toRounds(row)]));
    },
    async listMemory(types) {
      if (types.length === 0) return [];
      const rows = await db.all(sql`select * from memories where type in ${listValues(types)} order by seq`);
      const ids = rows.map(toId);
      const tags = await queryLists(
        db,
        ids,
        (some) => sql`select memory_id as id, tag as item from memory_tags where memory_id in ${some} order by tag`,
      );
      const tasks = await queryLists(
        db,
        ids,
        (some) => sql`select memory_id as id, task_id as item from memory_tasks where memory_id in ${some} order by task_id`,
      );
      return rows.map((row) => toMemoryRecord(row, tags.get(toId(row)) ?? [], tasks.get(toId(row)) ?? []));
    },
    async listDocuments() {
      const docs = await db.all(sql`select slug, kind, title, created_at, created_by, updated_at from docs order by slug`);
      const slugs = docs.map((row) => String(row.slug));
      const versions = groupBy(
        await queryInChunks(
          db,
          slugs,
          (some) => sql`
            select v.slug, v.digest, v.path, v.at, v.agent_id, c.encoding, c.size from doc_versions v join doc_contents c on c.digest = v.digest
            where v.slug in ${some} order by v.slug, v.version`,
        ),
        (row) => String(row.slug),
      );
      const tasks = await queryLists(
        db,
        slugs,
        (some) => sql`select slug as id, task_id as item from doc_tasks where slug in ${some} order by task_id`,
      );
      return docs.map((row) => {
        const slug = String(row.slug);
        return {
          slug,
          kind: String(row.kind),
          title: String(row.title),
          createdAt: String(row.created_at),
          createdBy: String(row.created_by),
          updatedAt: String(row.updated_at),
          versions: (versions.get(slug) ?? []).map((version) => ({
            digest: String(version.digest),
            ...omitNull({ path: version.path as string | null }),
            at: String(version.at),
            by: String(version.agent_id),
            encoding: version.encoding as DocEncoding,
            size: Number(version.size),
          })),
          tasks: tasks.get(slug) ?? [],
        };
      });
    },
    async getContent(digest) {
      const [row] = await db.all(sql`select encoding, content from doc_contents where digest = ${digest}`);
      return row && { encoding: row.encoding as DocEncoding, content: String(row.content) };
    },
    listHandoffs: () => readSessions(db, raw(`where status = 'ended' and handoff is not null order by ended_at, seq`)),
    async countHandoffs() {
      const [row] = await db.all(sql`select count(*) as n from sessions where status = 'ended' and handoff is not null`);
      return Number(row?.n);
    },
  };
}

const rowColumns = raw('kind, uid, record, projected, summary, outcome, file_stat');

function parseStatLine(line: string): Pick<PlanRow, 'kind' | 'uid' | 'fileStat'> {
  const end = line.indexOf(' ');
  const next = line.indexOf(' ', end + 1);
  const key = { kind: line.slice(0, end) as PlanKind, uid: line.slice(end + 1, next) };
  return next === line.length - 1 ? key : { ...key, fileStat: line.slice(next + 1) };
}

function toStatRow(row: SqlRow): Pick<PlanRow, 'kind' | 'uid' | 'fileStat'> {
  const key = { kind: row.kind as PlanKind, uid: row.uid as string };
  return row.file_stat === null ? key : { ...key, fileStat: row.file_stat as string };
}

const toPlanRow = (row: SqlRow): PlanRow => ({
  ...toStatRow(row),
  record: String(row.record),
  summary: String(row.summary),
  ...omitNull({ projected: row.projected as string | null, outcome: row.outcome as string | null }),
});
