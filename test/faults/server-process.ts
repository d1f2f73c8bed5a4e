import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../app.ts';
import { cleoPath, cleoRunner, isNative } from '../built-cli.ts';
import type { FaultProject } from './processes.ts';
import { setConfig } from './set-config.ts';

/** A `cleo serve` process. */
export interface ServerProcess {
  child: ChildProcess;
  port: number;
  send(method: string, path: string, body?: string | Buffer, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  post(path: string, params: unknown): Promise<{ status: number; body: Json }>;
  /** Memory of the process, in megabytes. */
  memory(): Promise<number>;
  ended: Promise<unknown>;
  /** Everything the server wrote to standard error. */
  getErrors(): string;
}

export async function startServer(project: FaultProject, flags: string[] = [], env: Record<string, string> = {}): Promise<ServerProcess> {
  const child = spawn(cleoRunner, [...(isNative ? [] : flags), cleoPath, 'serve', '--port', '0'], {
    cwd: project.root,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', CLEO_HOME: join(project.root, '.home'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
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
  const send: ServerProcess['send'] = (method, path, body = '', headers = {}) =>
    new Promise((resolve, reject) => {
      const all = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers };
      const sent = request({ host: '127.0.0.1', port, agent, method, path, headers: all }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        answer.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  return {
    child,
    ended,
    port,
    send,
    getErrors: () => errors,
    post: async (path, params) => {
      const { status, text } = await send('POST', `/api/${path}`, JSON.stringify(params));
      return { status, body: JSON.parse(text) };
    },
    memory: async () => Number(/^process_resident_memory_bytes (\d+)$/m.exec((await send('GET', '/metrics')).text)?.[1]) / 2 ** 20,
  };
}

/** Removes the rate limit, as a person would. */
export async function removeRateLimit(project: FaultProject): Promise<void> {
  await setConfig(project, 'serve.callsPerMinute', '0');
}
