import { formatIsoTime } from '#lib/iso-time.ts';
import type { Stamp } from '../../port/store.ts';
import { type Db, type SqlRow, sql } from '../sql.ts';

/** The rows of a document or a memory entry before a write. `contents` are those that the write deletes. */
export interface ItemImage {
  item: SqlRow;
  versions?: SqlRow[];
  tasks?: SqlRow[];
  citations?: SqlRow[];
  contents?: SqlRow[];
}

const maxAgeMs = 60 * 60_000;

/** Stores the state of an item before the present write changes it, for `undo`. The first image of a write is the one that counts. The
 *  entry of the write in the log has the next number, because the write holds the lock. Images are deleted after an hour. */
export async function storeImage(
  db: Db,
  stamp: Stamp,
  kind: 'doc' | 'memory',
  id: string,
  readImage: () => Promise<ItemImage | undefined>,
): Promise<void> {
  const [known] = await db.all(sql`
    select h.seq + 1 as entry, u.seq as image from (select coalesce(max(seq), 0) as seq from audit_head) h
    left join undo_images u on u.entry = h.seq + 1 and u.kind = ${kind} and u.item_id = ${id} and u.at = ${stamp.at}`);
  if (known?.image !== null && known?.image !== undefined) return;
  const image = await readImage();
  await db.run(sql`delete from undo_images where at < ${formatIsoTime(Date.parse(stamp.at) - maxAgeMs)}`);
  await db.run(sql`
    insert into undo_images (entry, kind, item_id, image, at)
    values (${Number(known?.entry)}, ${kind}, ${id}, ${image && JSON.stringify(image)}, ${stamp.at})`);
}

export const storeDocImage = (db: Db, stamp: Stamp, slug: string, isDeleted = false): Promise<void> =>
  storeImage(db, stamp, 'doc', slug, async () => {
    const [item] = await db.all(sql`select * from docs where slug = ${slug}`);
    if (!item) return undefined;
    const versions = await db.all(sql`select * from doc_versions where slug = ${slug} order by version`);
    const contents = isDeleted
      ? await db.all(sql`select * from doc_contents where digest in (select digest from doc_versions where slug = ${slug})`)
      : [];
    const tasks = await db.all(sql`select * from doc_tasks where slug = ${slug}`);
    const citations = await db.all(sql`select * from citations where by_kind = 'doc' and by_id = ${slug}`);
    return { item, versions, tasks, citations, contents };
  });

export const storeMemoryImage = (db: Db, stamp: Stamp, id: string): Promise<void> =>
  storeImage(db, stamp, 'memory', id, async () => {
    const [item] = await db.all(sql`select * from memories where id = ${id}`);
    return item && { item };
  });
