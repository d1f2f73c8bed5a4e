import type { Changes } from '#core/model/audit.ts';
import type { TokenWrites } from '../../port/admin.ts';
import { type Db, sql } from '../sql.ts';

export function createTokenWrites(db: Db, changes: Changes): TokenWrites {
  return {
    async insert({ name, hash, scope, createdAt, createdBy, owner, ownerKind, agent, project, callsPerMinute, expiresAt }) {
      await db.run(sql`
        insert into tokens (name, hash, scope, created_at, created_by, owner, owner_kind, agent, project, calls_per_minute, expires_at)
        values (${name}, ${hash}, ${scope}, ${createdAt}, ${createdBy}, ${owner ?? null}, ${ownerKind ?? 'person'}, ${agent ?? null},
          ${project ?? null}, ${callsPerMinute ?? null}, ${expiresAt ?? null})`);
      changes.created.push(name);
    },
    async revoke(name, at) {
      await db.run(sql`update tokens set revoked_at = ${at} where name = ${name}`);
      changes.updated.push(name);
    },
  };
}
