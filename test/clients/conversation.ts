import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Json } from '../app.ts';
import type { Scratch, TestClient } from './client.ts';
import { startClient } from './client-process.ts';
import type { ModelRequest, ToolCall } from './model-api.ts';
import { startStandIn } from './stand-in.ts';
import { recordCall } from './transcript.ts';

export type Gateway = 'query' | 'mutate';

/** The answer to an MCP call, as the model received it. */
export interface ToolAnswer {
  envelope: Json;
  text: string;
  /** Bytes of the arguments that the model wrote, and of the text that it read. */
  sentBytes: number;
  receivedBytes: number;
}

export interface ShellAnswer {
  exitCode: number;
  out: string;
  envelope: Json;
}

/** A conversation with a real client, in which the test decides what the model replies. */
export interface Conversation {
  /** Everything the model read in its last request, except tool definitions. */
  readPrompt(): string;
  /** Our tools as the client passes them on. */
  readTools(): Json[];
  query(operation: string, params?: Json): Promise<ToolAnswer>;
  mutate(operation: string, params?: Json): Promise<ToolAnswer>;
  /** Sends several calls in one reply. */
  callTogether(calls: { gateway: Gateway; args: Json }[]): Promise<ToolAnswer[]>;
  /** Sends a `call` of an error back, unchanged. */
  followCall(call: Json): Promise<ToolAnswer>;
  shell(command: string): Promise<ShellAnswer>;
  /** Starts a command in the shell tool and returns while it runs. */
  startShell(command: string): Promise<void>;
  /** Ends the turn with a text. */
  reply(text: string): void;
  /** Types a line into an interactive client. */
  type(line: string): Promise<void>;
  /** Types a prompt into an interactive client and waits for its request. */
  prompt(line: string): Promise<void>;
  /** Waits until an interactive client prints a text. */
  waitForScreen(pattern: RegExp): Promise<void>;
  /** Ends the turn, and waits until the client has ended. */
  end(): Promise<void>;
  /** Kills the client. */
  kill(): Promise<void>;
}

export interface ConversationOptions {
  isResumed?: boolean;
  isInteractive?: boolean;
  prompt?: string;
  /** Name in the transcript. */
  label?: string;
}

const requestTimeoutMs = 120_000;
const retypeMs = 10_000;
const maxSideRequests = 5;

