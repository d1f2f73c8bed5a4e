import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { formatPlanFile } from '../../src/transfer/rules/plan/format.ts';
import { createPlanTask, planNoon } from '../plan-tasks.ts';
import { cleoLine, runAtTerminal } from '../terminal-session.ts';
import {
  checkIntegrity,
  createFaultFolder,
  createKillTimer,
  type FaultProject,
  listTaskIds,
  openFaultProject,
  pickSize,
} from './processes.ts';

const count = pickSize(400, 10_000);

/** A checkout with plan files and without a store. */
function createClone(): FaultProject {
  const folder = createFaultFolder();
  const tasks = join(folder, '.cleo', 'plan', 'tasks');
  mkdirSync(tasks, { recursive: true });
  writeFileSync(join(folder, '.cleo', 'config.json'), '{"project":{"key":"fresh"}}\n');
  for (let i = 1; i <= count; i++) {
    const uid = `u${String(i).padStart(19, '0')}`;
    const record = createPlanTask('a1a1', uid, `T${String(i).padStart(3, '0')}`, { fields: { title: `Task ${i}` } }, planNoon + i);
    writeFileSync(join(tasks, `${uid}.json`), formatPlanFile(record));
  }
  return openFaultProject(folder);
}

/** Names of files in `.cleo` that a build leaves behind. */
const listLeftovers = ({ root }: FaultProject): string[] => readdirSync(join(root, '.cleo')).filter((name) => /\.new-|\.lock/.test(name));

const notice = `cleo: built the task database of this clone from .cleo/plan (${count} records)\n`;

test('eight first commands of a fresh clone wait for one builder, which says so once', async () => {
  const clone = createClone();
  const ended = await Promise.all(Array.from({ length: 8 }, (_, i) => clone.run(['show', `T00${i + 1}`])));
  for (const [i, { exitCode, answer }] of ended.entries()) expect([exitCode, answer.task?.title]).toEqual([0, `Task ${i + 1}`]);
  expect(ended.map(({ stderr }) => stderr).filter((text) => text !== '')).toEqual([notice]);
  expect(listLeftovers(clone)).toEqual([]);
  expect(checkIntegrity(clone.database)).toBe('ok');
});

test('a build that is killed leaves no store, and the next command starts over', async () => {
  const clone = createClone();
  const reset = (): void => {
    for (const name of readdirSync(join(clone.root, '.cleo')))
      if (/^(cleo\.db|local\.json)/.test(name) && !name.includes('.new-')) rmSync(join(clone.root, '.cleo', name));
  };
  const began = performance.now();
  await clone.runOk(['show', 'T001']);
  const aim = createKillTimer(performance.now() - began);
  for (let i = 0; i < pickSize(5, 20); i++) {
    reset();
    const killed = await clone.run(['list', '--limit', '1'], {
      onStart: (child) => {
        void sleep(aim.pickMoment(0.2, 1)).then(() => child.kill('SIGKILL'));
      },
    });
    aim.recordEnd(killed);
    const next = await clone.run(['list', '--limit', '1']);
    expect([next.exitCode, listTaskIds(clone.database).length]).toEqual([0, count]);
    // The killed process may have finished the build. Its lock stays if it did not get to release it; the next build takes it over.
    expect(['', notice]).toContain(next.stderr);
    expect(listLeftovers(clone).filter((name) => next.stderr !== '' || name !== 'build.lock')).toEqual([]);
  }
  expect(aim.countKills()).toBeGreaterThan(0);
  expect((await clone.run(['sync', '--check'])).exitCode).toBe(0);
});

test('a terminal shows the progress of a build on one line, which is cleared', async () => {
  const clone = createClone();
  const seen = await runAtTerminal(cleoLine('show', 'T001'), { cwd: clone.root, env: { CLEO_HOME: join(clone.root, '.home') } });
  const lines = seen.split('\r\u001b[K');
  expect(lines[1]).toBe('cleo: building the task database …');
  const total = count.toLocaleString('en');
  expect(lines).toEqual(expect.arrayContaining([`cleo: building the task database: reading 200 of ${total} …`]));
  expect(lines).toEqual(expect.arrayContaining([`cleo: building the task database: writing ${total} of ${total} …`]));
  expect(lines.at(-1)).toContain('built the task database of this clone');
  expect(Math.max(...lines.slice(0, -1).map(({ length }) => length))).toBeLessThan(80);
});
