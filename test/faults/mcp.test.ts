import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { checkIntegrity, createFaultProject, createIds, listTaskIds, pickSize, queryDatabase } from './processes.ts';

/** Number of kills; `CLEO_KILLS` overrides it. */
const kills = pickSize(12, Number(process.env.CLEO_KILLS ?? 200));
const batch = 60;

interface Killed {
  acknowledged: string[];
  sent: number;
}

/** Writes through `cleo mcp` and kills the server some time after its first answer. */
async function writeAndKill(root: string, round: number): Promise<Killed> {
  const child = spawn(cleoRunner, [cleoPath, 'mcp'], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', CLEO_HOME: join(root, '.home') },
  });
  child.stdin.on('error', () => {});
  const ended = once(child, 'close');
  const answers = collectAnswers(child);
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  });
  send({ method: 'notifications/initialized' });
  for (let id = 1; id <= batch; id++)
    send({
      id,
      method: 'tools/call',
      params: { name: 'cleo_mutate', arguments: { domain: 'tasks', operation: 'add', params: { title: `Round ${round}, task ${id}` } } },
    });
  await answers.first;
  await sleep(Math.random() * 60);
  child.kill('SIGKILL');
  await ended;
  return { acknowledged: answers.ids, sent: batch };
}

/** Collects the ids of acknowledged tasks; `first` settles with the first one. */
function collectAnswers(child: ChildProcessWithoutNullStreams): { ids: string[]; first: Promise<void> } {
  const ids: string[] = [];
  let rest = '';
  const first = new Promise<void>((resolve, reject) => {
    child.once('close', () => reject(new Error('the server ended before it answered')));
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { id, result } = JSON.parse(line);
        if (!id) continue;
        expect(result.isError).toBeUndefined();
        ids.push(result.structuredContent.task.id);
        resolve();
      }
    });
  });
  return { ids, first };
}

test('a killed server loses nothing acknowledged, and the next one works', async () => {
  const project = await createFaultProject();
  const acknowledged: string[] = [];
  let struck = 0;
  for (let round = 0; round < kills; round++) {
    const killed = await writeAndKill(project.root, round);
    acknowledged.push(...killed.acknowledged);
    if (killed.acknowledged.length < killed.sent) struck++;
  }
  expect(struck).toBeGreaterThan(kills / 4);
  const ids = listTaskIds(project.database);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(ids).toEqual(createIds(ids.length));
  expect(checkIntegrity(project.database)).toBe('ok');
  // Every recorded success is committed, and the log is valid.
  expect(queryDatabase(project.database, `select count(*) as n from audit_log where operation = 'add'`)).toEqual([{ n: ids.length }]);
  expect(await project.runOk(['audit', 'verify'])).toMatchObject({ success: true });
  expect(await project.runOk(['add', 'The next call'])).toMatchObject({ task: { id: createIds(ids.length + 1).at(-1) } });
});
