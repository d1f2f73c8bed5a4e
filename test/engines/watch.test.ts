import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { openApp } from '../app.ts';
import { cleoPath, cleoRunner } from '../built-cli.ts';

test('watch reports changes of another process on PostgreSQL', async () => {
  const { root, env, call } = await openApp({ engine: 'postgres' });
  const child = spawn(cleoRunner, [cleoPath, 'watch'], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(JSON.parse((await lines.next()).value)).toMatchObject({ success: true, watching: { seq: 0 } });
  await call('tasks.add', { title: 'First' });
  expect(JSON.parse((await lines.next()).value)).toMatchObject({ seq: 1, operation: 'tasks.add', created: ['T001'] });
});
