import { CleoError } from '#core/errors/error.ts';
import type { AuditDraft, Changes } from '#core/model/audit.ts';
import { redactParams } from '#lib/redact.ts';
import type { WriteStore } from '#store/port.ts';
import { type Call, type CallContext, toStamp } from './call-context.ts';
import type { Done } from './envelope.ts';
import { identify, identifyQuietly } from './identify.ts';

/** The call as the log keeps it. */
function entryOf(work: CallContext, exitCode: number, changes?: Changes, errorCode?: string): AuditDraft {
  const { app, call, caller, now, startedAt } = work;
  const { grade } = app.platform;
  const session = caller.session ?? (grade.isOn ? grade.id : undefined);
  const [domain = '', ...rest] = call.operation.split('.');
  return {
    timestamp: now,
    ...(session ? { session } : {}),
    agent: caller.agent,
    gateway: call.gateway,
    domain,
    operation: rest.join('.'),
    params: JSON.stringify(paramsOf(call, work.operation.redactedParams)),
    success: errorCode === undefined,
    exitCode,
    ...(errorCode ? { errorCode } : {}),
    created: changes?.created ?? [],
    updated: changes?.updated ?? [],
    deleted: changes?.deleted ?? [],
    durationMs: Math.round(app.platform.monotonicMs() - startedAt),
  };
}

/** Without secrets. An agent may call itself what it likes; whose token it came with is told beside. */
function paramsOf({ params, token, agent }: Call, veils: string[] | undefined): unknown {
  const shown = redactParams(veils ? veiled(params, veils) : params) ?? {};
  const isOther = token && agent !== undefined && agent !== token.name;
  return isOther && !Array.isArray(shown) && typeof shown === 'object' ? { ...shown, '@token': token.name } : shown;
}

const veiled = (params: unknown, veils: string[]): unknown =>
  Object.fromEntries(
    Object.entries((params ?? {}) as object).map(([name, value]) => [name, veils.includes(name) ? { length: lengthOf(value) } : value]),
  );

/** As JSON; what is too deep for that is refused anyway, and counts as nothing. */
function lengthOf(value: unknown): number {
  try {
    return (JSON.stringify(value) ?? '').length;
  } catch {
    return 0;
  }
}

/** The call at the end of the log; in grade mode the caller may be told what it has just cost. */
export async function append(
  work: CallContext,
  writes: WriteStore,
  exitCode: number,
  changes?: Changes,
  errorCode?: string,
): Promise<void> {
  const entry = entryOf(work, exitCode, changes, errorCode);
  await writes.audit.append(entry);
  const { platform } = work.app;
  if (!work.isGraded || !entry.session || !platform.config.load(platform.project())['grade.nudge']) return;
  const nudge = await (await import('./nudge.ts')).nudgeAfter(work, writes, entry.session);
  if (nudge) work.nudge = nudge;
}

/** Grade mode: a read is on disk before it is answered, where there is a project to write it to. */
export async function logQuery(work: CallContext, exitCode: number): Promise<void> {
  if (!work.app.platform.project()) return;
  await (await work.app.openStore('write')).write(toStamp(work), (writes) => append(work, writes, exitCode));
}

/** A refused write is logged as well, after the roll-back, in a transaction of its own. */
export async function logRefusal(work: CallContext, refusal: CleoError): Promise<void> {
  const { operation, app } = work;
  if ([3, 7, 8].includes(refusal.exitCode) || !app.platform.project()) return;
  if (operation.kind === 'query') await identifyQuietly(work);
  if (operation.kind !== 'query' || work.isGraded) await logQuietly(work, refusal.exitCode, undefined, refusal.code);
}

/** The answer stands whether or not the log could take this entry. */
export async function logQuietly(work: CallContext, exitCode: number, changes?: Changes, errorCode?: string): Promise<void> {
  try {
    await (await work.app.openStore('write')).write(toStamp(work), async (writes) => {
      // A session that is not there is what was refused; the refusal itself is logged all the same.
      await identify(work, writes).catch(() => {});
      await append(work, writes, exitCode, changes, errorCode);
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** What a query leaves in a file; that it cannot be kept is a warning, never a failure. */
export function keepLine({ app }: CallContext, done: Done): void {
  const { appendLine: keeps } = done.more;
  const project = app.platform.project();
  if (!keeps || !project) return;
  try {
    app.platform.files.appendLine(`${project.folder}/${keeps.file}`, keeps.line);
  } catch (error) {
    done.more = { ...done.more, warnings: [...(done.more.warnings ?? []), `${keeps.file} was not written: ${(error as Error).message}`] };
  }
}
