import { is } from 'valibot';
import { CleoError } from '../errors/error.ts';
import type { AuditDraft, Caller, Changes, Gateway } from '../model/audit.ts';
import type { Config } from '../model/config.ts';
import { AgentId } from '../model/scalars.ts';
import { commandFor } from '../operations/command-line.ts';
import { Answer, type Catalog, type IndexEntry, type Operation } from '../operations/define.ts';
import type { Platform, Project } from '../platform/port.ts';
import { nearest } from '../rules/nearest.ts';
import { redactParams } from '../rules/redact.ts';
import { sha256 } from '../rules/sha256.ts';
import type { Store, WriteStore } from '../store/port.ts';
import { type Done, type Envelope, failure, type Meta, success } from './envelope.ts';
import { parseParams } from './parse.ts';

/** Everything that was built at the start and is handed in. */
export interface House {
  platform: Platform;
  catalog: Catalog;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  closeStores(): Promise<void>;
}

export interface Call {
  operation: string;
  gateway: Gateway;
  params: unknown;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
  /** Why the surface could not make parameters of what it was given; answered and logged like any call that does not parse. */
  refusal?: CleoError;
}

export interface Reply {
  envelope: Envelope;
  exitCode: number;
  operation?: Operation;
  /** An exception nobody expected; surfaces show it only when asked to debug. */
  unexpected?: unknown;
}

/** The one door. Look up → parse → open the transaction (caller, idempotency) → run → audit → envelope. */
export async function dispatch(house: House, call: Call): Promise<Reply> {
  const { platform, catalog } = house;
  const startedAt = platform.monotonicMs();
  const now = platform.now();
  const meta: Meta = { command: call.operation, timestamp: now, version: platform.version };
  let operation: Operation | undefined;
  let work: Work | undefined;
  try {
    const entry = lookUp(catalog, call.operation);
    meta.command = entry.name;
    operation = await entry.load();
    const caller = callerOf(platform, call);
    if (caller.session) meta.sessionId = caller.session;
    work = { house, call, operation, caller, now, startedAt };
    if (call.refusal) throw call.refusal;
    const params = parseParams(operation, call.params);
    const done = await perform(work, params);
    const envelope = done.replay ?? success(operation, meta, done);
    return { envelope, exitCode: Number(envelope._meta.exitCode ?? 0), operation };
  } catch (error) {
    const refusal =
      error instanceof CleoError
        ? error
        : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) }, { cause: error });
    if (work) await auditRefusal(work, refusal);
    return {
      envelope: failure(meta, refusal),
      exitCode: refusal.exitCode,
      ...(operation ? { operation } : {}),
      ...(refusal === error ? {} : { unexpected: error }),
    };
  }
}

interface Work {
  house: House;
  call: Call;
  operation: Operation;
  caller: Caller;
  now: string;
  startedAt: number;
}

function lookUp(catalog: Catalog, name: string): IndexEntry {
  const entry = catalog.entries.find((e) => e.name === name || e.aliases.includes(name));
  if (entry) return entry;
  throw new CleoError('E_INVALID_OPERATION', {
    operation: name.slice(0, 100),
    near: nearest(
      name,
      catalog.entries.flatMap((e) => [e.name, ...e.aliases]),
    ),
  });
}

function callerOf(platform: Platform, call: Call): Caller {
  const caller = { ...platform.caller, ...(call.agent ? { agent: call.agent } : {}), ...(call.session ? { session: call.session } : {}) };
  const tagged =
    caller.session === undefined && platform.grade.isOn && platform.grade.id ? { ...caller, session: platform.grade.id } : caller;
  for (const [field, id] of Object.entries(tagged))
    if (!is(AgentId, id))
      throw new CleoError('E_VALIDATION', { field, problem: 'may hold letters, digits and . _ : @ / - (at most 100)', fix: 'cleo help' });
  return tagged;
}

async function perform(work: Work, params: Record<string, unknown>): Promise<Done> {
  const { operation } = work;
  if (operation.kind === 'query') return runQuery(work, params);
  if (operation.kind === 'mutation') return runMutation(work, params);
  return runJob(work, params);
}

