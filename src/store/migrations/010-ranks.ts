import type { Migration } from './migration.ts';

/** `task_ranks` holds what ordering ready tasks needs and only writes change, so that `next` reads what it returns. A task or subtask that
 *  can be started, as far as it decides itself, has one row. A task with open children has a row for each bucket (assignee and phase) of
 *  such tasks below it, unless it is blocked or waits itself; its keys are those of the best of them. `parent_id` is empty at the top, and
 *  for a container that is done. A key is smaller for a better rank, and ends with the number of the task. `score_key` of a task leaves
 *  out the points for a started sibling, which depend on all children of the parent; that of a container has them. `urgency_key` knows the
 *  priority only. Written by `store/sql/tasks/rank-refresher.ts`, by the rules of `tasks/rules/ranks.ts`. `tasks_by_…` have
 *  the orders of `list --sort`; a statement has to repeat their last condition, so that no other one uses them. */
const common = `
create table task_ranks (
  task_id text not null,
  bucket text not null,
  parent_id text not null,
  is_container integer not null check (is_container in (0, 1)),
  score_key bigint not null,
  urgency_key bigint not null,
  due text,
  primary key (task_id, bucket)
) {{withoutRowid}};

insert into task_ranks (task_id, bucket, parent_id, is_container, score_key, urgency_key, due)
select ranked.id, ranked.bucket, ranked.parent_id, 0, (1000 - ranked.priority - ranked.more) * 10000000000 + ranked.seq,
  (1000 - ranked.priority) * 10000000000 + ranked.seq, ranked.due
from (
  select t.id, t.seq, coalesce(t.parent_id, '') as parent_id, t.due, coalesce(t.assignee, '') || '
' || coalesce(t.phase, '') as bucket,
    case t.priority when 'critical' then 400 when 'high' then 300 when 'medium' then 200 else 100 end as priority,
    case t.size when 'small' then 10 when 'medium' then 5 else 0 end
      + 25 * (select count(*) from (
          select 1 as one from task_dependencies d join tasks o on o.id = d.task_id
          where d.depends_on = t.id and o.status <> 'done' and o.archived_at is null limit 6) capped) as more
  from tasks t
  where t.type in ('task', 'subtask') and t.status in ('pending', 'active') and t.archived_at is null
    and not exists (
      select 1 from task_dependencies d join tasks o on o.id = d.depends_on where d.task_id = t.id and o.status <> 'done')
    and not exists (
      select 1 from tasks c where c.parent_id = t.id and c.status in ('pending', 'active', 'blocked') and c.archived_at is null)
) ranked;
`;

/** Each pass completes the containers one level higher. There are three levels above a subtask. */
const fillContainers = `
insert into task_ranks (task_id, bucket, parent_id, is_container, score_key, urgency_key)
select best.id, best.bucket, case when t.status <> 'done' and t.archived_at is null then coalesce(t.parent_id, '') else '' end, 1,
  best.score_key, best.urgency_key
from (
  select r.parent_id as id, r.bucket, min(r.urgency_key) as urgency_key,
    min(case when r.is_container = 0 and exists (select 1 from tasks s where s.parent_id = r.parent_id and s.status in ('active', 'done'))
      then r.score_key - 500000000000 else r.score_key end) as score_key
  from task_ranks r where r.parent_id <> '' group by r.parent_id, r.bucket
) best left join tasks t on t.id = best.id
where t.id is null or t.status = 'done' or t.archived_at is not null or (t.status <> 'blocked' and not exists (
  select 1 from task_dependencies d join tasks o on o.id = d.depends_on where d.task_id = t.id and o.status <> 'done'))
on conflict (task_id, bucket) do update set score_key = excluded.score_key, urgency_key = excluded.urgency_key;
`;

const indexes = `
create index task_ranks_score on task_ranks (parent_id, bucket, is_container, score_key, due);
create index task_ranks_urgency on task_ranks (parent_id, bucket, is_container, urgency_key, due);
create index task_ranks_due on task_ranks (due) where due is not null;
create index tasks_by_time on tasks (updated_at desc, seq) where archived_at is null and updated_at <> '';
create index tasks_by_priority on tasks
  ((case priority when 'critical' then 0 when 'high' then 1 when 'medium' then 2 else 3 end), seq) where archived_at is null and priority <> '';
create index tasks_by_status on tasks
  ((case status when 'active' then 0 when 'blocked' then 1 when 'pending' then 2 else 3 end), seq) where archived_at is null and status <> '';
`;

export const ranksMigration: Migration = {
  version: 10,
  name: 'ranks',
  common: common + fillContainers.repeat(3) + indexes,
  sqlite: '',
  // Statistics of the rows that were filled in, without which the first reads are slow.
  postgres: 'analyze tasks, task_dependencies, task_ranks;',
};
