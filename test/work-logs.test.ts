import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from './built-cli.ts';
import { openPty } from './pty.ts';
import { createWorkProject, waitForLine } from './work/project.ts';

test('work logs --follow writes into a pipe what the agent prints, as it comes and once, over all rounds', async () => {
  const project = await createWorkProject();
  const id = await project.add('Work', 'agent: sleep 2500\nagent: write a.txt\nagent: learn');
  const work = project.start(['work']);
  await waitForLine(project, id, `working on ${id}`);
  const follow = project.start(['work', 'logs', id, '--follow']);
  let out = '';
  follow.child.stdout!.on('data', (text: string) => {
    out += text;
  });
  for (let i = 0; i < 100 && out === ''; i += 1) await sleep(20);
  // The agent still sleeps.
  expect(out).toBe(`working on ${id} as ${id}-worker-1\n`);
  const { answer } = await work.whenEnded;
  expect(answer.work.tasks).toMatchObject([{ outcome: 'done', rounds: 2 }]);
  expect((await follow.whenEnded).exitCode).toBe(0);
  const { runs } = await project.runOk(['trace', 'list']);
  const readLog = (round: number): string =>
    readFileSync(join(project.folder, '.cleo', 'runs', runs[0].id, `round-${round}`, 'scripted', '1', 'stdout.log'), 'utf8');
  expect(out).toBe(`${readLog(1)}${readLog(2)}`);
  expect((await project.run(['work', 'logs', id])).out).toBe(readLog(2));
});

test('work logs --follow ends when its reader is gone', async () => {
  const project = await createWorkProject();
  const id = await project.add('Work', 'agent: sleep 3000\nagent: write a.txt\nagent: chatter 60');
  const work = project.start(['work']);
  await waitForLine(project, id, `working on ${id}`);
  const follow = project.start(['work', 'logs', id, '--follow']);
  follow.child.stdout!.destroy();
  expect((await follow.whenEnded).exitCode).toBe(0);
  // Its agent is still at it.
  expect((await project.show(id)).status).toBe('active');
  await project.runOk(['work', 'stop', id, '--now']);
  await work.whenEnded;
});

test('watch shows what a running agent prints', async () => {
  const project = await createWorkProject();
  const id = await project.add('Count down', 'agent: chatter 60');
  const work = project.start(['work']);
  await waitForLine(project, id, 's left');
  const pty = await openPty(`exec "${cleoRunner}" "${cleoPath}" watch`, { cwd: project.folder, env: project.env });
  await pty.waitFor(/Count down/);
  pty.press('5');
  await pty.waitFor(new RegExp(`\\[5 work\\][^]*cleo work \\w+ .*scripted × 1[^]*▌◐ ${id} +Count down +working .*5\\d s left`));
  // It is read again though nothing is written to the store.
  const [left = ''] = /\d+ s left/.exec(pty.getScreen()) ?? [];
  await pty.waitFor(new RegExp(`(?!${left})\\b\\d\\d s left`));
  pty.press('q');
  await project.runOk(['work', 'stop', '--all', '--now']);
  await work.whenEnded;
});