async function runQuery(work: Work, params: Record<string, unknown>): Promise<Done> {
  const { house, operation } = work;
  if (operation.needs !== 'store') return unwrap(await operation.run(contextOf(work, {}) as never, params as never));
  const isGraded = house.platform.grade.isOn;
  const store = await house.openStore(isGraded ? 'write' : 'read');
  const done = await store.read(async (reads) => unwrap(await operation.run(contextOf(work, { store: reads }) as never, params as never)));
  if (isGraded) await store.write(stampOf(work), (writes) => writes.audit.append(entryOf(work, done.more.exit ?? 0)));
  return done;
}

async function runMutation(work: Work, params: Record<string, unknown>): Promise<Done> {
  const { house, operation, caller, now } = work;
  const store = await house.openStore('write');
  const isDryRun = params.dryRun === true;
  const { dryRun: _, ...given } = params;
  try {
    return await store.write(stampOf(work), async (writes) => {
      const replay = await replayed(work, writes, params);
      if (replay) return replay;
      const done = { ...unwrap(await operation.run(contextOf(work, { store: writes }) as never, given as never)), changes: writes.changes };
      if (isDryRun) throw new DryRun({ ...done, isDryRun });
      await writes.claims.renew(caller, now);
      await conclude(work, writes, params, done);
      return done;
    });
  } catch (error) {
    // The transaction is rolled back; what it would have done is the answer.
    if (error instanceof DryRun) return error.done;
    throw error;
  }
}

async function runJob(work: Work, params: Record<string, unknown>): Promise<Done> {
  const { house, operation } = work;
  const changes: Changes = { created: [], updated: [], deleted: [] };
  if (operation.needs === 'store') {
    const store = await house.openStore('write');
    const begun = await store.write(stampOf(work), async (writes) => {
      const replay = await replayed(work, writes, params);
      if (replay) return replay;
      await keepKey(work, writes, params, undefined);
      return writes.jobs.begin(operation.name, work.caller.agent, work.now);
    });
    if (typeof begun !== 'number') return begun;
    try {
      const done = { ...unwrap(await operation.run(jobContext(work, changes) as never, params as never)), changes };
      await (await house.openStore('write')).write(stampOf(work), async (writes) => {
        await writes.jobs.finish(begun);
        await conclude(work, writes, params, done);
      });
      return done;
    } catch (error) {
      await (await house.openStore('write')).write(stampOf(work), (writes) => writes.jobs.finish(begun)).catch(() => {});
      throw error;
    }
  }
  const done = { ...unwrap(await operation.run(jobContext(work, changes) as never, params as never)), changes };
  // Files were the work; the log records it where there is a sound store to record it in.
  if (house.platform.project()) await auditQuietly(work, entryOf(work, done.more.exit ?? 0, done.changes));
  return done;
}

class DryRun extends Error {
  readonly done: Done;
  constructor(done: Done) {
    super('dry run');
    this.done = done;
  }
}

const unwrap = (result: unknown): { result: Record<string, unknown>; more: Answer<unknown>['more'] } =>
  result instanceof Answer
    ? { result: result.result as Record<string, unknown>, more: result.more }
    : { result: result as Record<string, unknown>, more: {} };

const stampOf = ({ now, caller }: Work): { at: string; by: string } => ({ at: now, by: caller.agent });

function contextOf(work: Work, part: object): object {
  const { house, operation, caller, now, call } = work;
  const { platform, catalog } = house;
  let config: Config | undefined;
  return {
    ...part,
    now,
    caller,
    platform,
    catalog,
    get config(): Config {
      config ??= platform.config.load(platform.project());
      return config;
    },
    get project(): Project {
      return projectOf(platform);
    },
    commandWith: (params: Record<string, unknown>) => commandFor(operation, { ...(call.params as object), ...params }),
  };
}

function jobContext(work: Work, changes: Changes): object {
  const { house } = work;
  const { platform } = house;
  return Object.defineProperties(contextOf(work, {}), {
    config: { value: () => platform.config.load(platform.project()) },
    openStore: { value: house.openStore },
    closeStores: { value: house.closeStores },
    read: { value: async (ask: never) => (await house.openStore('read')).read(ask) },
    write: {
      value: async (change: (store: WriteStore) => Promise<unknown>) =>
        (await house.openStore('write')).write(stampOf(work), async (writes) => {
          const result = await change(writes);
          for (const key of ['created', 'updated', 'deleted'] as const) changes[key].push(...writes.changes[key]);
          return result;
        }),
    },
  });
}

