import type { Migration } from './migration.ts';

/** `memories.proof` is the proof of the person who decided. `principal` says who called and how the caller was authenticated. `project` is the project that the hash of the entry is
 *  bound to, and null in entries of older versions, whose hash covers neither column. `signature` is the signature of a server
 *  over the hash. `observer` says who checked a piece of evidence, `verdict_independence` how a validator proved to be another agent.
 *  The secret of a spawned validator is stored as a hash and is valid for one verdict in one round. `store_facts` holds the random
 *  id of this store (`replica`). */
const common = `
alter table audit_log add column principal text;
alter table audit_log add column project text;
alter table audit_log add column signature text;

alter table task_gates add column observer text;
alter table task_verifications add column verdict_independence text;
alter table spawns add column secret_hash text;
alter table spawns add column secret_round integer;
alter table spawns add column secret_used_at text;

alter table memories add column proof text;

create table store_facts (name text primary key, value text not null);
`;

/** A plain delete trigger does not run for \`insert or replace\`, which deletes the conflicting row first. */
const sqlite = `
insert into store_facts (name, value) values ('replica', lower(hex(randomblob(8))));

create trigger audit_log_not_replaced before insert on audit_log when exists (select 1 from audit_log where seq = new.seq)
  begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_head_kept before delete on audit_head begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_head_not_replaced before insert on audit_head when exists (select 1 from audit_head)
  begin select raise(abort, 'the audit log is append-only'); end;
create trigger audit_head_advances before update on audit_head when new.seq <> old.seq + 1
  begin select raise(abort, 'the audit log is append-only'); end;
`;

const postgres = `
insert into store_facts (name, value) values ('replica', substr(replace(gen_random_uuid()::text, '-', ''), 1, 16));

create trigger audit_log_not_truncated before truncate on audit_log for each statement execute function refuse_change();
create trigger audit_head_kept before delete on audit_head for each row execute function refuse_change();
create trigger audit_head_not_truncated before truncate on audit_head for each statement execute function refuse_change();
create trigger audit_head_advances before update on audit_head for each row when (new.seq <> old.seq + 1) execute function refuse_change();
`;

export const trustMigration: Migration = { version: 6, name: 'trust', common, sqlite, postgres };
