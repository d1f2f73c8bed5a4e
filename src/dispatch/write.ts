import { formatCommand } from '#core/command-line.ts';
import type { AnswerOptions, JobContext, StoreStep } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import { fileRecordKinds } from '#core/model/shared-records.ts';
import { type Observation, requestFacts } from '#core/observation.ts';
import { listPolicyGroups } from '#core/rules/trust.ts';
import '#sessions/errors.ts';
import type { ReadStore, Store, WriteStore } from '#store/port/store.ts';
import { isInScope } from '#tasks/rules/scope.ts';
import {
  type CallContext,
  checkFolder,
  createContext,
  getConfig,
  getNamespace,
  identify,
  readIdentityAhead,
  toStamp,
  unwrapAnswer,
} from './call-context.ts';
import type { Outcome } from './dispatch.ts';
import { findReplay, forgetKey, mustWrite, storeKey } from './idempotency.ts';
import { appendEntry, logQuery, logQuietly } from './log.ts';
import { addChanges } from './run-step.ts';

/** Runs a mutation in one transaction with its audit row, so that a recorded success is a committed one. */
export async function runMutation(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { app, operation } = ctx;
  const { idempotencyKey: key } = ctx.call;
  const store = await app.openStore('write');
  await checkPolicy(ctx);
  const isDryRun = params.dryRun === true;
  const { dryRun: _, ...given } = params;
  const check = (reads: ReadStore): Promise<void> => checkSession(ctx, reads, given);
  const peeked = operation.peek ? await (await import('./peek.ts')).peekBeforeWrite(ctx, store, given, check) : {};
  if ('outcome' in peeked) return peeked.outcome;
  if (operation.observeFirst) await (await import('./observe.ts')).observeFirst(ctx, given);
  try {
    const sendAhead = (reads: ReadStore): Promise<unknown>[] => [
      ...readIdentityAhead(ctx, reads),
      ...(('hint' in peeked ? undefined : operation.readAhead?.(reads, given as never, ctx)) ?? []),
    ];
    const runInStore = async (writes: WriteStore): Promise<Outcome> => {
      const replay = key && (await findReplay(ctx, writes, params, key));
      if (replay) return replay;
      checkNotAborted(ctx);
      await identify(ctx, writes, writes);
      await check(writes);
      const { result, options } = unwrapAnswer(
        await operation.run(createContext(ctx, { store: writes, isDryRun, ...peeked }) as never, given as never),
      );
      const outcome: Outcome = { result, options: withSessionWarnings(ctx, options), changes: writes.changes };
      if (isDryRun) throw new DryRun({ ...outcome, isDryRun });
      // A caller that waits has no answer yet.
      const isWaiting = options.wait !== undefined && !ctx.call.hasWaited;
      if (!isWaiting && (!options.isUnlogged || mustWrite(ctx))) await finishWrite(ctx, writes, params, outcome);
      return outcome;
    };
    const outcome = await store.write(toStamp(ctx), runInStore, sendAhead);
    if (operation.peek) (await import('./peek.ts')).rememberFind(ctx, store, given, !outcome.options.isUnlogged);
    const { failAfterSave: failure, apply } = outcome.options;
    if (apply) await (await import('./observe.ts')).applyOutcome(ctx, params, outcome);
    if (!failure) return outcome;
    ctx.isLogged = true;
    throw failure;
  } catch (error) {
    // The transaction is rolled back, and the preview is the answer.
    if (error instanceof DryRun) {
      if (error.outcome.options.apply) await (await import('./observe.ts')).applyOutcome(ctx, params, error.outcome);
      if (ctx.isGraded) await logQuery(ctx, error.outcome.options.exit ?? 0);
      return error.outcome;
    }
    throw error;
  }
}

/** Runs a job: it records the start, lets the job open short writes, and appends the audit row at the end. */
export async function runJob(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { app, operation } = ctx;
  const changes: Changes = { created: [], updated: [], deleted: [] };
  if (operation.needs === 'store') {
    const store = await app.openStore('write');
    await checkPolicy(ctx);
    const started = await store.write(toStamp(ctx), (writes) => startJob(ctx, writes, params));
    if (typeof started !== 'number') return started;
    try {
      const outcome = await performJob(ctx, changes, params);
      await (await app.openStore('write')).write(toStamp(ctx), (writes) => finishJob(ctx, writes, started, params, outcome));
      return outcome;
    } catch (error) {
      await (await app.openStore('write')).write(toStamp(ctx), (writes) => abandonJob(ctx, writes, started)).catch(() => {});
      throw error;
    }
  }
  await checkFolder(ctx);
  const outcome = await performJob(ctx, changes, params);
  // The job worked on files only. It is logged if the project has a readable store.
  if (app.platform.getProject() && !outcome.options.isUnlogged && !ctx.isLogged)
    await logQuietly(ctx, outcome.options.exit ?? 0, outcome.changes);
  return outcome;
}

