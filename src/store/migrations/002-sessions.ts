import type { Migration } from './migration.ts';

const common = `
create table sessions (
  seq {{serial}},
  id text not null unique,
  name text,
  scope_type text not null check (scope_type in ('global', 'saga', 'epic', 'task')),
  scope_root text,
  status text not null check (status in ('active', 'suspended', 'ended')),
  phase text,
  graded integer not null check (graded in (0, 1)),
  started_by text not null,
  started_at text not null,
  updated_at text not null,
  ended_at text,
  note text,
  handoff text,
  handed_over integer,
  check ((scope_type = 'global') = (scope_root is null))
);
create index sessions_status on sessions (status);
create index sessions_scope on sessions (scope_root, seq);

create table session_agents (
  session_id text not null references sessions (id) on delete cascade,
  agent_id text not null,
  attached_at text not null,
  primary key (session_id, agent_id)
);
create index session_agents_agent on session_agents (agent_id);

create table context_usage (
  session_id text not null,
  agent_id text not null,
  used_tokens integer not null,
  max_tokens integer not null,
  at text not null,
  primary key (session_id, agent_id)
);

create table tokens (
  name text primary key,
  hash text not null unique,
  scope text not null check (scope in ('query', 'mutate', 'admin')),
  created_at text not null,
  created_by text not null,
  revoked_at text
);
`;

export const sessionsMigration: Migration = { version: 2, name: 'sessions', common, sqlite: '', postgres: '' };
