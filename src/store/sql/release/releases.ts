import type { Changes } from '#core/model/audit.ts';
import { toTaskNumber } from '#core/model/scalars.ts';
import type { ReleaseRecord } from '#release/model/release.ts';
import type { ReleaseReads, ReleaseWrites } from '../../port/release.ts';
import { listRows } from '../list-rows.ts';
import { type Db, omitNull, type SqlRow, splitChunks, sql, toId } from '../sql.ts';
import { isNotCancelled } from '../tasks/open-graph.ts';
import { withSubtree } from '../tasks/subtree.ts';

export function createReleaseReads(db: Db): ReleaseReads {
  return {
    async get(version) {
      const [row] = await db.all(sql`select * from releases where version = ${version}`);
      return row && toRelease(row);
    },
    async list(page) {
      const found = await db.all(sql`
        select r.*, (select count(*) from release_tasks t where t.version = r.version) as task_count from releases r
        order by r.created_at desc, r.version limit ${page.limit} offset ${page.offset}`);
      return found.map((row) => ({ ...toRelease(row), taskCount: Number(row.task_count) }));
    },
    async count() {
      const [row] = await db.all(sql`select count(*) as n from releases`);
      return Number(row?.n);
    },
    async listTaskIds(version) {
      const found = await db.all(sql`select task_id from release_tasks where version = ${version}`);
      return found.map((row) => String(row.task_id)).sort((a, b) => toTaskNumber(a) - toTaskNumber(b));
    },
    async listUnreleased(root) {
      const isUnreleased = sql`t.status = 'done' and ${isNotCancelled} and not exists (select 1 from release_tasks r where r.task_id = t.id) order by t.seq`;
      const found = root
        ? await db.all(sql`${withSubtree(root)} select t.id from below cross join tasks t where t.id = below.id and ${isUnreleased}`)
        : await db.all(sql`select t.id from tasks t where ${isUnreleased}`);
      return found.map(toId);
    },
  };
}

export function createReleaseWrites(db: Db, changes: Changes): ReleaseWrites {
  return {
    async insert(release, tasks) {
      const { version, status, epicId, changelog, steps, createdAt, createdBy } = release;
      await db.run(sql`
        insert into releases (version, status, epic_id, changelog, steps, created_at, created_by)
        values (${version}, ${status}, ${epicId}, ${changelog}, ${JSON.stringify(steps)}, ${createdAt}, ${createdBy})`);
      for (const some of splitChunks(tasks, 200))
        await db.run(sql`insert into release_tasks (version, task_id) values ${listRows(some.map((id) => [version, id]))}`);
      changes.created.push(version);
    },
    async save({ version, status, steps, shippedAt, commit, tag, provenance }) {
      await db.run(sql`
        update releases set status = ${status}, steps = ${JSON.stringify(steps)}, shipped_at = ${shippedAt}, commit_sha = ${commit}, tag = ${tag},
          provenance = ${provenance && JSON.stringify(provenance)}
        where version = ${version}`);
    },
  };
}

const toRelease = (row: SqlRow): ReleaseRecord => ({
  version: String(row.version),
  status: row.status as ReleaseRecord['status'],
  ...omitNull({ epicId: row.epic_id as string | null }),
  changelog: String(row.changelog),
  steps: JSON.parse(String(row.steps)),
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  ...omitNull({ shippedAt: row.shipped_at as string | null, commit: row.commit_sha as string | null, tag: row.tag as string | null }),
  ...(row.provenance === null || row.provenance === undefined ? {} : { provenance: JSON.parse(String(row.provenance)) }),
});
