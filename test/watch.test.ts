import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { measureWidth, prepareWidths } from '../src/core/terminal/index.ts';
import { type Json, openApp } from './app.ts';
import { cleoPath, cleoRunner, runCleo } from './built-cli.ts';
import { openPty } from './pty.ts';

const world = ['T001 epic: Parser', 'T002 in T001 active by ada: Write it', 'T003 in T001 high: 漢字 Test it', 'T004 done: Plan it'];

async function project(tasks = world) {
  const app = await openApp({ tasks });
  const { root, env } = app;
  const command = `sh -c 'echo $$ >pid; exec "${cleoRunner}" "${cleoPath}" "$@"' sh`;
  return {
    ...app,
    cleo: (...argv: string[]) => runCleo(argv, { cwd: root, env }),
    watch: (words = 'watch', size: { columns?: number; rows?: number } = {}) =>
      openPty(`echo before; ${command} ${words}; echo "ended with $?"; stty -a | grep -oE -e '-?(icanon|echo)\\b' | xargs`, {
        cwd: root,
        env,
        ...size,
      }),
  };
}

/** Returns the CPU time of a process in hundredths of a second. */
function readCpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

describe('on a terminal', () => {
  test('draws the board, shows the writes of other processes, and is idle in between', async () => {
    const { cleo, watch } = await project();
    const pty = await watch();
    expect((await pty.waitFor(/1\/2$/)).split('\n')).toEqual([
      '[1 board] 2 list  3 task  4 log  5 work',
      ' ○ pending 2         ◐ active 1          ⊘ blocked 0         ✓ done 1',
      expect.stringMatching(/^▌T003 high E-T001 {4}T002 ada \d+w {28}T004 \S+ ago$/),
      '▌ 漢字 Test it        Write it                                Plan it',
      ' E-T001',
      '  Parser',
      ...Array(17).fill(''),
      '? help  q quit  ⏎ open  / filter  e epic  ←↓↑→ move                          1/2',
    ]);
    await cleo('add', 'From another process');
    await pty.waitFor(/pending 3[\s\S]*T005\n {2}From another/);
    const before = readCpuTicks(pty.pid());
    await sleep(1500);
    expect(readCpuTicks(pty.pid()) - before).toBeLessThanOrEqual(6);
  });

  test('handles keys for moving, opening and filtering, and a new size', async () => {
    const { watch } = await project();
    const pty = await watch('watch', { columns: 60, rows: 12 });
    await pty.waitFor(/▌T003/);
    pty.press('\u001b[C\r');
    await pty.waitFor(/\[3 task\][\s\S]*◐ T002 {2}Write it[\s\S]*claim +ada/);
    pty.press('\u001b');
    await pty.waitFor(/\[1 board\][\s\S]*▌T002/);
    pty.press('/parser\r2');
    await pty.waitFor(/^ 1 board \[2 list\].*\n▌○ E-T001 {2}Parser\n{7,}\/parser/);
    await pty.resize(40, 6);
    expect((await pty.waitFor(/\n\/parser {2}esc all {2}\? help {2}q quit +1\/1$/)).split('\n')).toHaveLength(6);
    pty.press('\u001b4');
    await pty.waitFor(/nothing was written yet/);
  });

  test.each(['q', 'SIGTERM', 'SIGHUP'])('%s restores the terminal', async (how) => {
    const { watch } = await project();
    const pty = await watch();
    await pty.waitFor(/▌T003/);
    expect(pty.getScreen()).not.toContain('before');
    if (how === 'q') pty.press('q');
    else process.kill(pty.pid(), how);
    await pty.ended;
    expect(pty.getScreen()).toMatch(/^before\nended with 0\nicanon echo$/);
  });

  test('reports a missing or newer store, and continues when it is back', async () => {
    const { cleo, root, tamper, watch } = await project();
    const pty = await watch();
    await pty.waitFor(/▌T003/);
    const database = join(root, '.cleo', 'cleo.db');
    renameSync(database, `${database}.away`);
    expect(await pty.waitFor(/E_STORE_DAMAGED/)).toContain('▌T003');
    renameSync(`${database}.away`, database);
    await pty.waitFor(/\? help/);
    await tamper("insert into schema_migrations (version, checksum, applied_at) values (99, 'x', '2026-01-01T00:00:00.000Z')");
    await pty.waitFor(/E_STORE_NEWER/);
    await tamper('delete from schema_migrations where version = 99');
    await pty.waitFor(/\? help/);
    await cleo('add', 'Afterwards');
    await pty.waitFor(/Afterwards/);
  });

  test('watches a list with its filters, and reports invalid input in place', async () => {
    const { cleo, watch } = await project();
    const pty = await watch('list --watch --parent T001');
    expect(await pty.waitFor(/▌◐ T002/)).not.toContain('Plan it');
    await cleo('add', 'A further one', '--parent', 'T001');
    expect(await pty.waitFor(/A further one/)).toMatch(/1\/3$/);
    const refused = await watch('watch T900');
    await refused.ended;
    expect(refused.getScreen()).toMatch(/^before\nE_NOT_FOUND[\s\S]*ended with 4\nicanon echo$/);
  });
});

