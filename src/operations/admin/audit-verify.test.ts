import { expect, test } from 'vitest';
import { openHouse, type TestHouse } from '../../../test/house.ts';

const withEntries = async (count: number): Promise<TestHouse> => {
  const house = await openHouse();
  for (let i = 1; i <= count; i++) await house.call('tasks.add', { title: `Task ${i}` });
  return house;
};

test('an untouched log holds, from the empty one on', async () => {
  const house = await openHouse();
  expect(await house.call('admin.audit.verify')).toMatchObject({ success: true, chain: { ok: true, entries: 0, head: '0'.repeat(64) } });
  await house.call('tasks.add', { title: 'First' });
  await house.call('tasks.add', { title: 'Refused', parent: 'T009' });
  expect(await house.call('admin.audit.verify')).toMatchObject({
    chain: { ok: true, entries: 2, head: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

test('a broken link is 20 and names the first broken entry; the fix runs', async () => {
  const house = await withEntries(4);
  await house.tamper("update audit_log set agent_id = 'somebody else' where seq in (2, 4)");
  const { error } = await house.call('admin.audit.verify');
  expect(error).toMatchObject({
    code: 'E_CHECKSUM_MISMATCH',
    exitCode: 20,
    details: { seq: 2 },
    message: expect.stringContaining('entry 2 was changed'),
  });
  expect((await house.cli(error.fix)).exitCode).toBe(0);
});

test('entries are followed through batches', async () => {
  const house = await openHouse();
  await house.store.write({ at: 'x', by: 'x' }, async ({ audit }) => {
    const draft = {
      timestamp: 'x',
      agent: 'x',
      gateway: 'cli',
      domain: 'tasks',
      operation: 'add',
      params: '{}',
      success: true,
      exitCode: 0,
    } as const;
    for (let i = 0; i < 4100; i++) await audit.append({ ...draft, created: [], updated: [], deleted: [], durationMs: 0 });
  });
  expect(await house.call('admin.audit.verify')).toMatchObject({ chain: { entries: 4100 } });
  await house.tamper('delete from audit_log where seq = 4050');
  expect(await house.call('admin.audit.verify')).toMatchObject({ error: { details: { seq: 4050 } } });
});

test('200 random tamperings are all found', async () => {
  const entries = 12;
  const house = await withEntries(entries);
  await house.tamper('create table kept_log as select * from audit_log; create table kept_head as select * from audit_head');
  const missed: string[] = [];
  for (let i = 0; i < 200; i++) {
    const { statement, seq } = tampering(i, entries);
    await house.tamper(statement);
    const { error } = await house.call('admin.audit.verify');
    if (error?.code !== 'E_CHECKSUM_MISMATCH' || error.details.seq !== seq)
      missed.push(`${statement}: ${error?.details?.seq ?? 'not found'}, not ${seq}`);
    await house.tamper(
      'delete from audit_log; delete from audit_head; insert into audit_log select * from kept_log; insert into audit_head select * from kept_head',
    );
  }
  expect(missed).toEqual([]);
  expect(await house.call('admin.audit.verify')).toMatchObject({ chain: { entries } });
});

const texts = ['timestamp', 'agent_id', 'domain', 'operation', 'params', 'created_ids', 'updated_ids', 'deleted_ids', 'prev_hash', 'hash'];
const numbers = ['exit_code', 'duration_ms'];
const pick = <T>(items: T[]): T => items[Math.floor(Math.random() * items.length)]!;

/** One change of the log, and the entry at which it has to be found. */
function tampering(i: number, entries: number): { statement: string; seq: number } {
  const seq = 1 + Math.floor(Math.random() * entries);
  const at = `where seq = ${seq}`;
  const column = pick(texts);
  const kinds: (() => { statement: string; seq: number })[] = [
    () => ({ statement: `update audit_log set ${column} = ${column} || ' ' ${at}`, seq }),
    () => ({ statement: `update audit_log set ${column} = 'x' || substr(${column}, 2) ${at}`, seq }),
    () => ({ statement: `update audit_log set ${pick(['session_id', 'error_code'])} = '' ${at}`, seq }),
    () => ({ statement: `update audit_log set ${pick(numbers)} = ${1000 + i} ${at}`, seq }),
    () => ({ statement: `update audit_log set success = 0, gateway = 'http' ${at}`, seq }),
    () => ({ statement: `delete from audit_log ${at}`, seq: seq }),
    () => ({ statement: `delete from audit_log where seq >= ${seq}`, seq }),
    () => ({ statement: `update audit_log set seq = ${entries + 1 + i} ${at}`, seq }),
    () => ({
      statement: `update audit_head set ${pick(["hash = 'x'", `seq = ${entries + 1}`, `seq = ${entries - 1}`])}`,
      seq: entries + 1,
    }),
    () => ({ statement: 'delete from audit_head', seq: entries + 1 }),
    () => ({
      statement: `insert into audit_log select ${entries + 1}, timestamp, session_id, agent_id, gateway, domain, operation, params, success, exit_code, error_code, created_ids, updated_ids, deleted_ids, duration_ms, prev_hash, hash from audit_log ${at}`,
      seq: entries + 1,
    }),
  ];
  return kinds[i % kinds.length]!();
}