export function projectOf(platform: Platform): Project {
  const project = platform.project();
  if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder });
  return project;
}

/** The same key again gives the same answer and has no second effect. */
async function replayed(work: Work, writes: WriteStore, params: Record<string, unknown>): Promise<Done | undefined> {
  const { call, operation, now } = work;
  if (!call.idempotencyKey) return undefined;
  if (!is(AgentId, call.idempotencyKey))
    throw new CleoError('E_VALIDATION', {
      field: 'idempotencyKey',
      problem: 'may hold letters, digits and . _ : @ / - (at most 100)',
      fix: 'cleo help',
    });
  await writes.keys.forgetBefore(dayBefore(now));
  const kept = await writes.keys.kept(operation.name, call.idempotencyKey);
  if (!kept) return undefined;
  if (kept.paramsHash !== hashOf(params))
    throw new CleoError('E_VALIDATION', {
      field: 'idempotencyKey',
      problem: 'was used before with other parameters',
      fix: 'cleo log --limit 5',
    });
  if (kept.answer === undefined) {
    const isRunning = (await writes.health.startedJobs()).some((job) => job.operation === operation.name);
    throw isRunning && minutesBetween(kept.at, now) < 10
      ? new CleoError('E_LOCK_TIMEOUT', { waitedMs: 0, path: operation.name })
      : new CleoError('E_OUTCOME_UNKNOWN', { problem: `${operation.name} was begun with this key and did not finish` });
  }
  const envelope = JSON.parse(kept.answer) as Envelope;
  envelope._meta.replayed = true;
  return { result: {}, more: {}, replay: envelope };
}

async function conclude(work: Work, writes: WriteStore, params: Record<string, unknown>, done: Done): Promise<void> {
  await keepKey(work, writes, params, done);
  await writes.audit.append(entryOf(work, done.more.exit ?? 0, done.changes));
}

async function keepKey(work: Work, writes: WriteStore, params: Record<string, unknown>, done: Done | undefined): Promise<void> {
  const { call, operation, now, house, caller } = work;
  if (!call.idempotencyKey) return;
  const meta: Meta = {
    command: operation.name,
    timestamp: now,
    version: house.platform.version,
    ...(caller.session ? { sessionId: caller.session } : {}),
  };
  await writes.keys.keep(operation.name, call.idempotencyKey, {
    paramsHash: hashOf(params),
    at: now,
    ...(done ? { answer: JSON.stringify(success(operation, meta, done)) } : {}),
  });
}

function entryOf(work: Work, exitCode: number, changes?: Changes, errorCode?: string): AuditDraft {
  const { house, call, caller, now, startedAt } = work;
  const [domain = '', ...rest] = call.operation.split('.');
  return {
    timestamp: now,
    ...(caller.session ? { session: caller.session } : {}),
    agent: caller.agent,
    gateway: call.gateway,
    domain,
    operation: rest.join('.'),
    params: JSON.stringify(redactParams(call.params) ?? {}),
    success: errorCode === undefined,
    exitCode,
    ...(errorCode ? { errorCode } : {}),
    created: changes?.created ?? [],
    updated: changes?.updated ?? [],
    deleted: changes?.deleted ?? [],
    durationMs: Math.round(house.platform.monotonicMs() - startedAt),
  };
}

/** A refused write is logged as well, after the roll-back, in a transaction of its own. */
async function auditRefusal(work: Work, refusal: CleoError): Promise<void> {
  const { operation, house } = work;
  const isLogged = operation.kind !== 'query' || (house.platform.grade.isOn && operation.needs === 'store');
  if (!isLogged || [3, 7, 8].includes(refusal.exitCode) || !house.platform.project()) return;
  await auditQuietly(work, entryOf(work, refusal.exitCode, undefined, refusal.code));
}

/** The answer stands whether or not the log could take this entry. */
async function auditQuietly(work: Work, entry: AuditDraft): Promise<void> {
  try {
    await (await work.house.openStore('write')).write(stampOf(work), (writes) => writes.audit.append(entry));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

const hashOf = (params: Record<string, unknown>): string => sha256(JSON.stringify(params));
const dayBefore = (now: string): string => new Date(Date.parse(now) - 86_400_000).toISOString();
const minutesBetween = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / 60_000;
