import type { Migration } from './migration.ts';

/** `tasks.uid` identifies a task in every clone; `toUid` describes its form. A stored task gets one from its creation time, the id of
 *  this store and its number, so that a backup that is restored and upgraded again gets the same. `assignee` is a name, `due` a date
 *  (2026-01-31), `requires` a JSON list of capabilities, and `resolution` is null while a task is open. `task_aliases` holds the ids of
 *  tasks in other tools. `plan_records` holds the merged record of a plan file as text, the part of it that was written to the store,
 *  and the size and time of the file; SQLite reads the short columns of all records from indexes, because a row fills a page.
 *  `plan_files` holds sizes and times of the plan files of linked worktrees, by the path of their folder.
 *  `import_records` holds what was imported last, for a three-way merge. `audit_log_agent` finds out whether an assignee has ever worked
 *  here; names are compared byte by byte, so that a prefix is a range. `audit_log.history_seq` is the last row of `task_history` at the
 *  entry, and `undo_images` holds documents and memory entries before the writes of the last hour. `audit_updates` finds the entries
 *  that updated a task, without reading the whole log. `github_cache` holds pages of the GitHub API with their ETags, and what a sync
 *  remembers about a repository. On SQLite, tables of short rows have no rowid: without a second tree for the key an empty store takes a
 *  page less for each, and every insert writes one tree less. Tables with long rows keep it, because such rows would fill the tree of
 *  the key. */
const common = `
alter table tasks add column uid text;
alter table tasks add column assignee text;
alter table tasks add column due text;
alter table tasks add column requires text;
alter table tasks add column resolution text check (resolution in ('done', 'cancelled', 'duplicate', 'wontfix'));
update tasks set resolution = 'done' where status = 'done';

create table task_aliases (
  tool text not null,
  alias text not null,
  task_id text not null references tasks (id) on delete cascade deferrable initially deferred,
  primary key (tool, alias)
) {{withoutRowid}};
create index task_aliases_alias on task_aliases (alias);
create index task_aliases_task on task_aliases (task_id);

create table plan_records (
  kind text not null,
  uid text not null,
  record text not null,
  projected text,
  file_stat text,
  summary text not null,
  outcome text,
  primary key (kind, uid)
);

create table plan_files (
  tree text not null,
  kind text not null,
  uid text not null,
  file_stat text not null,
  primary key (tree, kind, uid)
) {{withoutRowid}};

create table import_records (
  source text not null,
  foreign_id text not null,
  task_id text not null,
  base text not null,
  at text not null,
  primary key (source, foreign_id)
);
create index import_records_task on import_records (task_id);

create table github_cache (
  repo text not null,
  path text not null,
  etag text,
  body text not null,
  primary key (repo, path)
);
insert into import_records (source, foreign_id, task_id, base, at) select source, foreign_id, task_id, digest, imported_at from imports;
insert into task_aliases (tool, alias, task_id)
  select i.source, i.foreign_id, i.task_id from imports i join tasks t on t.id = i.task_id;
drop table imports;

alter table audit_log add column history_seq integer;
create table audit_updates (
  task_id text not null,
  seq integer not null,
  primary key (task_id, seq)
) {{withoutRowid}};
create table undo_images (
  seq {{serial}},
  entry integer not null,
  kind text not null check (kind in ('doc', 'memory')),
  item_id text not null,
  image text,
  at text not null,
  unique (at, entry, kind, item_id)
);

create index tasks_assignee on tasks (assignee) where assignee is not null;
create index tasks_due on tasks (due) where due is not null;
create index tasks_planned on tasks (seq) where (assignee is not null or due is not null) and status <> 'done' and archived_at is null;
`;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Formats an integer expression as ten digits of the alphabet, five bits each. */
const encode = (number: string, toInteger: (bits: string) => string): string =>
  Array.from({ length: 10 }, (_, i) => `substr('${alphabet}', ${toInteger(`((${number} >> ${45 - 5 * i}) & 31)`)} + 1, 1)`).join(' || ');

/** The last 12 hexadecimal digits of the store's id as an integer. */
const sqliteReplica = Array.from(
  { length: 12 },
  (_, i) => `(instr('0123456789abcdef', substr(f.value, ${5 + i}, 1)) - 1 << ${44 - 4 * i})`,
).join(' + ');

const task = 'text not null references tasks (id) on delete cascade deferrable initially deferred';
const memory = 'text not null references memories (id) on delete cascade deferrable initially deferred';

