import type { Operation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { secretsInText } from '#core/model/token.ts';
import { defined } from '#lib/collections.ts';
import { sha256 } from '#lib/digest.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import type { WriteStore } from '#store/port/store.ts';
import { type CallContext, checkId } from './call-context.ts';
import { createSuccess, type Envelope, type Meta, type Outcome } from './dispatch.ts';

/** Returns true if the call has to be in the log or has a key, so that it always writes. */
export const mustWrite = ({ isGraded, call }: CallContext): boolean => isGraded || (call.idempotencyKey !== undefined && !call.isNewKey);

/** Returns the stored answer of an idempotency key that was used before, so that a retry has no second effect. */
export async function findReplay(
  { operation, now }: CallContext,
  writes: WriteStore,
  params: Record<string, unknown>,
  key: string,
): Promise<Outcome | undefined> {
  checkId('idempotencyKey', key);
  await writes.keys.removeBefore(subtractDay(now));
  const stored = await writes.keys.get(operation.name, key);
  if (!stored) return undefined;
  if (stored.paramsHash !== hashParams(params))
    throw new CleoError('E_VALIDATION', {
      field: 'idempotencyKey',
      problem: 'was used before with other parameters',
      fix: 'cleo log --limit 5',
    });
  if (stored.answer === undefined) {
    const isRunning = (await writes.health.listStartedJobs()).some((job) => job.operation === operation.name);
    if (!isRunning || countMinutes(stored.at, now) >= 10)
      throw (await import('./unknown-outcome.ts')).createUnknownOutcome(`${operation.name} was started with this key and did not finish`);
    throw new CleoError('E_LOCK_TIMEOUT', {
      waitedMs: 0,
      path: operation.name,
      problem: `${operation.name} is still running with this idempotency key`,
    });
  }
  const { [applyKey]: apply, ...envelope } = JSON.parse(stored.answer) as Envelope;
  envelope._meta.replayed = true;
  return { result: {}, options: apply ? { apply: apply as Record<string, unknown> } : {}, replay: envelope };
}

/** What `apply` needs is stored with the answer, because the files may not be written yet when the call is repeated. */
const applyKey = '_apply';

/** Stores the answer of a success. A running job stores its key without an answer. */
export async function storeKey(
  ctx: CallContext,
  writes: WriteStore,
  params: Record<string, unknown>,
  outcome: Outcome | undefined,
  key: string,
): Promise<void> {
  const { operation, now, app, caller } = ctx;
  if (outcome?.options.isRepeatable) return;
  const apply = outcome?.options.apply;
  const meta: Meta = defined({ command: operation.name, timestamp: now, version: app.platform.version, sessionId: caller.session });
  await writes.keys.save(operation.name, key, {
    paramsHash: hashParams(params),
    at: now,
    ...(outcome
      ? {
          answer: JSON.stringify({
            ...createSuccess(operation, meta, maskSecretResult(operation, outcome)),
            ...(apply ? { [applyKey]: apply } : {}),
          }),
        }
      : {}),
  });
}

/** Removes the key of a failed job, so that the caller can retry with it. */
export async function forgetKey({ call, operation }: CallContext, writes: WriteStore): Promise<void> {
  if (call.idempotencyKey) await writes.keys.remove(operation.name, call.idempotencyKey);
}

/** Masks a secret that is shown only once; a retry with the same key does not show it again. */
function maskSecretResult({ secretResult }: Operation, outcome: Outcome): Outcome {
  if (!secretResult) return outcome;
  const value = outcome.result[secretResult];
  const masked = typeof value === 'string' ? '[shown once]' : JSON.parse(JSON.stringify(value).replace(secretsInText, '[shown once]'));
  return { ...outcome, result: { ...outcome.result, [secretResult]: masked } };
}

const hashParams = (params: Record<string, unknown>): string => sha256(JSON.stringify(params));
const subtractDay = (now: string): string => formatIsoTime(Date.parse(now) - 86_400_000);
const countMinutes = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / 60_000;
