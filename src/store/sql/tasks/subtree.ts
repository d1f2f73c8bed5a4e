import type { TaskId } from '#core/model/scalars.ts';
import { type Sql, sql } from '../sql.ts';

/** Defines `below`: a task with its subtree, and the depth of each task. */
export const withSubtree = (root: TaskId): Sql => sql`
  with recursive below (id, depth) as (
    select id, 0 from tasks where id = ${root}
    union all
    select c.id, below.depth + 1 from below join tasks c on c.parent_id = below.id where below.depth < 10
  )`;
