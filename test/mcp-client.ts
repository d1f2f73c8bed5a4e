import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import type { Json } from './app.ts';
import { cleoPath, cleoRunner } from './built-cli.ts';

/** The protocol revision of a client. */
export type Revision = '2026-07-28' | '2025-11-25';
export const revisions: Revision[] = ['2026-07-28', '2025-11-25'];

export const createClientOptions = (era: Revision): ClientOptions => ({
  versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
});

interface ProjectLocation {
  root: string;
  env?: Record<string, string>;
}

const createEnv = ({ root, env = {} }: ProjectLocation): Record<string, string> => ({ PATH: process.env.PATH ?? '', HOME: root, ...env });

export interface McpConnection {
  client: Client;
  pid: number;
  getStderr(): string;
  call(
    gateway: 'query' | 'mutate',
    operation: string,
    params?: Record<string, unknown>,
    more?: Record<string, unknown>,
  ): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  envelope: Json;
  /** The answer as a model reads it. */
  answer: Json;
  text: string;
  isError: boolean;
}

/** Connects a client to the built `cleo mcp`. */
export async function connectClient(
  place: ProjectLocation,
  era: Revision = '2026-07-28',
  more: ClientOptions = {},
): Promise<McpConnection> {
  const transport = new StdioClientTransport({
    command: cleoRunner,
    args: [cleoPath, 'mcp'],
    cwd: place.root,
    env: createEnv(place),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const client = new Client({ name: 'test', version: '1' }, { ...createClientOptions(era), ...more });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid ?? 0, getStderr: () => stderr, call: createToolCaller(client) };
}

/** Calls an operation by its name and returns the envelope. */
export const createToolCaller =
  (client: Client): McpConnection['call'] =>
  async (gateway, operation, params, more = {}) => {
    const [domain = '', ...rest] = operation.split('.');
    const { content, structuredContent, isError, _meta } = await client.callTool({
      name: `cleo_${gateway}`,
      arguments: { domain, operation: rest.join('.'), ...(params ? { params } : {}), ...more },
    });
    const [first] = content as { text: string }[];
    const answer = structuredContent as Json;
    const envelope = joinAnswer(answer, _meta?.['cleo/envelope'] as Json);
    return { envelope, answer, text: first?.text ?? '', isError: isError === true };
  };

/** Joins an answer and what was left out of it to the envelope that the command line prints. */
export const joinAnswer = (answer: Json, omitted: Json): Json => ({
  ...omitted,
  ...answer,
  _meta: { ...omitted._meta, ...answer._meta },
});

export interface RawServer {
  child: ChildProcessWithoutNullStreams;
  sendLine(text: string): void;
  send(message: object): void;
  /** Returns the next message that `fits` accepts. */
  waitForMessage(fits?: (message: Json) => boolean): Promise<Json>;
  waitForAnswer(id: number): Promise<Json>;
  /** Everything the server wrote to standard output. */
  getOutput(): string;
  ended: Promise<number | null>;
}

/** Starts the server without a client, to send messages that no client would send. */
export function startRawServer(place: ProjectLocation): RawServer {
  const child = spawn(cleoRunner, [cleoPath, 'mcp'], { cwd: place.root, env: createEnv(place) });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  let rest = '';
  const seen: Json[] = [];
  const waiting: { fits: (message: Json) => boolean; take: (message: Json) => void }[] = [];
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Json;
      const at = waiting.findIndex(({ fits }) => fits(message));
      if (at >= 0) waiting.splice(at, 1)[0]?.take(message);
      else seen.push(message);
    }
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const next: RawServer['waitForMessage'] = (fits = () => true) => {
    const at = seen.findIndex(fits);
    if (at >= 0) return Promise.resolve(seen.splice(at, 1)[0]!);
    return new Promise((take, failed) => {
      waiting.push({ fits, take });
      void ended.then((code) => failed(new Error(`the server ended with ${code}`)));
    });
  };
  const line = (text: string): void => void child.stdin.write(`${text}\n`);
  const send = (message: object): void => line(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return {
    child,
    sendLine: line,
    send,
    waitForMessage: next,
    waitForAnswer: (id) => next((message) => message.id === id),
    getOutput: () => output,
    ended,
  };
}

/** Performs the handshake of revisions before 2026-07-28. */
export async function initialize(raw: RawServer): Promise<Json> {
  raw.send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  const answer = await raw.waitForAnswer(0);
  raw.send({ method: 'notifications/initialized' });
  return answer;
}

export const createToolCall = (id: number, gateway: 'query' | 'mutate', operation: string, params: object = {}, meta?: object): object => {
  const [domain, ...rest] = operation.split('.');
  const call = { name: `cleo_${gateway}`, arguments: { domain, operation: rest.join('.'), params } };
  return { id, method: 'tools/call', params: meta ? { ...call, _meta: meta } : call };
};