test('a board fits its width for titles in any script', async () => {
  const { cleo } = await project(
    ['pending', 'active', 'blocked', 'done'].map((status, i) => `T00${i + 1} ${status}: ${'漢字'.repeat(20)}`),
  );
  await prepareWidths('漢');
  const { out } = await cleo('board', '--human');
  expect(out).toContain('漢字…');
  for (const line of out.split('\n')) expect(measureWidth(line)).toBeLessThanOrEqual(80);
});

describe('on a pipe', () => {
  async function start(argv: string[], tasks?: string[]) {
    const app = await project(tasks);
    const child = spawn(cleoRunner, [cleoPath, ...argv], {
      cwd: app.root,
      env: { PATH: process.env.PATH, ...app.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    onTestFinished(async () => {
      if (child.exitCode === null) child.kill('SIGKILL');
      await ended;
    });
    return { ...app, child, ended, line: linesOf(child) };
  }

  function linesOf({ stdout }: ChildProcess): () => Promise<string> {
    let text = '';
    stdout!.setEncoding('utf8').on('data', (more) => {
      text += more;
    });
    return async () => {
      for (let waited = 0; !text.includes('\n'); waited += 25) {
        if (waited > 15_000) throw new Error(`no line came, only ${JSON.stringify(text)}`);
        await sleep(25);
      }
      const end = text.indexOf('\n');
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      return line;
    };
  }

  test('prints one line for each change', async () => {
    const { call, line } = await start(['watch']);
    expect(JSON.parse(await line())).toMatchObject({
      _meta: { command: 'watch', resultsField: 'watching' },
      success: true,
      watching: { seq: 0 },
    });
    await call('tasks.add', { title: '' });
    await call('tasks.add', { title: 'First' });
    await call('tasks.update', { taskId: 'T001', priority: 'high' });
    expect(JSON.parse(await line())).toEqual({
      seq: 2,
      timestamp: expect.any(String),
      operation: 'tasks.add',
      agent: 'tester',
      created: ['T005'],
    });
    expect(JSON.parse(await line())).toMatchObject({ seq: 3, operation: 'tasks.update', updated: ['T001'] });
  });

  test('of an epic, prints changes inside it and tasks that leave it', async () => {
    const { call, line } = await start(['watch', 'T001', '--human']);
    await sleep(500);
    await call('tasks.update', { taskId: 'T004', priority: 'high' });
    await call('tasks.add', { title: 'Inside', parent: 'T001' });
    await call('tasks.delete', { taskId: 'T003' });
    expect(await line()).toMatch(/^\S+Z tester tasks\.add: created T005$/);
    expect(await line()).toMatch(/^\S+Z tester tasks\.delete: deleted T003$/);
  });

  test('prints a list again when it changed, in the requested format', async () => {
    const { call, line } = await start(['list', '--watch', '--status', 'pending', '--quiet']);
    expect([await line(), await line()]).toEqual(['T001', 'T003']);
    await call('tasks.update', { taskId: 'T004', labels: ['x'] });
    await call('tasks.start', { taskId: 'T003' });
    expect(await line()).toBe('T001');
  });

  test('exits when the reader is gone, and at once on a signal', async () => {
    const unread = await start(['watch']);
    await unread.line();
    unread.child.stdout!.destroy();
    await unread.call('tasks.add', { title: 'Unread' });
    expect(await unread.ended).toBe(0);
    const told = await start(['list', '--watch']);
    const first: Json = JSON.parse(await told.line());
    expect(first.tasks).toHaveLength(4);
    told.child.kill('SIGTERM');
    await told.ended;
    expect(told.child.signalCode).toBe('SIGTERM');
  });

  test('rejects what cannot be watched with its exit code', async () => {
    const { cleo } = await project();
    expect(await cleo('watch', 'T900')).toMatchObject({ exitCode: 4, out: expect.stringContaining('"E_NOT_FOUND"') });
    expect(await cleo('list', '--watch', '--parent', 'T900')).toMatchObject({ exitCode: 4, out: expect.stringContaining('"E_NOT_FOUND"') });
  });
});
