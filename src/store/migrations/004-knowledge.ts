import type { Migration } from './migration.ts';

const common = `
create table memories (
  seq {{serial}},
  id text not null unique,
  type text not null check (type in ('observation', 'decision', 'pattern', 'learning')),
  title text not null,
  digest text not null unique,
  confirmation_state text not null check (confirmation_state in ('proposed', 'accepted', 'rejected', 'superseded')),
  decided_by text,
  decided_at text,
  decided_reason text,
  superseded_by text references memories (id) deferrable initially deferred,
  source_table text,
  source_rowid text,
  session_id text,
  agent_id text not null,
  created_at text not null,
  content text not null
);
create index memories_type on memories (type, seq);
create index memories_session on memories (session_id, seq);
create index memories_superseded on memories (superseded_by) where superseded_by is not null;
create index memories_source on memories (source_table, source_rowid);
create index memories_proposed on memories (type, seq) where confirmation_state = 'proposed';
create table memory_tags (
  memory_id text not null references memories (id) on delete cascade deferrable initially deferred,
  tag text not null,
  primary key (memory_id, tag)
);
create table memory_tasks (
  memory_id text not null references memories (id) on delete cascade deferrable initially deferred,
  task_id text not null,
  primary key (memory_id, task_id)
);
create index memory_tasks_task on memory_tasks (task_id);
create table citations (
  memory_id text not null references memories (id) on delete cascade deferrable initially deferred,
  by_kind text not null check (by_kind in ('memory', 'doc', 'task')),
  by_id text not null,
  primary key (memory_id, by_kind, by_id)
);
create index citations_by on citations (by_kind, by_id);

create table doc_contents (digest text primary key, encoding text not null check (encoding in ('utf8', 'base64')), size integer not null, content text not null);
create table docs (
  slug text primary key,
  kind text not null,
  title text not null,
  version integer not null,
  created_at text not null,
  created_by text not null,
  updated_at text not null
);
create table doc_versions (
  slug text not null references docs (slug) on delete cascade deferrable initially deferred,
  version integer not null,
  digest text not null references doc_contents (digest),
  path text,
  at text not null,
  agent_id text not null,
  primary key (slug, version)
);
create index doc_versions_digest on doc_versions (digest);
create table doc_tasks (
  slug text not null references docs (slug) on delete cascade deferrable initially deferred,
  task_id text not null,
  primary key (slug, task_id)
);
create index doc_tasks_task on doc_tasks (task_id);

create table nexus_depends (
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  project text not null,
  far_id text not null,
  far_title text not null,
  far_status text not null,
  synced_at text not null,
  primary key (task_id, project, far_id)
);

create table imports (
  source text not null,
  foreign_id text not null,
  task_id text not null,
  digest text not null,
  imported_at text not null,
  primary key (source, foreign_id)
);
`;

const sqlite = `
create virtual table memory_search using fts5(title, rest, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'");
`;

const postgres = `
create table memory_search (seq integer primary key, doc tsvector not null);
create index memory_search_doc on memory_search using gin (doc);
`;

export const knowledgeMigration: Migration = { version: 4, name: 'knowledge', common, sqlite, postgres };
