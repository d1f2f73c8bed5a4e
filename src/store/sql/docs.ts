import type { DocHit } from '../../model/doc.ts';
import type { DocReads } from '../port-knowledge.ts';
import { type Db, type Row, sql } from './sql.ts';

export const docReads = (db: Db): DocReads => ({
  async of(taskId) {
    return (
      await db.all(
        sql`select d.slug, d.kind, d.title, d.version, d.updated_at from doc_tasks l join docs d on d.slug = l.slug
            where l.task_id = ${taskId} order by d.updated_at desc, d.slug`,
      )
    ).map(toHit);
  },
});

export const toHit = (row: Row): DocHit => ({
  slug: String(row.slug),
  kind: String(row.kind),
  title: String(row.title),
  version: Number(row.version),
  updatedAt: String(row.updated_at),
});
