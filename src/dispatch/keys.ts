import { is } from 'valibot';
import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { AgentId } from '#core/model/scalars.ts';
import { sha256 } from '#lib/sha256.ts';
import type { WriteStore } from '#store/port.ts';
import type { CallContext } from './call-context.ts';
import { type Done, type Envelope, type Meta, success } from './envelope.ts';

/** The same key again gives the same answer and has no second effect. */
export async function replayed(work: CallContext, writes: WriteStore, params: Record<string, unknown>): Promise<Done | undefined> {
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

/** The answer of a success is kept; a job keeps its key without one while it runs. */
export async function keepKey(
  work: CallContext,
  writes: WriteStore,
  params: Record<string, unknown>,
  done: Done | undefined,
): Promise<void> {
  const { call, operation, now, app, caller } = work;
  if (!call.idempotencyKey) return;
  const meta: Meta = {
    command: operation.name,
    timestamp: now,
    version: app.platform.version,
    ...(caller.session ? { sessionId: caller.session } : {}),
  };
  await writes.keys.keep(operation.name, call.idempotencyKey, {
    paramsHash: hashOf(params),
    at: now,
    ...(done ? { answer: JSON.stringify(success(operation, meta, withoutHidden(operation, done))) } : {}),
  });
}

/** A failure is not kept: the same key may try again. */
export async function forgetKey({ call, operation }: CallContext, writes: WriteStore): Promise<void> {
  if (call.idempotencyKey) await writes.keys.forget(operation.name, call.idempotencyKey);
}

/** Shown once: not even the same key shows it again. */
const withoutHidden = ({ secretResult }: Operation, done: Done): Done =>
  secretResult ? { ...done, result: { ...done.result, [secretResult]: '[shown once]' } } : done;

const hashOf = (params: Record<string, unknown>): string => sha256(JSON.stringify(params));
const dayBefore = (now: string): string => new Date(Date.parse(now) - 86_400_000).toISOString();
const minutesBetween = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / 60_000;
