import { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import { isSameMajor } from '#core/rules/server-address.ts';
import { parseSharedSettings } from '#core/rules/shared-settings.ts';
import { defined } from '#lib/collections.ts';
import type { CallPart } from '#sessions/model/client-call.ts';
import '#store/errors.ts';
import { type CallContext, checkFolder, createContext, requireProject, ScopeRequired, unwrapAnswer } from '../call-context.ts';
import type { Outcome } from '../dispatch.ts';
import { addChanges } from '../run-step.ts';
import { toErrorFields } from './error-fields.ts';
import { locateServer } from './locate-server.ts';
import { checkKnown, createMessage, createRequestKey, followServer, post, toError } from './send-call.ts';
import { type ClientAnswer, type PartAnswer, readAnswer } from './server-answer.ts';

/** Runs an operation with steps on a client. The server records the start of a job, makes the steps, and logs the outcome of the call. */
export async function runOnClient(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { operation, app } = ctx;
  const send = createSender(ctx);
  const isJob = operation.kind === 'job';
  const startedMs = app.platform.monotonicMs();
  const key = (): string => createRequestKey(app.platform);
  if (isJob) await (await import('../write.ts')).checkPolicy(ctx);
  let job: number | undefined;
  if (isJob && operation.needs === 'store') {
    const { envelope, part } = await send({ action: 'begin', key: key() }, true);
    // The answer of an idempotency key that was used before.
    if (!part?.begun) return { result: {}, options: {}, replay: envelope };
    job = part.begun.job;
    acceptCaller(ctx, part.begun);
  } else if (operation.needs !== 'nothing') await checkFolder(ctx);
  const finish = async (outcome: Partial<CallPart & { action: 'finish' }>): Promise<void> => {
    const durationMs = Math.round(app.platform.monotonicMs() - startedMs);
    const { envelope } = await send({ action: 'finish', key: key(), durationMs, ...defined({ job }), ...outcome }, true);
    if (envelope._meta.nudge) ctx.nudge = envelope._meta.nudge;
  };
  const changes: Changes = { created: [], updated: [], deleted: [] };
  ctx.sendStep = async (step, given) => {
    const isWrite = step.kind === 'write';
    const { part } = await send({ action: 'step', key: key(), name: step.name, params: given, ...defined({ job }) }, isWrite);
    if (part?.step?.changes) addChanges(changes, part.step.changes);
    return part?.step?.result;
  };
  let outcome: Outcome;
  try {
    outcome = isJob ? await (await import('../write.ts')).performJob(ctx, changes, params) : await runQuery(ctx, params);
  } catch (error) {
    const failure = error instanceof ScopeRequired ? await toScopeError(ctx, error, params) : error;
    await reportFailure(ctx, failure, finish);
    throw failure;
  }
  const { exit, warnings, logParams, isUnlogged } = outcome.options;
  if (outcome.options.appendLine) (await import('../log.ts')).appendLine(ctx, outcome);
  if (isJob ? !isUnlogged || job !== undefined : ctx.isGraded) {
    const result = ctx.call.idempotencyKey === undefined ? undefined : outcome.result;
    const { isDryRun } = outcome;
    await finish(
      defined({ exit, warnings, logParams, result, ...(isJob ? { changes } : {}), isDryRun: isDryRun ? (true as const) : undefined }),
    );
  }
  return outcome;
}

async function runQuery(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  return unwrapAnswer(await ctx.operation.run(createContext(ctx, {}) as never, params as never));
}

type Send = (part: CallPart, isWrite: boolean) => Promise<ClientAnswer>;

/** Creates the function that sends a part of the call. It throws the error of a part that failed. */
function createSender(ctx: CallContext): Send {
  const { app, call, operation } = ctx;
  const open = async () => {
    const server = await locateServer(app.platform);
    return { server, message: await createMessage(ctx, server) };
  };
  // An operation that makes no step works without a server.
  let opened: ReturnType<typeof open> | undefined;
  return async (part, isWrite) => {
    opened ??= open();
    const { server, message } = await opened;
    const sent = await post(app.platform, server, `/api/part/${operation.name}`, { ...message, part }, { isWrite, signal: call.signal });
    const answer = readAnswer(sent, server.url);
    if (!('envelope' in answer)) throw createVersionError(ctx, server.url, 'asks for facts');
    const { envelope } = answer;
    checkKnown(ctx, server.url, envelope);
    if (!isSameMajor(envelope._meta.version ?? '', app.platform.version)) throw createVersionError(ctx, server.url, envelope._meta.version);
    followServer(app, answer, server);
    if (envelope._meta.warnings) ctx.warnings = [...new Set([...(ctx.warnings ?? []), ...envelope._meta.warnings])];
    if (answer.part?.isGraded) ctx.isGraded = true;
    if (!envelope.success) {
      // The server has logged the start of a job that it rejected, and the failure that it was asked to log.
      if (part.action !== 'step') ctx.isAnsweredByServer = true;
      throw toError(envelope, answer.call);
    }
    return answer;
  };
}

const createVersionError = ({ app }: CallContext, server: string, found = 'of no version'): CleoError =>
  new CleoError('E_SERVER_VERSION', { server, found, own: app.platform.version });

/** The agent and session that the server found are those of the call, and the policy of the project is that of the server. */
function acceptCaller(
  ctx: CallContext,
  { caller, now, token, settings = [], session, isNamed, activeSessions, isAmbiguous }: NonNullable<PartAnswer['begun']>,
): void {
  Object.assign(ctx, defined({ caller, now, session, isNamed, activeSessions, isAmbiguous }));
  ctx.isIdentified = true;
  const { config } = ctx.app.platform;
  config.setShared(requireProject(ctx.app.platform), parseSharedSettings(settings));
  ctx.ownToken = token;
  ctx.granted = token.scope;
  ctx.proof = { via: 'token', token: token.name };
}

/** The scope of a client is that of its token. */
async function toScopeError(ctx: CallContext, { scope, request }: ScopeRequired, params: Record<string, unknown>): Promise<unknown> {
  const token = { name: ctx.proof?.token ?? '', scope: ctx.granted ?? ('mutate' as const) };
  const { authorize } = await import('../authorize.ts');
  return authorize({ ...ctx, call: { ...ctx.call, token } }, { scope, request }, params).catch((error: unknown) => error);
}

/** Errors of a server that did not answer, which has no use for another request. */
const unansweredRows = ['E_STORE_UNAVAILABLE', 'E_STORE_UNREACHABLE', 'E_OUTCOME_UNKNOWN'];

/** Lets the server end the job and log the failure. The failure is the answer of the call, also if the server cannot be reached now. */
async function reportFailure(ctx: CallContext, failure: unknown, finish: (part: object) => Promise<void>): Promise<void> {
  if (ctx.isAnsweredByServer) return;
  const known = failure instanceof CleoError ? failure : new CleoError('E_GENERAL_ERROR', { problem: (failure as Error)?.message ?? '' });
  if (unansweredRows.includes(known.row)) return;
  try {
    await finish({ error: toErrorFields(known) });
  } catch (error) {
    // The server answers with the failure itself, and a fix that this caller may use.
    if (error instanceof CleoError && error.code === known.code) Object.assign(known, { fix: error.fix, alternatives: error.alternatives });
  }
}
