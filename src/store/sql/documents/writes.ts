import type { Changes } from '#core/model/audit.ts';
import type { DocContent, DocVersion } from '#documents/model/doc.ts';
import type { DocWrites } from '../../port/documents.ts';
import type { Stamp } from '../../port/store.ts';
import { noteUpdate } from '../changes.ts';
import { type Db, listValues, splitChunks, sql } from '../sql.ts';
import { storeDocImage } from '../undo/images.ts';

export function createDocWrites(db: Db, stamp: Stamp, changes: Changes): DocWrites {
  const insertVersion = async (slug: string, { digest, encoding, size, content, version, path, at, agentId }: DocVersion & DocContent) => {
    await db.run(
      sql`insert into doc_contents (digest, encoding, size, content) values (${digest}, ${encoding}, ${size}, ${content})
          on conflict (digest) do nothing`,
    );
    await db.run(
      sql`insert into doc_versions (slug, version, digest, path, at, agent_id) values (${slug}, ${version}, ${digest}, ${path}, ${at}, ${agentId})`,
    );
  };
  return {
    async insert({ slug, kind, title }, first) {
      await storeDocImage(db, stamp, slug);
      await db.run(
        sql`insert into docs (slug, kind, title, version, created_at, created_by, updated_at)
            values (${slug}, ${kind}, ${title}, ${first.version}, ${first.at}, ${first.agentId}, ${first.at})`,
      );
      await insertVersion(slug, first);
      changes.created.push(slug);
    },
    async addVersion(slug, next) {
      await storeDocImage(db, stamp, slug);
      await insertVersion(slug, next);
      await db.run(sql`update docs set version = ${next.version}, updated_at = ${next.at} where slug = ${slug}`);
      noteUpdate(changes, slug);
    },
    async update({ slug, kind, title }, at) {
      await storeDocImage(db, stamp, slug);
      await db.run(sql`update docs set kind = ${kind}, title = ${title}, updated_at = ${at} where slug = ${slug}`);
      noteUpdate(changes, slug);
    },
    async attach(slug, taskId) {
      await storeDocImage(db, stamp, slug);
      await db.run(sql`insert into doc_tasks (slug, task_id) values (${slug}, ${taskId})`);
      noteUpdate(changes, slug);
    },
    async detach(slug, taskId) {
      await storeDocImage(db, stamp, slug);
      await db.run(sql`delete from doc_tasks where slug = ${slug} and task_id = ${taskId}`);
      noteUpdate(changes, slug);
    },
    async remove(slug) {
      await storeDocImage(db, stamp, slug, true);
      const digests = (await db.all(sql`select distinct digest from doc_versions where slug = ${slug}`)).map((row) => String(row.digest));
      await db.run(sql`delete from docs where slug = ${slug}`);
      for (const some of splitChunks(digests, 500))
        await db.run(
          sql`delete from doc_contents where digest in ${listValues(some)}
              and not exists (select 1 from doc_versions v where v.digest = doc_contents.digest)`,
        );
      changes.deleted.push(slug);
    },
  };
}