/** Records the start of a job. Returns its number, or the stored answer of its idempotency key. */
export async function startJob(ctx: CallContext, writes: WriteStore, params: Record<string, unknown>): Promise<number | Outcome> {
  const { idempotencyKey: key } = ctx.call;
  const replay = key && (await findReplay(ctx, writes, params, key));
  if (replay) return replay;
  checkNotAborted(ctx);
  await identify(ctx, writes, writes);
  await checkSession(ctx, writes, params);
  if (key) await storeKey(ctx, writes, params, undefined, key);
  return writes.jobs.start(ctx.operation.name, ctx.caller.agent, ctx.now);
}

/** Records the success of a job, with the audit row of the call. */
export async function finishJob(
  ctx: CallContext,
  writes: WriteStore,
  job: number,
  params: Record<string, unknown>,
  outcome: Outcome,
): Promise<void> {
  await writes.jobs.finish(job);
  if (!outcome.isDryRun) return finishWrite(ctx, writes, params, outcome);
  await forgetKey(ctx, writes);
  if (ctx.isGraded) await appendEntry(ctx, writes, outcome.options.exit ?? 0);
}

/** Records that a job failed. Its entry in the log is that of the failed call. */
export async function abandonJob(ctx: CallContext, writes: WriteStore, job: number): Promise<void> {
  await writes.jobs.finish(job);
  await forgetKey(ctx, writes);
}

/** Rejects the call if a setting that it obeys was changed by other means than `config set`. */
export async function checkPolicy({ app: { platform }, operation }: CallContext): Promise<void> {
  const project = platform.getProject();
  if (!project || listPolicyGroups(operation.name).length === 0) return;
  await (await platform.loadTrust()).requirePolicy(project, operation.name);
}

/** Runs a job and returns its outcome. */
export async function performJob(ctx: CallContext, changes: Changes, params: Record<string, unknown>): Promise<Outcome> {
  const context = createJobContext(ctx, changes);
  const { result, options } = unwrapAnswer(await ctx.operation.run(context as never, params as never));
  const outcome = { result, options: withSessionWarnings(ctx, options), changes, ...(options.dryRun ? { isDryRun: true } : {}) };
  return options.budget ? (await import('./fit-list.ts')).fitList(context as never, ctx.operation, outcome) : outcome;
}

/** Adds the active sessions to the warnings of a write outside any session. */
function withSessionWarnings(ctx: CallContext, options: AnswerOptions): AnswerOptions {
  const warnings = listSessionWarnings(ctx);
  return warnings.length > 0 ? { ...options, warnings: [...(options.warnings ?? []), ...warnings] } : options;
}

/** Fails if the caller stopped waiting before the call started. A call that has started always completes. */
function checkNotAborted({ call, operation, app, startedAt, hasRun }: CallContext): void {
  if (!call.signal?.aborted || hasRun) return;
  throw new CleoError('E_LOCK_TIMEOUT', { waitedMs: Math.round(app.platform.monotonicMs() - startedAt), path: operation.name });
}

class DryRun extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('dry run');
    this.outcome = outcome;
  }
}

async function observeOne<Q, F>(ctx: CallContext, observation: Observation<Q, F>, request: Q): Promise<F> {
  const { observeAll } = await import('./observe.ts');
  const [observed] = await observeAll(ctx, [requestFacts(observation, request)]);
  return observed!.facts as F;
}

function createJobContext(ctx: CallContext, changes: Changes): object {
  const { app } = ctx;
  const { platform } = app;
  return Object.defineProperties(createContext(ctx, {}), {
    config: { value: () => platform.config.load(platform.getProject()) },
    openStore: { value: app.openStore },
    closeStores: { value: app.closeStores },
    storeAdmin: { value: app.storeAdmin },
    // A job holds no transaction, and what it has done is not rolled back.
    ...(ctx.call.clientFacts ? {} : { getFacts: { value: (...asked: [never, never]) => observeOne(ctx, ...asked) } }),
    changes: { value: changes },
    syncRecords: {
      value: async (store: Store) => (await import('./share-records.ts')).syncRecords(app, store, fileRecordKinds, toStamp(ctx)),
    },
    call: { value: async (...words: Parameters<JobContext['call']>) => (await import('./nested-call.ts')).callNested(ctx, ...words) },
    write: {
      value: async (change: (store: WriteStore) => Promise<unknown>) =>
        (await app.openStore('write')).write(toStamp(ctx), async (writes) => {
          const result = await change(writes);
          addChanges(changes, writes.changes);
          return result;
        }),
    },
    runStep: {
      value: async (step: StoreStep, given: unknown) => (await import('./run-step.ts')).runStep(ctx, { changes }, step, given),
    },
    writeAndLog: {
      value: async (change: (store: WriteStore) => Promise<unknown>) => {
        const result = await (await app.openStore('write')).write(toStamp(ctx), async (writes) => {
          await identify(ctx, writes, writes);
          const value = await change(writes);
          await appendEntry(ctx, writes, 0, writes.changes);
          return value;
        });
        ctx.isLogged = true;
        return result;
      },
    },
  });
}

