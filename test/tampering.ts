import { hashLink } from '../src/admin/rules/audit-chain.ts';
import type { TestApp } from './app.ts';
import { createRandom } from './random.ts';

/** A change of the log, and the entry at which verification must report it. */
interface Tampering {
  statement: string;
  seq: number;
}

/** Changes a log of `entries` entries `count` times, each time starting from the original log; returns the changes that
 *  verification did not report at the right entry. */
export async function findMissedTampering(app: TestApp, entries: number, count: number, seed: number): Promise<string[]> {
  for (let i = 1; i <= entries; i++) await app.call('tasks.add', { title: `Task ${i}`, description: `About ${i}` });
  await app.tamper('create table kept_log as select * from audit_log; create table kept_head as select * from audit_head');
  const links = await app.store.read((reads) => reads.audit.listLinks(0, entries));
  const random = createRandom(seed);
  const missed: string[] = [];
  for (let i = 0; i < count; i++) {
    const { statement, seq } = createTampering(i, entries, random, rehash);
    await app.tamper(statement);
    const { error } = await app.call('admin.audit.verify');
    if (error?.code !== 'E_CHECKSUM_MISMATCH' || error.exitCode !== 20 || error.details.seq !== seq)
      missed.push(`${i} of seed ${seed}, ${statement}: ${error?.details?.seq ?? 'not found'}, not ${seq}`);
    await app.tamper(
      'delete from audit_log; delete from audit_head; insert into audit_log select * from kept_log; insert into audit_head select * from kept_head',
    );
  }
  const { chain } = await app.call('admin.audit.verify');
  return chain?.entries === entries ? missed : [...missed, 'the original log no longer verifies'];

  /** Computes the hash of an entry with another agent, as an attacker who knows the chain would. */
  function rehash(seq: number, agent: string): string {
    return hashLink(links[seq - 1]!.columns.with(4, agent));
  }
}

const texts = [
  'timestamp',
  'agent_id',
  'domain',
  'operation',
  'params',
  'created_ids',
  'updated_ids',
  'deleted_ids',
  'prev_hash',
  'hash',
  'project',
];
const numbers = ['exit_code', 'duration_ms', 'history_seq'];
const others =
  'timestamp, session_id, agent_id, gateway, domain, operation, params, success, exit_code, error_code, created_ids, updated_ids, deleted_ids, duration_ms, prev_hash, hash, principal, project, signature, history_seq';

function createTampering(i: number, entries: number, random: () => number, rehash: (seq: number, agent: string) => string): Tampering {
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
  const seq = 1 + Math.floor(random() * entries);
  const at = `where seq = ${seq}`;
  const column = pick(texts);
  const place = 1 + Math.floor(random() * 10);
  const low = 1 + Math.floor(random() * (entries - 1));
  const high = low + 1 + Math.floor(random() * (entries - low));
  const kinds: (() => Tampering)[] = [
    () => ({ statement: `update audit_log set ${column} = ${column} || ' ' ${at}`, seq }),
    () => ({ statement: `update audit_log set ${column} = 'x' || substr(${column}, 2) ${at}`, seq }),
    // `~` does not occur in these entries.
    () => ({ statement: `update audit_log set params = substr(params, 1, ${place}) || '~' || substr(params, ${place + 2}) ${at}`, seq }),
    () => ({
      statement: `update audit_log set ${pick(['session_id', 'error_code', 'principal'])} = ${pick(["''", "'E_NOT_FOUND'"])} ${at}`,
      seq,
    }),
    () => ({ statement: `update audit_log set ${pick(numbers)} = ${1000 + i} ${at}`, seq }),
    () => ({
      statement: `update audit_log set history_seq = ${pick(['null', 'history_seq + 1', 'history_seq - 1', '0 - history_seq'])} ${at}`,
      seq,
    }),
    () => ({ statement: `update audit_log set success = 0 ${at}`, seq }),
    () => ({ statement: `update audit_log set gateway = '${pick(['http', 'cleo_query', 'cleo_mutate'])}' ${at}`, seq }),
    () => ({ statement: `delete from audit_log ${at}`, seq }),
    () => ({ statement: `delete from audit_log where seq >= ${seq}`, seq }),
    () => ({ statement: `delete from audit_log where seq between ${low} and ${high}`, seq: low }),
    () => ({ statement: `update audit_log set seq = ${entries + 1 + i} ${at}`, seq }),
    () => ({
      statement: `update audit_log set seq = -1 where seq = ${low}; update audit_log set seq = ${low} where seq = ${high}; update audit_log set seq = ${high} where seq = -1`,
      seq: low,
    }),
    () => ({
      statement: `update audit_log set params = (select params from kept_log where seq = ${high}) where seq = ${low}`,
      seq: low,
    }),
    // Changed and hashed again: the entry is valid, but the next one or the head no longer matches it.
    () => ({ statement: `update audit_log set agent_id = 'eve', hash = '${rehash(seq, 'eve')}' ${at}`, seq: seq + 1 }),
    () => ({
      statement: `update audit_head set ${pick(["hash = 'x'", `seq = ${entries + 1}`, `seq = ${entries - 1}`])}`,
      seq: entries + 1,
    }),
    () => ({ statement: 'delete from audit_head', seq: entries + 1 }),
    () => ({ statement: `insert into audit_log select ${entries + 1}, ${others} from audit_log ${at}`, seq: entries + 1 }),
  ];
  return kinds[i % kinds.length]!();
}
