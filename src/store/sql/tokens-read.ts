import type { Token, TokenScope } from '#core/model/token.ts';
import type { TokenReads } from '../port.ts';
import { type Db, type Row, sql } from './sql.ts';
import { present } from './task-rows.ts';

export function tokenReads(db: Db): TokenReads {
  return {
    async named(name) {
      const [row] = await db.all(sql`select * from tokens where name = ${name}`);
      return row && toToken(row);
    },
    async inForceWith(hash) {
      const [row] = await db.all(sql`select * from tokens where hash = ${hash} and revoked_at is null`);
      return row && toToken(row);
    },
    async countInForce() {
      const [row] = await db.all(sql`select count(*) as n from tokens where revoked_at is null`);
      return Number(row?.n);
    },
    async all() {
      return (await db.all(sql`select * from tokens order by created_at, name`)).map(toToken);
    },
  };
}

const toToken = (row: Row): Token => ({
  name: String(row.name),
  hash: String(row.hash),
  scope: row.scope as TokenScope,
  createdAt: String(row.created_at),
  createdBy: String(row.created_by),
  ...present('revokedAt', row.revoked_at as string | null),
});
