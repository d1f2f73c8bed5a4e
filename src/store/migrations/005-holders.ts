import type { Migration } from './migration.ts';

/** A holder may have several tasks. SQLite cannot drop a unique constraint, so `claims` is rebuilt there.
 *  `process` identifies the client process of the holder, `away_at` is the time its MCP connection closed, and `taken_from`
 *  and `taken_reason` describe a take-over. `conversations` says which conversation a client process belongs to; the row with
 *  the highest `seq` is the newest. `task_baselines` holds the state of the checkout when a task was first claimed. */
const common = `
create table conversations (
  seq {{serial}},
  process text not null,
  agent_id text not null,
  seen_at text not null,
  unique (process, agent_id)
);

create table task_baselines (
  task_id text primary key references tasks (id) on delete cascade deferrable initially deferred,
  head text,
  files text,
  at text not null
);
`;

const sqlite = `
create table claims_of_holders (
  task_id text primary key references tasks (id) on delete cascade deferrable initially deferred,
  session_id text not null,
  agent_id text not null,
  claimed_at text not null,
  focused_at text not null,
  renewed_at text not null,
  process text not null default '',
  away_at text,
  taken_from text,
  taken_reason text
);
insert into claims_of_holders (task_id, session_id, agent_id, claimed_at, focused_at, renewed_at)
  select task_id, session_id, agent_id, claimed_at, claimed_at, renewed_at from claims;
drop table claims;
alter table claims_of_holders rename to claims;
create index claims_holder on claims (agent_id, session_id);
`;

const postgres = `
alter table claims drop constraint claims_session_id_agent_id_key;
alter table claims add column focused_at text not null default '';
update claims set focused_at = claimed_at;
alter table claims add column process text not null default '';
alter table claims add column away_at text;
alter table claims add column taken_from text;
alter table claims add column taken_reason text;
create index claims_holder on claims (agent_id, session_id);
`;

export const holdersMigration: Migration = { version: 5, name: 'holders', common, sqlite, postgres };