async function finishWrite(ctx: CallContext, writes: WriteStore, params: Record<string, unknown>, outcome: Outcome): Promise<void> {
  await writes.claims.renew(ctx.caller, ctx.now);
  if (enterSession(ctx, outcome)) await writes.claims.renew(ctx.caller, ctx.now);
  const { exit = 0, logParams, failAfterSave: failure } = outcome.options;
  if (logParams) ctx.logParams = logParams;
  if (failure) return appendEntry(ctx, writes, failure.exitCode, undefined, failure.code);
  const { idempotencyKey: key } = ctx.call;
  if (key) await storeKey(ctx, writes, params, outcome, key);
  await appendEntry(ctx, writes, exit, outcome.changes);
}

/** Puts the caller into the session that the call started or resumed, for this call and later ones of this process. Returns true if
 *  there is one. */
function enterSession(ctx: CallContext, outcome: Outcome): boolean {
  const { enterSession: session, leaveSession } = outcome.options;
  if (leaveSession) ctx.app.agentSessions?.delete(ctx.caller.agent);
  if (!session) return false;
  ctx.caller = { ...ctx.caller, session: session.id };
  ctx.app.agentSessions?.set(ctx.caller.agent, session.id);
  if (ctx.app.agentSessions && ctx.call.agent === undefined) ctx.app.platform.exportSession(session.id, session.isGraded);
  return true;
}

/** Rejects a write in a session that is not active, a write that does not say which of the agent's sessions it means, and a write
 *  without a session if the project requires one. */
export async function checkSession(ctx: CallContext, reads: ReadStore, params: Record<string, unknown>): Promise<void> {
  const { session, activeSessions, isAmbiguous, call } = ctx;
  if (session || worksWithoutSession(ctx)) return;
  if (call.session) throw new CleoError('E_SESSION_REQUIRED', { inactiveSession: call.session });
  if (activeSessions && (await enterSessionOfTask(ctx, reads, params))) return;
  if (isAmbiguous) throw createAmbiguityError(ctx, await listSessionsInScope(ctx, reads, params));
  if (getConfig(ctx)['session.required']) throw new CleoError('E_SESSION_REQUIRED', activeSessions ? { activeSessions } : {});
}

/** Chooses the session in which the agent holds the task of the call: one of its own, or the one that it was spawned in. */
async function enterSessionOfTask(ctx: CallContext, reads: ReadStore, { taskId }: Record<string, unknown>): Promise<boolean> {
  const claim = typeof taskId === 'string' ? await reads.claims.get(taskId) : undefined;
  if (!claim?.session || claim.agent !== ctx.caller.agent || !ctx.activeSessions?.includes(claim.session)) return false;
  const session = (await reads.sessions.findCandidates(claim.agent, claim.session)).find(({ id }) => id === claim.session);
  if (!session) return false;
  ctx.session = session;
  ctx.caller = { ...ctx.caller, session: session.id };
  if (session.isGraded) ctx.isGraded = true;
  return true;
}

/** Lists the agent's sessions whose scope contains the task of the call; all of them if none does or the call names no task. */
async function listSessionsInScope(ctx: CallContext, reads: ReadStore, { taskId }: Record<string, unknown>): Promise<string[]> {
  const own = ctx.activeSessions ?? [];
  const ancestry = typeof taskId === 'string' ? await reads.tasks.getAncestry(taskId) : [];
  if (ancestry.length === 0) return own;
  const active = await reads.sessions.findCandidates(ctx.caller.agent, undefined);
  const inside = active.filter(({ id, scope }) => own.includes(id) && isInScope(scope, ancestry)).map(({ id }) => id);
  return inside.length > 0 ? inside : own;
}

/** Creates the error (36) of a call that does not say which of the agent's sessions it means. Its fix names one of `suggested`. */
export function createAmbiguityError({ activeSessions = [], operation, call }: CallContext, suggested = activeSessions): CleoError {
  const agent = call.agent && call.gateway === 'cli' ? ['--agent', call.agent] : [];
  const params = call.params as Record<string, unknown>;
  const retry = suggested.map((id) => formatCommand(operation, params, ['--session', id, ...agent], call.paths));
  return new CleoError('E_SESSION_REQUIRED', { activeSessions, retry });
}

/** Describes the active sessions of other agents to a write outside any session. */
export const listSessionWarnings = (ctx: CallContext): string[] => {
  const { activeSessions, caller } = ctx;
  if (!activeSessions || caller.session || worksWithoutSession(ctx)) return [];
  const shown = activeSessions.slice(0, 3).join(', ');
  const more = activeSessions.length > 3 ? ` and ${activeSessions.length - 3} more` : '';
  return [`written outside any session; active: ${shown}${more} (session resume joins one)`];
};

const worksWithoutSession = ({ operation }: CallContext): boolean =>
  exemptNamespaces.includes(getNamespace(operation.name)) || operation.startsSession === true;

/** Namespaces that work without a session: sessions themselves and the maintenance of the project. */
const exemptNamespaces = ['session', 'admin', 'system'];
