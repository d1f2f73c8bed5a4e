import type { Migration } from './migration.ts';

/** `content` is null for a record that was removed, and for one that is too large to be stored. The row of a removed record stays, so that
 *  a checkout with an old copy does not bring it back. */
const common = `
create table shared_records (
  kind text not null,
  name text not null,
  seq integer not null,
  state text not null check (state in ('stored', 'omitted', 'removed')),
  hash text not null,
  size integer not null,
  encoding text not null check (encoding in ('utf8', 'base64')),
  content text,
  agent_id text not null,
  at text not null,
  primary key (kind, name)
) {{withoutRowid}};
`;

/** On SQLite the table is filled only while a store is moved. */
const postgres = 'create index shared_records_seq on shared_records (seq);';

export const sharedRecordsMigration: Migration = { version: 9, name: 'shared records', common, sqlite: '', postgres };
