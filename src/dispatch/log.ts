import { CleoError } from '../errors/error.ts';
import type { AuditDraft, Changes } from '../model/audit.ts';
import { redactParams } from '../rules/redact.ts';
import { stampOf, type Work } from './work.ts';

/** The call as the log keeps it. */
export function entryOf(work: Work, exitCode: number, changes?: Changes, errorCode?: string): AuditDraft {
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

/** Grade mode: a read is on disk before it is answered, where there is a project to write it to. */
export async function logQuery(work: Work, exitCode: number): Promise<void> {
  if (!work.house.platform.project()) return;
  await (await work.house.openStore('write')).write(stampOf(work), (writes) => writes.audit.append(entryOf(work, exitCode)));
}

/** A refused write is logged as well, after the roll-back, in a transaction of its own. */
export async function logRefusal(work: Work, refusal: CleoError): Promise<void> {
  const { operation, house } = work;
  const isLogged = operation.kind !== 'query' || house.platform.grade.isOn;
  if (!isLogged || [3, 7, 8].includes(refusal.exitCode) || !house.platform.project()) return;
  await logQuietly(work, entryOf(work, refusal.exitCode, undefined, refusal.code));
}

/** The answer stands whether or not the log could take this entry. */
export async function logQuietly(work: Work, entry: AuditDraft): Promise<void> {
  try {
    await (await work.house.openStore('write')).write(stampOf(work), (writes) => writes.audit.append(entry));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}
