import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { cleoPath, cleoRunner } from './built-cli.ts';
import { openPty, type Pty } from './pty.ts';
import { createWorkProject, listProcessesWith, type WorkProject, waitForLine } from './work/project.ts';

const readState = ({ folder }: WorkProject, id: string): string => {
  const path = join(folder, '.cleo', 'worktrees', '.state', id, 'item.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).state : '';
};

async function waitForState(project: WorkProject, id: string, state: string): Promise<void> {
  for (const end = Date.now() + 20_000; readState(project, id) !== state; await sleep(50))
    if (Date.now() > end) throw new Error(`${id} is ${readState(project, id)}, not ${state}`);
}

describe('work stop', () => {
  test('with a task lets its round finish, releases it, and does the other tasks', async () => {
    const project = await createWorkProject();
    const id = await project.add('First', 'agent: sleep 1500\nagent: write a.txt\nagent: learn');
    const other = await project.add('Second', 'agent: write b.txt');
    const { whenEnded } = project.start(['work']);
    await waitForLine(project, id, `working on ${id}`);
    expect((await project.runOk(['work', 'stop', id])).stopped).toMatchObject({ tasks: [id], running: [id] });
    expect((await whenEnded).answer.work.tasks).toMatchObject([
      { taskId: id, outcome: 'stopped', rounds: 1, note: expect.stringContaining('stopped after 1 round') },
      { taskId: other, outcome: 'done' },
    ]);
    expect(await project.show(id)).toMatchObject({ status: 'pending' });
    expect((await project.show(id)).labels).toBeUndefined();
    // The next run continues in its worktree.
    expect((await project.run(['work'])).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'done' }]);
  });

  test('with --all lets every agent finish and starts no further task', async () => {
    const project = await createWorkProject();
    const id = await project.add('First', 'agent: sleep 4000\nagent: write a.txt');
    const other = await project.add('Second', 'agent: write b.txt');
    const { whenEnded } = project.start(['work']);
    await waitForLine(project, id, `working on ${id}`);
    const { stopped } = await project.runOk(['work', 'stop', '--all']);
    expect(stopped).toMatchObject({ processes: [expect.any(String)], running: [id] });
    const readEnding = async (): Promise<string> => (await project.runOk(['work', 'status'])).work.processes[0]?.ending;
    await expect.poll(readEnding, { timeout: 3000 }).toBe('stopped by sam');
    expect((await whenEnded).answer.work).toMatchObject({ reason: 'stopped', tasks: [{ taskId: id, outcome: 'done' }] });
    expect((await project.show(other)).status).toBe('pending');
  });
});

describe('Ctrl-C on a terminal', () => {
  const open = (project: WorkProject): Promise<Pty> =>
    openPty(`exec "${cleoRunner}" "${cleoPath}" work`, { cwd: project.folder, env: project.env });

  test('once, while work.setup runs, lets the task be done and starts no other one', async () => {
    const setup = [process.execPath, '-e', 'setTimeout(() => {}, 1500)'];
    const project = await createWorkProject({ config: { work: { setup } } });
    const id = await project.add('First', 'agent: write a.txt');
    const other = await project.add('Second', 'agent: write b.txt');
    const pty = await open(project);
    await waitForState(project, id, 'working');
    pty.press('\x03');
    await pty.waitFor(/no further task is started; 1 agent still runs; Ctrl-C again ends it/);
    await pty.waitFor(new RegExp(`✓ ${id} +done[^]*· 1 done; the run was stopped`));
    await pty.ended;
    expect((await project.show(id)).status).toBe('done');
    expect((await project.show(other)).status).toBe('pending');
  });

  test('twice ends the agent with everything that it started, and releases its task', async () => {
    const project = await createWorkProject();
    const id = await project.add('Hang', 'agent: child\nagent: hang');
    const pty = await open(project);
    await waitForLine(project, id, 'hanging');
    pty.press('\x03');
    await pty.waitFor(/no further task is started/);
    pty.press('\x03');
    await pty.waitFor(new RegExp(`! ${id} +stopped`));
    await pty.ended;
    expect((await project.show(id)).status).toBe('pending');
    expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
  });

  test('twice while work.verify runs: the finished work waits, and the next run merges it', async () => {
    const verify = [process.execPath, '-e', 'setTimeout(() => {}, require("fs").existsSync("../slow") ? 600000 : 0)'];
    const project = await createWorkProject({ config: { work: { integrate: 'merge', verify, rounds: 1 } } });
    const id = await project.add('Work', 'agent: write a.txt\nagent: outside .cleo/worktrees/slow');
    const work = project.start(['work']);
    await waitForState(project, id, 'integrating');
    await sleep(1000);
    work.child.kill('SIGINT');
    await sleep(300);
    work.child.kill('SIGINT');
    const note = 'waits to be merged into main: stopped';
    expect((await work.whenEnded).answer.work.tasks).toMatchObject([{ taskId: id, outcome: 'waiting', note }]);
    expect((await project.show(id)).status).toBe('done');
    await project.configure({ work: { verify: '' } });
    await project.run(['work']);
    expect(project.git('show', 'main:a.txt')).toBe(id);
  });
});

test('a task whose claim has lapsed is not resumed beyond the limits over all machines', async () => {
  const project = await createWorkProject({ config: { claims: { awayMinutes: 0 }, work: { maxParallel: 1 } } });
  const [id, other] = [await project.add('First', 'agent: sleep 600000'), await project.add('Second', 'agent: write b.txt')];
  const { child, whenEnded } = project.start(['work']);
  await waitForLine(project, id, `working on ${id}`);
  child.kill('SIGKILL');
  await whenEnded;
  // Another machine uses the room that the lapsed claim has left.
  const claim = await project.run(['work', 'claim', '--except', id], { CLEO_AGENT_ID: 'work/scripted/elsewhere/1' });
  expect(claim.answer.claimed).toMatchObject({ taskId: other });
  const { answer } = await project.run(['work', '--for', '1s']);
  expect(answer.work).toMatchObject({ reason: 'time', tasks: [], limit: 'work.maxParallel is 1' });
  const { work } = await project.runOk(['work', 'status']);
  expect(work.tasks).toMatchObject([{ taskId: id, state: 'stopped', note: 'its claim has lapsed, and work.maxParallel is 1' }]);
  expect(listProcessesWith(`CLEO_ROOT=${project.folder}`)).toEqual([]);
  // It is taken, in its worktree, when there is room again.
  await project.runOk(['update', id, '--description', 'agent: write a.txt']);
  await project.run(['stop', other], { CLEO_AGENT_ID: `${other}-worker-1` });
  const { answer: last } = await project.run(['work']);
  expect(last.work.tasks.map(({ taskId, outcome }: { taskId: string; outcome: string }) => [taskId, outcome]).sort()).toEqual([
    [id, 'done'],
    [other, 'done'],
  ]);
});
