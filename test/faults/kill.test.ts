import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  checkIntegrity,
  createFaultProject,
  createIds,
  createKillTimer,
  type EndedProcess,
  type FaultProject,
  listTaskIds,
  pickSize,
  queryDatabase,
} from './processes.ts';

/** Starts a command and kills it after `afterMs`. */
async function runAndKill({ run }: FaultProject, args: string[], afterMs: number): Promise<EndedProcess> {
  return run(args, {
    onStart: (child) => {
      void sleep(afterMs).then(() => child.kill('SIGKILL'));
    },
  });
}

async function measureMs({ runOk }: FaultProject, args: string[]): Promise<number> {
  const began = performance.now();
  await runOk(args);
  return performance.now() - began;
}

test('a killed add loses nothing acknowledged, and the next call works', async () => {
  const kills = pickSize(15, 200);
  const project = await createFaultProject();
  const aim = createKillTimer(await measureMs(project, ['add', 'The first']));
  const acknowledged = ['T001'];
  for (let i = 0; i < kills; i++) {
    // Others write at the same time, possibly waiting for the lock of the killed process.
    const [killed, other] = await Promise.all([
      runAndKill(project, ['add', `Killed ${i}`], aim.pickMoment(0, 1.6)),
      project.run(['add', `Beside ${i}`]),
    ]);
    aim.recordEnd(killed);
    for (const { answer } of [killed, other]) if (answer.success) acknowledged.push(answer.task.id);
    expect(other.exitCode).toBe(0);
  }
  expect(aim.countKills()).toBeGreaterThan(kills / 4);
  const ids = listTaskIds(project.database);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(project.database)).toBe('ok');
});

test('a killed write loses nothing acknowledged when a long log is written anew from its start', async () => {
  const kills = pickSize(20, 200);
  const project = await createFaultProject();
  const [file, log] = [join(project.root, 'batch.json'), `${project.database}-wal`];
  // A sixth of the length at which the log is written anew.
  writeFileSync(file, JSON.stringify(Array.from({ length: 15 }, (_, i) => ({ title: `Part ${i}`, description: 'word '.repeat(1600) }))));
  const aim = createKillTimer(await measureMs(project, ['add', 'The first']));
  const acknowledged = ['T001'];
  let before = { length: 0, beginning: '' };
  let restarts = 0;
  for (let i = 0; i < kills; i++) {
    const { tasks } = await project.runOk(['add-batch', '--file', file]);
    const killed = await runAndKill(project, ['add', `Killed ${i}`], aim.pickMoment(0.3, 1.2));
    aim.recordEnd(killed);
    for (const { id } of [...tasks, ...(killed.answer.success ? [killed.answer.task] : [])]) acknowledged.push(id);
    const bytes = readFileSync(log);
    // These numbers in its head change whenever the log begins anew. Unless its length falls, it was not emptied.
    const present = { length: bytes.length, beginning: bytes.toString('hex', 16, 24) };
    if (before.length >= 2 ** 20 && present.length >= before.length && present.beginning !== before.beginning) restarts++;
    before = present;
    expect(bytes.length).toBeLessThan(1.5 * 2 ** 20);
  }
  expect(restarts).toBeGreaterThan(kills / 40);
  expect(aim.countKills()).toBeGreaterThan(kills / 4);
  const ids = listTaskIds(project.database);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(project.database)).toBe('ok');
  expect((await project.run(['audit', 'verify'])).exitCode).toBe(0);
  expect((await project.run(['doctor'])).exitCode).toBe(0);
});

test('a killed batch is stored completely or not at all', async () => {
  const project = await createFaultProject();
  const [kills, batch] = [pickSize(6, 60), 200];
  const file = join(project.root, 'batch.json');
  writeFileSync(file, JSON.stringify(Array.from({ length: batch }, (_, i) => ({ title: `Part ${i}` }))));
  const lifeMs = await measureMs(project, ['add-batch', '--file', file]);
  let acknowledged = 1;
  for (let i = 0; i < kills; i++) {
    const killed = await runAndKill(project, ['add-batch', '--file', file], lifeMs * (0.3 + Math.random()));
    if (killed.answer.success) acknowledged++;
  }
  await project.runOk(['add', 'The next call']);
  const ids = listTaskIds(project.database);
  expect((ids.length - 1) % batch).toBe(0);
  expect((ids.length - 1) / batch).toBeGreaterThanOrEqual(acknowledged);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(project.database)).toBe('ok');
  // The log has one entry for every stored batch.
  const entries = queryDatabase(project.database, `select count(*) as n from audit_log where operation = 'add-batch'`);
  expect(entries).toEqual([{ n: (ids.length - 1) / batch }]);
});
