import type { HealthWrites } from '../../port/admin.ts';
import { type Db, sql } from '../sql.ts';

export const createHealthWrites = (db: Db): HealthWrites => ({
  async recordCheck(at) {
    await db.run(
      sql`insert into store_facts (name, value) values ('checked_at', ${at}) on conflict (name) do update set value = excluded.value`,
    );
  },
});
