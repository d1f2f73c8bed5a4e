import { CleoError } from '#core/errors/error.ts';
import type { Changes } from '#core/model/audit.ts';
import type { WriteStore } from '#store/port.ts';
import { type CallContext, createContext, toStamp, unwrap } from './call-context.ts';
import type { Done } from './envelope.ts';
import { checkSession, identify } from './identify.ts';
import { forgetKey, keepKey, replayed } from './keys.ts';
import { append, logQuery, logQuietly } from './log.ts';

/** One transaction with its audit row: a recorded success is a committed success. */
export async function runMutation(work: CallContext, params: Record<string, unknown>): Promise<Done> {
  const { app, operation, now } = work;
  const store = await app.openStore('write');
  const isDryRun = params.dryRun === true;
  const { dryRun: _, ...given } = params;
  try {
    return await store.write(toStamp(work), async (writes) => {
      const replay = await replayed(work, writes, params);
      if (replay) return replay;
      checkWaiting(work);
      await identify(work, writes);
      checkSession(work);
      const done: Done = {
        ...unwrap(await operation.run(createContext(work, { store: writes, isDryRun }) as never, given as never)),
        changes: writes.changes,
      };
      if (isDryRun) throw new DryRun({ ...done, isDryRun });
      await writes.claims.renew(work.caller, now);
      await conclude(work, writes, params, done);
      return done;
    });
  } catch (error) {
    // The transaction is rolled back; what it would have done is the answer.
    if (error instanceof DryRun) {
      if (work.isGraded) await logQuery(work, error.done.more.exit ?? 0);
      return error.done;
    }
    throw error;
  }
}

/** Long work: a mark that it began, its own short writes, and the audit row with the last of them. */
export async function runJob(work: CallContext, params: Record<string, unknown>): Promise<Done> {
  const { app, operation } = work;
  const changes: Changes = { created: [], updated: [], deleted: [] };
  if (operation.needs === 'store') {
    const store = await app.openStore('write');
    const begun = await store.write(toStamp(work), async (writes) => {
      const replay = await replayed(work, writes, params);
      if (replay) return replay;
      checkWaiting(work);
      await identify(work, writes);
      checkSession(work);
      await keepKey(work, writes, params, undefined);
      return writes.jobs.begin(operation.name, work.caller.agent, work.now);
    });
    if (typeof begun !== 'number') return begun;
    try {
      const done = await workOf(work, changes, params);
      await (await app.openStore('write')).write(toStamp(work), async (writes) => {
        await writes.jobs.finish(begun);
        if (!done.isDryRun) return conclude(work, writes, params, done);
        await forgetKey(work, writes);
        if (work.isGraded) await append(work, writes, done.more.exit ?? 0);
      });
      return done;
    } catch (error) {
      await (await app.openStore('write'))
        .write(toStamp(work), async (writes) => {
          await writes.jobs.finish(begun);
          await forgetKey(work, writes);
        })
        .catch(() => {});
      throw error;
    }
  }
  const done = await workOf(work, changes, params);
  // Files were the work; the log records it where there is a sound store to record it in.
  if (app.platform.project()) await logQuietly(work, done.more.exit ?? 0, done.changes);
  return done;
}

async function workOf(work: CallContext, changes: Changes, params: Record<string, unknown>): Promise<Done> {
  const context = jobContext(work, changes);
  const { result, more } = unwrap(await work.operation.run(context as never, params as never));
  const done = { result, more, changes, ...(more.dryRun ? { isDryRun: true } : {}) };
  return more.budget ? (await import('./fit.ts')).fitList(context as never, work.operation, done) : done;
}

/** Who gave up while the call waited for its turn gets nothing written; what has begun is done as a whole. */
function checkWaiting({ call, operation, app, startedAt }: CallContext): void {
  if (!call.signal?.aborted) return;
  throw new CleoError('E_LOCK_TIMEOUT', { waitedMs: Math.round(app.platform.monotonicMs() - startedAt), path: operation.name });
}

class DryRun extends Error {
  readonly done: Done;
  constructor(done: Done) {
    super('dry run');
    this.done = done;
  }
}

function jobContext(work: CallContext, changes: Changes): object {
  const { app } = work;
  const { platform } = app;
  return Object.defineProperties(createContext(work, {}), {
    config: { value: () => platform.config.load(platform.project()) },
    openStore: { value: app.openStore },
    closeStores: { value: app.closeStores },
    storeAdmin: { value: app.storeAdmin },
    changes: { value: changes },
    write: {
      value: async (change: (store: WriteStore) => Promise<unknown>) =>
        (await app.openStore('write')).write(toStamp(work), async (writes) => {
          const result = await change(writes);
          for (const key of ['created', 'updated', 'deleted'] as const) changes[key].push(...writes.changes[key]);
          return result;
        }),
    },
  });
}

async function conclude(work: CallContext, writes: WriteStore, params: Record<string, unknown>, done: Done): Promise<void> {
  join(work, done);
  await keepKey(work, writes, params, done);
  await append(work, writes, done.more.exit ?? 0, done.changes);
}

/** Whoever starts or resumes a session is in it with that very call, and later ones of this process. */
function join(work: CallContext, done: Done): void {
  const { enterSession: joins } = done.more;
  if (!joins) return;
  work.caller = { ...work.caller, session: joins.id };
  work.app.agentSessions?.set(work.caller.agent, joins.id);
  if (work.app.agentSessions && work.caller.agent === work.app.platform.caller.agent) work.app.platform.announce(joins.id, joins.isGraded);
}
