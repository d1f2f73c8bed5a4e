import { is } from 'valibot';
import { allows, scopeFor } from '#admin/rules/access.ts';
import type { Operation, Registry, RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Caller } from '#core/model/audit.ts';
import { AgentId } from '#core/model/scalars.ts';
import { nearest } from '#lib/nearest.ts';
import type { Platform } from '#platform/port.ts';
import { type App, type Call, type CallContext, createContext, unwrap } from './call-context.ts';
import { type Done, type Envelope, failure, type Meta, success } from './envelope.ts';
import { identify, identifyQuietly } from './identify.ts';
import { parseParams, wrongDoor } from './parse.ts';

export interface Reply {
  envelope: Envelope;
  exitCode: number;
  operation?: Operation;
  /** Why it was refused, where it was. */
  refusal?: CleoError;
  /** An exception nobody expected; surfaces show it only when asked to debug. */
  unexpected?: unknown;
}

/** The one door. Look up → parse → open the transaction (caller, idempotency key) → run → audit → envelope. */
export async function dispatch(app: App, call: Call): Promise<Reply> {
  const startedAt = app.platform.monotonicMs();
  const reply = await answer(app, call, startedAt);
  app.onReply?.(call, reply, app.platform.monotonicMs() - startedAt);
  return reply;
}

async function answer(app: App, call: Call, startedAt: number): Promise<Reply> {
  const { platform, registry } = app;
  const now = platform.now();
  const meta: Meta = { command: call.operation, timestamp: now, version: platform.version };
  let operation: Operation | undefined;
  let work: CallContext | undefined;
  try {
    const entry = lookUp(registry, call);
    meta.command = entry.name;
    operation = await entry.load();
    const isGraded = platform.grade.isOn && !app.isObserver;
    work = { app, call, operation, caller: callerOf(platform, call), now, startedAt, isGraded };
    checkToken(operation, call);
    if (call.refusal) throw call.refusal;
    checkDoor(operation, call);
    const params = parseParams(operation, call.params, call.paths);
    const done = await perform(work, params);
    complete(meta, work);
    const envelope = done.replay ?? success(operation, meta, done);
    return { envelope, exitCode: Number(envelope._meta.exitCode ?? 0), operation };
  } catch (error) {
    const known =
      error instanceof CleoError
        ? error
        : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) }, { cause: error });
    const refusal = operation?.exits ? (await import('./skill-refusal.ts')).skillRefused(known) : known;
    if (work) await (await import('./log.ts')).logRefusal(work, refusal);
    if (work) complete(meta, work);
    return {
      envelope: failure(meta, refusal),
      exitCode: refusal.exitCode,
      refusal,
      ...(operation ? { operation } : {}),
      ...(known === error ? {} : { unexpected: error }),
    };
  }
}

/** What is only known of a call once it is over. */
function complete(meta: Meta, { caller, nudge, operation }: CallContext): void {
  if (operation.exits) meta.exitNamespace = operation.exits;
  if (caller.session) meta.sessionId = caller.session;
  if (nudge) meta.nudge = nudge;
}

function lookUp(catalog: Registry, call: Call): RegistryEntry {
  const { operation: name, kind } = call;
  const entry = catalog.find(name);
  if (entry) return entry;
  // Who may not write at all is not told what there is to write with.
  checkToken({ kind: kind === 'mutate' ? 'mutation' : 'query' }, call);
  throw new CleoError('E_INVALID_OPERATION', {
    operation: name.slice(0, 100),
    near: nearest(
      name,
      catalog.entries.flatMap((e) => [e.name, ...e.aliases]),
    ),
  });
}

function checkToken(operation: Pick<Operation, 'kind' | 'scope'>, { token }: Call): void {
  if (!token || allows(token.scope, operation)) return;
  const scope = scopeFor(operation);
  throw new CleoError('E_FORBIDDEN', { fix: `cleo token create --name client-${scope} --scope ${scope}` });
}

/** A write asked of the door that reads is refused, never run; and a read of the one that writes, so that a caller's permissions mean something. */
function checkDoor(operation: Operation, call: Call): void {
  const fits = operation.kind === 'query' ? 'query' : 'mutate';
  if (call.kind !== undefined && call.kind !== fits) throw wrongDoor(operation, fits, call);
}

/** Who the caller says it is; which session it is in, the store knows. */
function callerOf(platform: Platform, call: Call): Caller {
  const agent = call.agent ?? call.token?.name ?? platform.caller.agent;
  for (const [field, id] of Object.entries({ agent, session: call.session ?? platform.caller.session, grade: platform.grade.id }))
    if (id !== undefined && !is(AgentId, id))
      throw new CleoError('E_VALIDATION', { field, problem: 'may hold letters, digits and . _ : @ / - (at most 100)', fix: 'cleo help' });
  return { agent };
}

async function perform(work: CallContext, params: Record<string, unknown>): Promise<Done> {
  const { operation } = work;
  if (operation.kind === 'query') return runQuery(work, params);
  // Most calls read; what only writes need stays out of their way.
  const { runJob, runMutation } = await import('./write.ts');
  return operation.kind === 'mutation' ? runMutation(work, params) : runJob(work, params);
}

async function runQuery(work: CallContext, params: Record<string, unknown>): Promise<Done> {
  const { app, operation } = work;
  const run = async (part: object): Promise<Done> => {
    const context = createContext(work, part);
    const done = unwrap(await operation.run(context as never, params as never));
    return done.more.budget ? (await import('./fit.ts')).fitList(context as never, operation, done) : done;
  };
  if (operation.needs !== 'store') await identifyQuietly(work);
  const done =
    operation.needs === 'store'
      ? await (await app.openStore(work.isGraded ? 'write' : 'read')).read(async (store) => {
          await identify(work, store);
          return run({ store });
        })
      : await run({});
  if (done.more.appendLine) (await import('./log.ts')).keepLine(work, done);
  if (done.more.failAfterSave) throw done.more.failAfterSave;
  if (work.isGraded) await (await import('./log.ts')).logQuery(work, done.more.exit ?? 0);
  return done;
}

export type { App, Call };
