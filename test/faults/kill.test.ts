import { writeFileSync } from 'node:fs';
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

/** Starts a command and kills it at some moment of its life, or just after. */
async function killedAt({ run }: FaultProject, args: string[], afterMs: number): Promise<EndedProcess> {
  return run(args, {
    onStart: (child) => {
      void sleep(afterMs).then(() => child.kill('SIGKILL'));
    },
  });
}

async function lifetimeMs({ runOk: done }: FaultProject, args: string[]): Promise<number> {
  const began = performance.now();
  await done(args);
  return performance.now() - began;
}

test('a process killed while it adds loses nothing it had acknowledged, and the next call works', async () => {
  const kills = pickSize(15, 200);
  const project = await createFaultProject();
  const aim = createKillTimer(await lifetimeMs(project, ['add', 'The first']));
  const acknowledged = ['T001'];
  for (let i = 0; i < kills; i++) {
    // Others write at the same time: the killed one may hold the lock they wait for.
    const [killed, other] = await Promise.all([
      killedAt(project, ['add', `Killed ${i}`], aim.pickMoment(0, 1.6)),
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

test('a batch whose process is killed is there as a whole or not at all', async () => {
  const project = await createFaultProject();
  const [kills, batch] = [pickSize(6, 60), 200];
  const file = join(project.root, 'batch.json');
  writeFileSync(file, JSON.stringify(Array.from({ length: batch }, (_, i) => ({ title: `Part ${i}` }))));
  const lifeMs = await lifetimeMs(project, ['add-batch', '--file', file]);
  let acknowledged = 1;
  for (let i = 0; i < kills; i++) {
    const killed = await killedAt(project, ['add-batch', '--file', file], lifeMs * (0.3 + Math.random()));
    if (killed.answer.success) acknowledged++;
  }
  await project.runOk(['add', 'The next call']);
  const ids = listTaskIds(project.database);
  expect((ids.length - 1) % batch).toBe(0);
  expect((ids.length - 1) / batch).toBeGreaterThanOrEqual(acknowledged);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(project.database)).toBe('ok');
  // The log holds one entry for every batch that is there: a recorded success is a committed success.
  const entries = queryDatabase(project.database, `select count(*) as n from audit_log where operation = 'add-batch'`);
  expect(entries).toEqual([{ n: (ids.length - 1) / batch }]);
});