/** Earlier tables with short rows: their columns, and their indexes if they have any. */
const shortTables: [string, string, string?][] = [
  ['counters', 'name text primary key, value integer not null'],
  ['store_facts', 'name text primary key, value text not null'],
  [
    'task_labels',
    `task_id ${task}, position integer not null, label text not null, primary key (task_id, position)`,
    'label (label, task_id)',
  ],
  ['task_files', `task_id ${task}, position integer not null, path text not null, primary key (task_id, position)`, 'path (path, task_id)'],
  [
    'task_dependencies',
    `task_id ${task}, position integer not null, depends_on text not null references tasks (id) deferrable initially deferred,
     primary key (task_id, depends_on), check (task_id <> depends_on)`,
    'on (depends_on, task_id)',
  ],
  [
    'session_agents',
    `session_id text not null references sessions (id) on delete cascade, agent_id text not null, attached_at text not null,
     primary key (session_id, agent_id)`,
    'agent (agent_id)',
  ],
  ['memory_tags', `memory_id ${memory}, tag text not null, primary key (memory_id, tag)`],
  ['memory_tasks', `memory_id ${memory}, task_id text not null, primary key (memory_id, task_id)`, 'task (task_id)'],
  [
    'citations',
    `memory_id ${memory}, by_kind text not null check (by_kind in ('memory', 'doc', 'task')), by_id text not null,
     primary key (memory_id, by_kind, by_id)`,
    'by (by_kind, by_id)',
  ],
  [
    'doc_tasks',
    `slug text not null references docs (slug) on delete cascade deferrable initially deferred, task_id text not null,
     primary key (slug, task_id)`,
    'task (task_id)',
  ],
  [
    'release_tasks',
    'version text not null references releases (version) on delete cascade, task_id text not null, primary key (version, task_id)',
    'task (task_id)',
  ],
];

/** SQLite cannot change the form of a table. */
const rebuildWithoutRowid = ([table, columns, index]: (typeof shortTables)[number]): string => `
create table ${table}_short (${columns}) without rowid;
insert into ${table}_short select * from ${table};
drop table ${table};
alter table ${table}_short rename to ${table};
${index ? `create index ${table}_${index.replace(' ', ` on ${table} `)};` : ''}`;

const sqlite = `
update tasks set uid = (
  select ${encode('p.ms', (bits) => bits)} || ${encode('p.salt', (bits) => bits)}
  from (
    select coalesce(cast(strftime('%s', tasks.created_at) as integer) * 1000 + cast(substr(tasks.created_at, 21, 3) as integer), 0) as ms,
      ${sqliteReplica} + tasks.seq as salt
    from store_facts f where f.name = 'replica'
  ) p
);
create unique index tasks_uid on tasks (uid);
create index audit_log_agent on audit_log (agent_id);
create trigger audit_log_updates after insert on audit_log when new.success = 1 and new.updated_ids like '%"T%' begin
  insert or ignore into audit_updates (task_id, seq)
    select value, new.seq from json_each(case when json_valid(new.updated_ids) then new.updated_ids end) where value glob 'T[0-9]*';
end;
insert or ignore into audit_updates (task_id, seq)
  select i.value, a.seq from audit_log a, json_each(case when json_valid(a.updated_ids) then a.updated_ids end) i
  where a.success = 1 and a.updated_ids like '%"T%' and i.value glob 'T[0-9]*';
create index plan_records_stats on plan_records (kind, uid, file_stat);
create index plan_records_outcomes on plan_records (kind, uid, summary, outcome);
${shortTables.map(rebuildWithoutRowid).join('')}`;

/** A time that is not valid must not stop the upgrade. */
const postgres = `
create function parse_created_ms(created_at text) returns bigint language plpgsql as $$
begin return floor(extract(epoch from created_at::timestamptz) * 1000); exception when others then return 0; end $$;
update tasks set uid = (
  select ${encode('p.ms', (bits) => `${bits}::integer`)} || ${encode('p.salt', (bits) => `${bits}::integer`)}
  from (
    select parse_created_ms(tasks.created_at) as ms, ('x' || substr(f.value, 5, 12))::bit(48)::bigint + tasks.seq as salt
    from store_facts f where f.name = 'replica'
  ) p
);
drop function parse_created_ms(text);
create unique index tasks_uid on tasks (uid);
create index audit_log_agent on audit_log (agent_id collate "C");
create function index_updates() returns trigger language plpgsql as $$ begin
  insert into audit_updates (task_id, seq)
    select distinct id, new.seq from json_array_elements_text(new.updated_ids::json) id where id ~ '^T[0-9]' on conflict do nothing;
  return null; end $$;
create trigger audit_log_updates after insert on audit_log for each row
  when (new.success = 1 and new.updated_ids like '%"T%') execute function index_updates();
create function parse_ids(ids text) returns setof text language plpgsql as $$
begin return query select json_array_elements_text(ids::json); exception when others then return; end $$;
insert into audit_updates (task_id, seq)
  select distinct i.id, a.seq from audit_log a, parse_ids(a.updated_ids) i (id)
  where a.success = 1 and a.updated_ids like '%"T%' and i.id ~ '^T[0-9]';
drop function parse_ids(text);
`;

export const planMigration: Migration = { version: 7, name: 'plan', common, sqlite, postgres };
