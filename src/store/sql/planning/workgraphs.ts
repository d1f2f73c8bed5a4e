import type { WorkGraphReads, WorkGraphWrites } from '../../port/planning.ts';
import { type Db, sql } from '../sql.ts';

export function createWorkGraphReads(db: Db): WorkGraphReads {
  return {
    async getApplied(digest) {
      const [row] = await db.all(sql`select digest, refs, at, agent_id from workgraphs where digest = ${digest}`);
      return row && { digest, refs: JSON.parse(String(row.refs)), at: String(row.at), by: String(row.agent_id) };
    },
  };
}

export function createWorkGraphWrites(db: Db): WorkGraphWrites {
  return {
    insert: ({ digest, refs, at, by }) =>
      db.run(sql`insert into workgraphs (digest, refs, at, agent_id) values (${digest}, ${JSON.stringify(refs)}, ${at}, ${by})`),
  };
}
