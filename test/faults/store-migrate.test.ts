import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxEntries } from '#tasks/model/new-entry.ts';
import { grantPerson } from '../person-token.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { createFaultProject, createKillTimer, type FaultProject, pickSize } from './processes.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

interface MovedProject extends FaultProject {
  person: Record<string, string>;
  /** Moves the store; the process is killed after a time. */
  move(to: string, killAfterMs?: number): ReturnType<FaultProject['run']>;
}

async function createMovable(tasks: number): Promise<MovedProject> {
  const project = await createFaultProject();
  const env = { CLEO_HOME: join(project.root, '.home') };
  const entries = Array.from({ length: tasks }, (_, i) => ({ title: `Part ${i}`, description: `About "part" ${i}: é解` }));
  for (let i = 0; i < tasks; i += maxEntries)
    await project.runOk(['add-batch', '--file', '-'], { stdin: JSON.stringify(entries.slice(i, i + maxEntries)) });
  const person = await grantPerson(project.root, env);
  return {
    ...project,
    person,
    move: (to, killAfterMs) =>
      project.run(['store', 'migrate', '--to', to], {
        env: person,
        ...(killAfterMs === undefined ? {} : { onStart: (child) => void sleep(killAfterMs).then(() => child.kill('SIGKILL')) }),
      }),
  };
}

const readUrl = ({ root }: FaultProject): string => JSON.parse(readFileSync(join(root, '.cleo', 'config.json'), 'utf8')).store?.url ?? '';

test('a move that is killed at any moment leaves a valid store, and succeeds when it is run again', async () => {
  const project = await createMovable(pickSize(100, 1000));
  const began = performance.now();
  expect((await project.move(server.url)).answer).toMatchObject({ success: true });
  const aim = createKillTimer(performance.now() - began);
  const kills = pickSize(3, 50);
  const readTitles = async (): Promise<string> => (await project.run(['export', '--format', 'jsonl'])).stdout;
  const seen = { switched: 0, unchanged: 0 };
  // A move that ends before it is killed shows nothing, so it is repeated.
  for (let i = 0; i < kills || (aim.countKills() <= kills / 4 && i < 4 * kills); i++) {
    const present = readUrl(project);
    const to = present === '' ? server.url : 'sqlite';
    await project.runOk(['add', `Before move ${i}`]);
    const before = await readTitles();
    aim.recordEnd(await project.move(to, aim.pickMoment(0.3, 1.1)));
    // The store that is configured has everything, whichever it is.
    expect(await readTitles()).toBe(before);
    const added = await project.run(['add', `After kill ${i}`]);
    const isMarked = added.exitCode !== 0;
    if (isMarked) expect(added.answer.error).toMatchObject({ code: 'E_STORE_MOVED', exitCode: 8 });
    seen[readUrl(project) === present && !isMarked ? 'unchanged' : 'switched']++;
    const again = await project.move(to);
    expect([0, 102], again.stdout).toContain(again.exitCode);
    expect((await readTitles()).split('\n').length).toBe(before.split('\n').length + (isMarked ? 0 : 1));
    expect((await project.run(['audit', 'verify'])).exitCode).toBe(0);
    expect((await project.run(['doctor'])).exitCode).toBe(0);
  }
  expect(aim.countKills()).toBeGreaterThan(kills / 4);
});

test('writers during a move wait or get an error, and nothing that they were told is lost', async () => {
  const project = await createMovable(pickSize(2000, 20_000));
  let isMoving = true;
  const added: string[] = [];
  const others: string[] = [];
  const write = async (row: number): Promise<void> => {
    for (let i = 0; isMoving || i < 3; i++) {
      const { exitCode, answer } = await project.run(['add', `By ${row}.${i}`]);
      if (exitCode === 0) added.push(answer.task.title);
      else others.push(answer.error?.code);
    }
  };
  const moved = project.move(server.url).finally(() => {
    isMoving = false;
  });
  await Promise.all([moved, write(1), write(2)]);
  expect((await moved).answer).toMatchObject({ success: true });
  expect(others.filter((code) => !['E_STORE_MOVED', 'E_LOCK_TIMEOUT'].includes(code))).toEqual([]);
  const { stdout } = await project.run(['export', '--format', 'jsonl']);
  for (const title of added) expect(stdout).toContain(`"${title}"`);
  expect((await project.run(['audit', 'verify'])).exitCode).toBe(0);
  expect(existsSync(project.database)).toBe(true);
});
