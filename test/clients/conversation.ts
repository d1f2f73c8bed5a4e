import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Json } from '../app.ts';
import type { Scratch, TestClient } from './client.ts';
import type { ModelRequest, ToolCall } from './model-api.ts';
import { startStandIn } from './stand-in.ts';
import { recordCall } from './transcript.ts';

/** The answer to an MCP call, as the model received it. */
export interface ToolAnswer {
  envelope: Json;
  /** The bytes that the model wrote and read. */
  sentBytes: number;
  receivedBytes: number;
  text: string;
}

export interface ShellAnswer {
  exitCode: number;
  out: string;
  envelope: Json;
}

export interface CallArguments {
  domain: string;
  operation: string;
  params?: Json;
  [more: string]: unknown;
}

/** A conversation with a real client, in which the test plays the model. */
export interface Conversation {
  /** Everything the model read in its last request, except tool definitions. */
  readPrompt(): string;
  /** Our tools as the client passes them on. */
  readTools(): Json[];
  query(operation: string, params?: Json, more?: Json): Promise<ToolAnswer>;
  mutate(operation: string, params?: Json, more?: Json): Promise<ToolAnswer>;
  /** Sends several calls in one reply. */
  callTogether(calls: { gateway: 'query' | 'mutate'; args: CallArguments }[]): Promise<ToolAnswer[]>;
  /** Sends `error.call` of an answer back, unchanged. */
  followCall(answer: ToolAnswer): Promise<ToolAnswer>;
  shell(command: string): Promise<ShellAnswer>;
  /** Runs a command that does not end, and returns while it runs. */
  startShell(command: string): Promise<void>;
  /** Answers with a text and waits until the client has ended. */
  end(): Promise<void>;
  /** Kills the client, and nothing else. */
  kill(): Promise<void>;
  pid: number;
}

export interface ConversationOptions {
  isResumed?: boolean;
  prompt?: string;
  /** Name in the transcript. */
  label?: string;
}

const requestTimeoutMs = 120_000;

