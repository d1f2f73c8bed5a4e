import type { Migration } from './migration.ts';

const common = `
create table task_gates (
  seq {{serial}},
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  gate text not null check (gate in ('implemented', 'testsPassed', 'qaPassed')),
  round integer not null,
  passed integer not null check (passed in (0, 1)),
  evidence text not null,
  agent_id text not null,
  at text not null
);
create index task_gates_task on task_gates (task_id, seq);

create table task_verifications (
  task_id text primary key references tasks (id) on delete cascade deferrable initially deferred,
  round integer not null,
  failed integer not null,
  verdict text check (verdict in ('attested', 'rejected')),
  verdict_by text,
  verdict_at text,
  verdict_reason text
);

create table lifecycle_stages (
  epic_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  stage text not null check (stage in ('research', 'consensus', 'specification', 'decomposition', 'implementation', 'contribution', 'release')),
  status text not null check (status in ('pending', 'active', 'completed', 'skipped', 'failed')),
  agent_id text not null,
  at text not null,
  reason text,
  provenance text,
  primary key (epic_id, stage)
);

create table spawns (
  seq {{serial}},
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  agent_id text not null,
  session_id text,
  role text not null check (role in ('worker', 'validator')),
  skill text not null,
  protocol text not null,
  tier integer not null,
  prompt_hash text not null,
  has_protocol integer not null check (has_protocol in (0, 1)),
  spawned_by text not null,
  at text not null
);
create index spawns_task on spawns (task_id, seq);

create table releases (
  version text primary key,
  status text not null check (status in ('created', 'shipping', 'shipped')),
  epic_id text,
  changelog text not null,
  steps text not null,
  created_at text not null,
  created_by text not null,
  shipped_at text,
  commit_sha text,
  tag text,
  provenance text
);
create table release_tasks (
  version text not null references releases (version) on delete cascade,
  task_id text not null,
  primary key (version, task_id)
);
create index release_tasks_task on release_tasks (task_id);

create table workgraphs (digest text primary key, refs text not null, at text not null, agent_id text not null);
`;

const sqlite = `
create trigger relation_is_no_containment before insert on task_relations
when exists (select 1 from tasks where (id = new.task_id and parent_id = new.related_to) or (id = new.related_to and parent_id = new.task_id))
begin select raise(abort, 'parent and child are not related otherwise'); end;
create trigger containment_is_no_relation before update of parent_id on tasks
when exists (select 1 from task_relations where (task_id = new.id and related_to = new.parent_id) or (task_id = new.parent_id and related_to = new.id))
begin select raise(abort, 'parent and child are not related otherwise'); end;
`;

const postgres = `
create function check_relation() returns trigger language plpgsql as $$ begin
  if exists (select 1 from tasks where (id = new.task_id and parent_id = new.related_to) or (id = new.related_to and parent_id = new.task_id))
  then raise exception 'parent and child are not related otherwise'; end if; return new; end $$;
create trigger relation_is_no_containment before insert on task_relations for each row execute function check_relation();
create function check_containment() returns trigger language plpgsql as $$ begin
  if exists (select 1 from task_relations where (task_id = new.id and related_to = new.parent_id) or (task_id = new.parent_id and related_to = new.id))
  then raise exception 'parent and child are not related otherwise'; end if; return new; end $$;
create trigger containment_is_no_relation before update of parent_id on tasks for each row execute function check_containment();
`;

export const orchestrationMigration: Migration = { version: 3, name: 'orchestration', common, sqlite, postgres };
