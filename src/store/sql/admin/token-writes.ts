import type { Changes } from '#core/model/audit.ts';
import type { TokenWrites } from '../../port/admin.ts';
import { type Db, sql } from '../sql.ts';

export function createTokenWrites(db: Db, changes: Changes): TokenWrites {
  return {
    async insert({ name, hash, scope, createdAt, createdBy }) {
      await db.run(
        sql`insert into tokens (name, hash, scope, created_at, created_by) values (${name}, ${hash}, ${scope}, ${createdAt}, ${createdBy})`,
      );
      changes.created.push(name);
    },
    async revoke(name, at) {
      await db.run(sql`update tokens set revoked_at = ${at} where name = ${name}`);
      changes.updated.push(name);
    },
  };
}
