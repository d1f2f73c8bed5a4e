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
    async countActive() {
      const [row] = await db.all(sql`select count(*) as n from tokens where revoked_at is null`);
      return Number(row?.n);
    },
    async list() {
      return (await db.all(sql`select * from tokens order by created_at, name`)).map(toToken);
    },
  };
}

const toToken = (row: SqlRow): Token => ({
  name: String(row.name),
  hash: String(row.hash),
  scope: row.scope as TokenScope,
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  ...omitNull({ revokedAt: row.revoked_at as string | null }),
});
