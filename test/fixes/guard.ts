import { inspect } from 'node:util';
import type { App, Call, Reply } from '../../src/dispatch/dispatch.ts';
import { addCalls } from '../../src/surfaces/cli/error-calls.ts';
import { findUndeclaredError } from '../declared-errors.ts';
import { addProblem, recordError } from './record.ts';
import { type CallerContext, type ErrorBody, repeatCall } from './run-line.ts';

/** Checks every error of the app: it must be declared, and its fix must lead out. Problems fail the test when it ends, because an exception
 *  in a surface would be answered as an error of the operation. */
export function guardApp<A extends App>(app: A, getCaller: () => CallerContext): A {
  return {
    ...app,
    onReply: (call, reply, durationMs) => {
      app.onReply?.(call, reply, durationMs);
      if (!reply.error) return;
      const undeclared = findUndeclaredError(reply);
      if (undeclared) addProblem(undeclared);
      recordReply(app, call, reply, getCaller());
    },
  };
}

function recordReply(app: App, call: Call, reply: Reply, { env, ...caller }: CallerContext): void {
  const { envelope, operation } = reply;
  const agent = call.agent ?? call.token?.name;
  // A client over MCP stays in its session; its shell is in the same one.
  const session = call.session ?? (call.gateway === 'cli' ? undefined : envelope._meta.sessionId);
  recordError({
    operation: operation?.name ?? call.operation,
    describe: () => `${formatParams(call.params)} over ${call.gateway}`,
    caller: { ...caller, env: { ...env, ...(agent ? { CLEO_AGENT_ID: agent } : {}), ...(session ? { CLEO_SESSION_ID: session } : {}) } },
    error: envelope.error as ErrorBody,
    isCancelled: call.signal?.aborted,
    addCalls: async () => (await addCalls(app, reply, call)).error as ErrorBody,
    repeat: call.inputError || !operation ? undefined : (later) => repeatCall(later, call),
  });
}

/** Formats parameters as JSON. Those nested too deeply for it are shown in part. */
function formatParams(params: unknown): string {
  try {
    return JSON.stringify(params);
  } catch {
    return inspect(params, { breakLength: Number.POSITIVE_INFINITY });
  }
}