/** Starts the client and waits for its first request to the model. */
export async function openConversation(client: TestClient, scratch: Scratch, options: ConversationOptions = {}): Promise<Conversation> {
  const { isResumed = false, prompt = 'go', label = isResumed ? 'resumed' : 'first' } = options;
  const standIn = await startStandIn(client.api);
  onTestFinished(() => standIn.close());
  const { args, env } = client.getCommand({ prompt, isResumed, modelUrl: standIn.url });
  const child = spawn(getExecutable(client), args, {
    cwd: scratch.project,
    env: { ...scratch.env, ...env },
    // A process group of its own, so that killing it reaches the client's children.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => killGroup(child.pid!));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));

  let request: ModelRequest;
  let lastId = 0;
  const waitForRequest = async (what: string): Promise<void> => {
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    request = await Promise.race([
      standIn.waitForRequest(),
      ended.then((code) => Promise.reject(new Error(`${client.name} ended with ${code} ${what}: ${output}`))),
      new Promise<never>((_, reject) =>
        timeout.addEventListener('abort', () => reject(new Error(`${client.name} sent no request ${what}: ${output}`))),
      ),
    ]);
  };
  const exchange = async (calls: ToolCall[]): Promise<string[]> => {
    standIn.reply({ calls });
    await waitForRequest(`after ${calls.map(({ name }) => name).join(', ')}`);
    const results = client.api.readResults(request.body);
    return calls.map(({ id }, at) => {
      const result = results.find((each) => each.id === id) ?? (results.length === calls.length ? results[at] : undefined);
      if (!result) throw new Error(`no result of ${id} in ${JSON.stringify(request.body).slice(-2000)}`);
      return result.text;
    });
  };
  const createCall = (call: Pick<ToolCall, 'name' | 'namespace' | 'args'>): ToolCall => ({ id: `call_${label}_${++lastId}`, ...call });
  const sendCalls: Conversation['callTogether'] = async (calls) => {
    const texts = await exchange(calls.map(({ gateway, args: given }) => createCall({ ...client.getTool(gateway), args: given })));
    return texts.map((text, at) => {
      const { gateway, args: given } = calls[at]!;
      const answer: ToolAnswer = {
        envelope: readEnvelope(text),
        text,
        sentBytes: Buffer.byteLength(JSON.stringify(given)),
        receivedBytes: Buffer.byteLength(text),
      };
      recordCall(client.name, label, 'mcp', `${gateway} ${JSON.stringify(given)}`, readExitCode(answer.envelope), text);
      return answer;
    });
  };
  const callOne = async (gateway: 'query' | 'mutate', operation: string, params?: Json, more?: Json): Promise<ToolAnswer> => {
    const [domain = '', ...rest] = operation.split('.');
    const given = { domain, operation: rest.join('.'), ...(params ? { params } : {}), ...more };
    return (await sendCalls([{ gateway, args: given }]))[0]!;
  };

  await waitForRequest('at the start');
  recordCall(client.name, label, 'client', args.join(' '), undefined, `${client.api.readPrompt(request!.body).length} characters`);
  return {
    pid: child.pid!,
    readPrompt: () => client.api.readPrompt(request.body),
    readTools: () => client.api.readTools(request.body),
    query: (operation, params, more) => callOne('query', operation, params, more),
    mutate: (operation, params, more) => callOne('mutate', operation, params, more),
    callTogether: sendCalls,
    async followCall({ envelope, text }) {
      const call = envelope.error?.call;
      if (!call) throw new Error(`no error.call in ${text}`);
      const { tool, arguments: given, ...flat } = call;
      const gateway = String(tool ?? flat.gateway).replace(/^cleo_/, '') as 'query' | 'mutate';
      return (await sendCalls([{ gateway, args: given ?? flat }]))[0]!;
    },
    async shell(command) {
      const [text = ''] = await exchange([createCall(client.getShellCall(`${command}; echo "exit=$?"`))]);
      const out = client.readShellOutput(text);
      const exitCode = Number(/exit=(\d+)/.exec(out)?.[1] ?? Number.NaN);
      recordCall(client.name, label, 'shell', command, exitCode, out);
      return { exitCode, out, envelope: readEnvelope(out) };
    },
    async startShell(command) {
      // The mark is in the project, because OpenCode asks a person before its shell writes elsewhere.
      standIn.reply({ calls: [createCall(client.getShellCall(`touch shell-started; ${command}`))] });
      await waitForFile(join(scratch.project, 'shell-started'));
      recordCall(client.name, label, 'shell', command, undefined, '(runs)');
    },
    async end() {
      standIn.reply({ text: 'Done.' });
      const code = await ended;
      recordCall(client.name, label, 'client', 'end', code ?? undefined, '');
      if (code !== 0) throw new Error(`${client.name} ended with ${code}: ${output}`);
    },
    async kill() {
      killGroup(child.pid!);
      await ended;
      recordCall(client.name, label, 'client', 'kill -9', undefined, '');
    },
  };
}

function getExecutable({ name }: TestClient): string {
  const folder = process.env.CLEO_CLIENTS_DIR;
  if (!folder) throw new Error('CLEO_CLIENTS_DIR is not set; run npm run test:clients');
  return join(folder, name, 'node_modules', '.bin', name);
}

async function waitForFile(path: string): Promise<void> {
  const end = Date.now() + requestTimeoutMs;
  while (!existsSync(path)) {
    if (Date.now() > end) throw new Error(`${path} does not appear`);
    await setTimeout(20);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

const readExitCode = (envelope: Json): number | undefined =>
  envelope._meta?.exitCode ?? envelope.error?.exitCode ?? (envelope.error ? 1 : 0);

/** Reads the JSON object in what a client made of an answer. */
function readEnvelope(text: string): Json {
  const from = text.indexOf('{');
  for (let to = text.lastIndexOf('}'); from >= 0 && to > from; to = text.lastIndexOf('}', to - 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1));
    } catch {}
  }
  return {};
}