/** Starts the client and waits for its first request to the model. */
export async function openConversation(client: TestClient, scratch: Scratch, options: ConversationOptions = {}): Promise<Conversation> {
  const { isResumed = false, isInteractive = false, prompt = 'go', label = isResumed ? 'resumed' : 'first' } = options;
  const standIn = await startStandIn(client.api, join(scratch.folder, `requests-${label}.jsonl`));
  onTestFinished(() => standIn.close());
  const { args, env } = client.getCommand({ prompt, isResumed, isInteractive, modelUrl: standIn.url });
  const process = startClient(client, scratch, { args, env, isInteractive });
  const record = (surface: string, call: string, exitCode: number | undefined, text: string): void =>
    recordCall(client.name, label, surface, call, exitCode, text);

  let request: ModelRequest;
  let lastId = 0;
  const waitForRequest = async (moment: string): Promise<void> => {
    const fail = (problem: string): never => {
      throw new Error(`${client.name} ${problem} ${moment}: ${process.getOutput().slice(-4000)}`);
    };
    const stop = new AbortController();
    request = await Promise.race([
      standIn.waitForRequest(),
      process.whenEnded.then((code) => fail(`ended with ${code}`)),
      setTimeout(requestTimeoutMs, undefined, { signal: stop.signal }).then(() => fail('sent no request')),
    ]).finally(() => stop.abort());
  };
  const createCall = (call: Omit<ToolCall, 'id'>): ToolCall => ({ id: `call_${label}_${++lastId}`, ...call });
  const exchange = async (calls: ToolCall[]): Promise<string[]> => {
    standIn.reply({ calls });
    for (let round = 0; round < maxSideRequests; round++) {
      await waitForRequest(`after ${calls.map(({ name }) => name).join(', ')}`);
      const results = client.api.readResults(request.body);
      const texts = calls.flatMap(
        ({ id }, at) =>
          (results.find((each) => each.id === id) ?? (results.every((each) => !each.id) ? results[at] : undefined))?.text ?? [],
      );
      if (texts.length === calls.length) return texts;
      // A client may ask for something else with all its tools, next to the conversation.
      standIn.reply({ text: 'A task' });
    }
    throw new Error(`no results in ${JSON.stringify(request.body).slice(-2000)}`);
  };
  const callTogether: Conversation['callTogether'] = async (calls) => {
    const texts = await exchange(calls.map(({ gateway, args: given }) => createCall({ ...client.getTool(gateway), args: given })));
    return calls.map(({ gateway, args: given }, at) => {
      const sent = JSON.stringify(given);
      const text = texts[at] ?? '';
      const envelope = readEnvelope(client.readToolText?.(text) ?? text);
      record('mcp', `${gateway} ${sent}`, readExitCode(envelope), text);
      return { envelope, text, sentBytes: Buffer.byteLength(sent), receivedBytes: Buffer.byteLength(text) };
    });
  };
  const callOne = async (gateway: Gateway, operation: string, params?: Json): Promise<ToolAnswer> => {
    const [domain = '', ...rest] = operation.split('.');
    return (await callTogether([{ gateway, args: { domain, operation: rest.join('.'), ...(params ? { params } : {}) } }]))[0]!;
  };

  if (isInteractive) {
    await waitForInput(process.getOutput);
    await process.type(prompt);
  }
  await waitForRequest('at the start');
  // On a terminal, Claude Code does not wait for its servers before the first request.
  for (let round = 0; isInteractive && round < 20 && client.api.readTools(request!.body).length === 0; round++) {
    standIn.reply({ text: 'The server is not ready.' });
    await setTimeout(1000);
    await process.type(prompt);
    await waitForRequest('at the start');
  }
  record('client', args.join(' '), undefined, `${client.api.readPrompt(request!.body).length} characters`);
  return {
    readPrompt: () => client.api.readPrompt(request.body),
    readTools: () => client.api.readTools(request.body),
    query: (operation, params) => callOne('query', operation, params),
    mutate: (operation, params) => callOne('mutate', operation, params),
    callTogether,
    async followCall({ tool, ...given }) {
      return (await callTogether([{ gateway: String(tool).replace(/^cleo_/, '') as Gateway, args: given }]))[0]!;
    },
    async shell(command) {
      const [text = ''] = await exchange([createCall(client.getShellCall(`${command}; echo "exit=$?"`))]);
      const out = client.readShellOutput(text);
      const exitCode = Number(/exit=(\d+)/.exec(out)?.[1] ?? Number.NaN);
      record('shell', command, exitCode, out);
      return { exitCode, out, envelope: readEnvelope(out) };
    },
    async startShell(command) {
      // The mark is in the project, because OpenCode asks a person before its shell writes elsewhere.
      standIn.reply({ calls: [createCall(client.getShellCall(`touch shell-started; ${command}`))] });
      await waitUntil(() => existsSync(join(scratch.project, 'shell-started')), 'the shell does not start');
      record('shell', command, undefined, '(runs)');
    },
    reply: (text) => standIn.reply({ text }),
    async type(line) {
      record('person', line, undefined, '');
      await process.type(line);
    },
    async prompt(line) {
      record('person', line, undefined, '');
      // A client that is still busy with a command of the person ignores the line.
      const request = waitForRequest(`after ${line}`);
      do await process.type(line);
      while (!(await Promise.race([request.then(() => true), setTimeout(retypeMs, false)])));
    },
    waitForScreen: (pattern) => waitUntil(() => pattern.test(process.getOutput()), `${pattern} is not on the screen`),
    async end() {
      standIn.reply({ text: 'Done.' });
      const code = await process.whenEnded;
      record('client', 'ends', code ?? undefined, '');
      if (code !== 0) throw new Error(`${client.name} ended with ${code}: ${process.getOutput()}`);
    },
    async kill() {
      await process.kill();
      record('client', 'is killed', undefined, '');
    },
  };
}

/** Waits until an interactive client shows its input line. */
const waitForInput = (getOutput: () => string): Promise<void> => waitUntil(() => getOutput().includes('❯'), 'no input line appears');

async function waitUntil(isReached: () => boolean, problem: string): Promise<void> {
  const end = Date.now() + requestTimeoutMs;
  while (!isReached()) {
    if (Date.now() > end) throw new Error(problem);
    await setTimeout(20);
  }
}

const readExitCode = (envelope: Json): number => envelope._meta?.exitCode ?? envelope.error?.exitCode ?? 0;

/** Reads the JSON object in the text that a client made of an answer. */
function readEnvelope(text: string): Json {
  const from = text.indexOf('{');
  for (let to = text.lastIndexOf('}'); from >= 0 && to > from; to = text.lastIndexOf('}', to - 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1));
    } catch {}
  }
  return {};
}
