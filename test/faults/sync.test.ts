import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkIntegrity, createFaultProject, createKillTimer, pickSize } from './processes.ts';

test('a killed sync loses nothing acknowledged, and the next one finishes', async () => {
  const kills = pickSize(8, 50);
  const project = await createFaultProject();
  for (let i = 0; i < 20; i++) await project.runOk(['add', `Task ${i}`]);
  const began = performance.now();
  await project.runOk(['sync']);
  const aim = createKillTimer(performance.now() - began);
  for (let i = 0; i < kills; i++) {
    await project.runOk(['update', `T00${1 + (i % 9)}`, '--notes', `Acknowledged ${i}`]);
    const killed = await project.run(['sync'], {
      onStart: (child) => {
        void sleep(aim.pickMoment(0, 1.4)).then(() => child.kill('SIGKILL'));
      },
    });
    aim.recordEnd(killed);
  }
  expect(aim.countKills()).toBeGreaterThan(0);
  await project.run(['sync']);
  const folder = join(project.root, '.cleo', 'plan', 'tasks');
  const plan = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  for (let i = 0; i < kills; i++) expect(plan.some((text) => text.includes(`"Acknowledged ${i}"`))).toBe(true);
  expect((await project.run(['sync', '--check'])).exitCode).toBe(0);
  expect((await project.run(['sync'])).exitCode).toBe(102);
  expect(checkIntegrity(project.database)).toBe('ok');
});
