import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json } from '../app.ts';
import { checkIntegrity, createFaultProject, createIds, dist, type FaultProject, listTaskIds, pickSize } from './processes.ts';

interface Server {
  child: ChildProcess;
  post(path: string, params: unknown): Promise<{ status: number; body: Json }>;
  /** Memory of the process, in megabytes. */
  memory(): Promise<number>;
  ended: Promise<unknown>;
}

async function startServer(project: FaultProject, flags: string[] = []): Promise<Server> {
  const child = spawn(process.execPath, [...flags, join(dist, 'cleo.js'), 'serve', '--port', '0'], {
    cwd: project.root,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', CLEO_HOME: join(project.root, '.home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { port } = JSON.parse(line).listening;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = (method: string, path: string, text = ''): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (part) => {
          body += part;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text: body }));
        answer.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(text);
    });
  return {
    child,
    ended,
    post: async (path, params) => {
      const { status, text } = await ask('POST', `/api/${path}`, JSON.stringify(params));
      return { status, body: JSON.parse(text) };
    },
    memory: async () => Number(/^process_resident_memory_bytes (\d+)$/m.exec((await ask('GET', '/metrics')).text)?.[1]) / 2 ** 20,
  };
}

test('the memory of a server does not grow with the number of calls', async () => {
  const project = await createFaultProject();
  await project.runOk(['config', 'set', 'serve.callsPerMinute', '0']);
  // A small heap stabilizes quickly.
  const { post, memory } = await startServer(project, ['--max-semi-space-size=1', '--max-old-space-size=64']);
  const calls = async (count: number): Promise<void> => {
    let left = count;
    await Promise.all(
      Array.from({ length: 16 }, async (_, client) => {
        while (left-- > 0) {
          // Lists of different lengths, unknown names, errors and writes: everything that a cache could hold.
          const { status } = await [
            () => post('query/tasks/show', { taskId: 'T001' }),
            () => post('query/tasks/find', { query: `word${left} other${client}` }),
            () => post(`query/no/such${left}`, {}),
            () => post('mutate/tasks/update', { taskId: 'T001', title: `Title ${left}` }),
          ][left & 3]!();
          expect([200, 404]).toContain(status);
        }
      }),
    );
  };
  await post('mutate/tasks/add', { title: 'First' });
  await calls(pickSize(1000, 4000));
  const before = await memory();
  await calls(pickSize(1500, 10_000));
  // One kilobyte per call would be 10 MB in the long form, more than uncollected garbage.
  expect((await memory()) - before).toBeLessThan(pickSize(12, 24));
});

test('a killed server loses nothing that it answered', async () => {
  const project = await createFaultProject();
  await project.runOk(['config', 'set', 'serve.callsPerMinute', '0']);
  const acknowledged: string[] = [];
  for (let round = 0; round < pickSize(5, 60); round++) {
    const { child, post, ended } = await startServer(project);
    let isOver = false;
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let i = 0; !isOver; i++) {
        const answer = await post('mutate/tasks/add', { title: `Round ${round}, client ${client}, task ${i}` }).catch(() => undefined);
        if (answer?.status === 200) acknowledged.push(answer.body.task.id);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 150));
    child.kill('SIGKILL');
    isOver = true;
    await ended;
    await Promise.all(clients);
  }
  expect(checkIntegrity(project.database)).toBe('ok');
  const ids = listTaskIds(project.database);
  expect(acknowledged.length).toBeGreaterThan(10);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(ids).toEqual(createIds(ids.length));
  expect(await project.runOk(['audit', 'verify'])).toMatchObject({ success: true });
});

test('a server and commands share the store without errors or duplicate ids', async () => {
  const project = await createFaultProject();
  await project.runOk(['config', 'set', 'serve.callsPerMinute', '0']);
  const { post } = await startServer(project);
  const each = pickSize(8, 40);
  const ids = await Promise.all([
    ...Array.from({ length: 16 }, async (_, client) => {
      const mine: string[] = [];
      for (let i = 0; i < each; i++) mine.push((await post('mutate/tasks/add', { title: `HTTP ${client} ${i}` })).body.task.id);
      return mine;
    }),
    ...Array.from({ length: 4 }, async (_, client) => {
      const mine: string[] = [];
      for (let i = 0; i < each; i++) mine.push((await project.runOk(['add', `CLI ${client} ${i}`])).task.id);
      return mine;
    }),
  ]);
  expect(ids.flat().sort()).toEqual(createIds(20 * each).sort());
});
