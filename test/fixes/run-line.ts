import { execFileSync } from 'node:child_process';
import type { GatewayCall } from '../../src/core/errors/catalog.ts';
import { type App, type Call, dispatch, type Reply } from '../../src/dispatch/dispatch.ts';
import { isPlainObject } from '../../src/lib/collections.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { runWordsInApp } from '../run-words.ts';
import { createTypist } from '../typist.ts';
import { parseShellLine, type ShellCommand } from './shell-line.ts';

/** The caller of a failed call: a later command of the same caller runs with the same environment, folder and time. */
export interface CallerContext {
  env: Record<string, string>;
  folder: string;
  now?: string;
  isAtTerminal?: boolean;
}

/** An error as an envelope contains it. */
export interface ErrorBody {
  code: string;
  exitCode: number;
  message: string;
  fix: string;
  call?: GatewayCall;
  alternatives?: { action: string; command: string; call?: GatewayCall }[];
  details?: Record<string, unknown>;
}

export interface StepResult {
  exitCode: number;
  /** The operation that ran; undefined for a process such as `cleo serve`. */
  operation?: Reply['operation'];
  error?: ErrorBody | undefined;
  result: Record<string, unknown>;
}

/** Runs a line as the caller's shell would. Returns undefined if it needs more than `cleo` and `mv`. */
export async function runLine(caller: CallerContext, line: string): Promise<StepResult | undefined> {
  let last: StepResult | undefined;
  for (const command of parseShellLine(line) ?? []) {
    last = await runCommand(caller, command);
    if (!last || last.error) return last;
  }
  return last;
}

async function runCommand(caller: CallerContext, { env, words: [program, ...words] }: ShellCommand): Promise<StepResult | undefined> {
  if (program === 'mv') {
    execFileSync('mv', words, { cwd: caller.folder });
    return { exitCode: 0, result: {} };
  }
  return program === 'cleo' ? runWords({ ...caller, env: { ...caller.env, ...env } }, limitWait(words)) : undefined;
}

/** A copied lock names a process that lives but no longer works on the copy, so waiting for it would take the whole time. */
const maxWaitMs = 200;
const limitWait = (words: string[]): string[] => words.map((word, i) => (words[i - 1] === '--wait' ? String(maxWaitMs) : word));

/** Runs the words after `cleo`. */
export const runWords = (caller: CallerContext, words: string[]): Promise<StepResult> =>
  runInApp(caller, (app) => runWordsInApp(app, caller.env, words));

/** Sends the call that an error suggests. */
export function sendCall(caller: CallerContext, call: Call): Promise<StepResult> {
  const params = isPlainObject(call.params) && 'wait' in call.params ? { ...call.params, wait: maxWaitMs } : call.params;
  return runInApp(caller, (app) => dispatch(app, { ...call, params }));
}

/** Repeats a call as it was, except that a caller which has left its session does not name it again. */
export const repeatCall = (caller: CallerContext, { signal: _, observe: __, session, ...call }: Call): Promise<StepResult> =>
  sendCall(caller, session && caller.env.CLEO_SESSION_ID ? { ...call, session } : call);

async function runInApp(
  { env, folder, now, isAtTerminal }: CallerContext,
  run: (app: App) => Promise<{ exitCode: number; envelope: object }>,
): Promise<StepResult> {
  let reply: Reply | undefined;
  const platform = createPlatform(env, folder, '0.0.0-test');
  const app: App = {
    ...createApp({
      ...platform,
      ...(now ? { now: () => now } : {}),
      loadTerminal: async () => createTypist(isAtTerminal === true),
    }),
    onReply: (_, given) => {
      reply = given;
    },
  };
  try {
    const { exitCode, envelope } = await run(app);
    const { error, ...result } = (reply?.envelope ?? envelope) as { error?: ErrorBody };
    return { exitCode, operation: reply?.operation, result, ...(error ? { error } : {}) };
  } finally {
    await app.closeStores().catch(() => {});
  }
}
