import type { Token, TokenScope } from '#core/model/token.ts';
import type { TokenReads } from '../../port/admin.ts';
import { type Db, omitNull, type SqlRow, sql } from '../sql.ts';

export function createTokenReads(db: Db): TokenReads {
  return {
    async get(name) {
      const [row] = await db.all(sql`select * from tokens where name = ${name}`);
      return row && toToken(row);
    },
    async getActiveByHash(hash) {
      const [row] = await db.all(sql`select * from tokens where hash = ${hash} and revoked_at is null`);
      return row && toToken(row);
    },
    async countActive(at) {
      const [row] = await db.all(
        sql`select count(*) as n from tokens where revoked_at is null and (expires_at is null or expires_at > ${at})`,
      );
      return Number(row?.n);
    },
    async list() {
      return (await db.all(sql`select * from tokens order by created_at, name`)).map(toToken);
    },
    async listRevokedAfter(at) {
      return (await db.all(sql`select * from tokens where revoked_at > ${at} order by revoked_at, name`)).map(toToken);
    },
  };
}

const toToken = (row: SqlRow): Token => ({
  name: String(row.name),
  hash: String(row.hash),
  scope: row.scope as TokenScope,
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  ...(row.owner_kind === 'service' ? { ownerKind: 'service' as const } : {}),
  ...omitNull({
    revokedAt: row.revoked_at as string | null,
    expiresAt: row.expires_at as string | null,
    owner: row.owner as string | null,
    agent: row.agent as string | null,
    project: row.project as string | null,
    callsPerMinute: row.calls_per_minute as number | null,
  }),
});
