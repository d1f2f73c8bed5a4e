import type { Migration } from './migration.ts';

const common = `
create table counters (name text primary key, value integer not null);
insert into counters (name, value) values ('task', 0);

create table tasks (
  seq integer primary key,
  id text not null unique,
  type text not null check (type in ('saga', 'epic', 'task', 'subtask')),
  title text not null,
  description text,
  status text not null check (status in ('pending', 'active', 'blocked', 'done')),
  priority text not null check (priority in ('critical', 'high', 'medium', 'low')),
  size text check (size in ('small', 'medium', 'large')),
  phase text,
  parent_id text references tasks (id) deferrable initially deferred,
  blocked_by text,
  created_at text not null,
  created_by text not null,
  updated_at text not null,
  started_at text,
  completed_at text,
  archived_at text,
  revision integer not null
);
create index tasks_parent on tasks (parent_id, status);
create index tasks_open on tasks (seq) where status <> 'done' and archived_at is null;
create index tasks_archived on tasks (seq) where archived_at is not null;
create index tasks_containers on tasks (type, seq) where type in ('saga', 'epic');
create index tasks_done on tasks (completed_at) where status = 'done' and archived_at is null;

create table task_labels (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  position integer not null,
  label text not null,
  primary key (task_id, position)
);
create index task_labels_label on task_labels (label, task_id);

create table task_files (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  position integer not null,
  path text not null,
  primary key (task_id, position)
);
create index task_files_path on task_files (path, task_id);

create table task_dependencies (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  position integer not null,
  depends_on text not null references tasks (id) deferrable initially deferred,
  primary key (task_id, depends_on),
  check (task_id <> depends_on)
);
create index task_dependencies_on on task_dependencies (depends_on, task_id);

create table task_relations (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  related_to text not null references tasks (id) on delete cascade deferrable initially deferred,
  relation_type text not null check (relation_type in ('blocks', 'related', 'duplicates', 'absorbs', 'fixes', 'extends', 'supersedes')),
  reason text not null,
  created_at text not null,
  created_by text not null,
  primary key (task_id, related_to, relation_type),
  check (task_id <> related_to)
);
create index task_relations_to on task_relations (related_to);

create table task_acceptance_criteria (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  position integer not null,
  kind text not null check (kind in ('text', 'child_task', 'evidence_bound')),
  target_task_id text,
  content text,
  gate text check (gate in ('implemented', 'testsPassed', 'qaPassed')),
  met_at text,
  met_by text,
  primary key (task_id, position),
  check ((kind = 'child_task') = (target_task_id is not null)),
  check ((kind = 'evidence_bound') = (gate is not null)),
  check ((kind = 'text') = (content is not null))
);

create table task_notes (
  seq {{serial}},
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  at text not null,
  by_agent text not null,
  content text not null
);
create index task_notes_task on task_notes (task_id, seq);

create table task_history (
  seq {{serial}},
  task_id text not null,
  at text not null,
  by_agent text not null,
  field text not null,
  old_value text,
  new_value text,
  reason text
);
create index task_history_task on task_history (task_id, seq);

create table claims (
  task_id text primary key references tasks (id) on delete cascade deferrable initially deferred,
  session_id text not null,
  agent_id text not null,
  claimed_at text not null,
  renewed_at text not null,
  unique (session_id, agent_id)
);

create table audit_log (
  seq integer primary key,
  timestamp text not null,
  session_id text,
  agent_id text not null,
  gateway text not null check (gateway in ('cli', 'cleo_query', 'cleo_mutate', 'http')),
  domain text not null,
  operation text not null,
  params text not null,
  success integer not null check (success in (0, 1)),
  exit_code integer not null,
  error_code text,
  created_ids text not null,
  updated_ids text not null,
  deleted_ids text not null,
  duration_ms integer not null,
  prev_hash text not null,
  hash text not null
);
create index audit_log_session on audit_log (session_id, seq);
create table audit_head (id integer primary key check (id = 1), seq integer not null, hash text not null);

create table idempotency_keys (
  operation text not null,
  key text not null,
  params_hash text not null,
  answer text,
  at text not null,
  primary key (operation, key)
);
create index idempotency_keys_at on idempotency_keys (at);

create table jobs (id {{serial}}, operation text not null, agent_id text not null, started_at text not null);
`;

const sqlite = `
-- What a word is was decided before: here everything but space belongs to one, whatever this SQLite knows of its script.
create virtual table task_search using fts5(title, rest, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
create table words (id integer primary key, word text not null unique);
create virtual table word_grams using fts5(word, content='', contentless_delete=1, tokenize='trigram');

create trigger audit_log_kept before delete on audit_log begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_log_fixed before update on audit_log begin select raise(abort, 'the audit log is append-only'); end;
`;

const postgres = `
create table task_search (seq integer primary key, doc tsvector not null);
create index task_search_doc on task_search using gin (doc);
create table words (word text primary key);
create index words_grams on words using gin (word gin_trgm_ops);

create function refuse_change() returns trigger language plpgsql as $$ begin raise exception 'the audit log is append-only'; end $$;
create trigger audit_log_fixed before update or delete on audit_log for each row execute function refuse_change();
`;

export const foundationMigration: Migration = { version: 1, name: 'foundation', common, sqlite, postgres };
