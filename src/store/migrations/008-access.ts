import type { Migration } from './migration.ts';

/** `tokens.owner` is the person or service that a token belongs to, and null in tokens of older versions, which belong to their own name.
 *  `agent` is the name that its calls act under, if it is not that of the token. `project` is the key of the project that the token is
 *  valid in, so that a copy of the table in another project is worth nothing. A token without `expires_at` is valid until it is revoked.
 *  `audit_log_token` finds the calls of a token; entries without one are not in it. */
const columns = `
  owner text,
  owner_kind text not null default 'person' check (owner_kind in ('person', 'service')),
  agent text,
  project text,
  calls_per_minute integer,
  expires_at text
`;

const common = `
create index audit_log_token on audit_log (seq) where principal like '%"token":"%';
`;

/** SQLite cannot change the check of a column. */
const sqlite = `
create table tokens_with_owners (
  name text primary key,
  hash text not null unique,
  scope text not null check (scope in ('query', 'mutate', 'decide', 'admin')),
  created_at text not null,
  created_by text not null,
  revoked_at text,
  ${columns.trim()}
);
insert into tokens_with_owners (name, hash, scope, created_at, created_by, revoked_at)
  select name, hash, scope, created_at, created_by, revoked_at from tokens;
drop table tokens;
alter table tokens_with_owners rename to tokens;
`;

const postgres = `
alter table tokens drop constraint tokens_scope_check;
alter table tokens add constraint tokens_scope_check check (scope in ('query', 'mutate', 'decide', 'admin'));
${columns
  .trim()
  .split(',\n')
  .map((column) => `alter table tokens add column ${column.trim()};`)
  .join('\n')}
`;

export const accessMigration: Migration = { version: 8, name: 'access', common, sqlite, postgres };
