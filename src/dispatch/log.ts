import { CleoError } from '#core/errors/error.ts';
import type { AuditDraft, Changes } from '#core/model/audit.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import { redactParams } from '#lib/redact.ts';
import type { WriteStore } from '#store/port/store.ts';
import { type Call, type CallContext, toStamp } from './call-context.ts';
import type { Outcome } from './envelope.ts';
import { identify, identifyQuietly } from './identify.ts';

/** The call as the log keeps it. */
function toAuditEntry(ctx: CallContext, exitCode: number, changes?: Changes, errorCode?: string): AuditDraft {
  const { app, call, caller, now, startedAt } = ctx;
  const { grade } = app.platform;
  const session = caller.session ?? (grade.isEnabled ? grade.id : undefined);
  const [domain = '', ...rest] = call.operation.split('.');
  return {
    timestamp: now,
    ...(session ? { session } : {}),
    agent: caller.agent,
    gateway: call.gateway,
    domain,
    operation: rest.join('.'),
    params: JSON.stringify(toLoggedParams(call, ctx.operation.redactedParams)),
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
function toLoggedParams({ params, token, agent }: Call, redactedParams: string[] | undefined): unknown {
  const logged = redactParams(redactedParams ? replaceByLength(params, redactedParams) : params) ?? {};
  const isOther = token && agent !== undefined && agent !== token.name;
  return isOther && isPlainObject(logged) ? { ...logged, '@token': token.name } : logged;
}

const replaceByLength = (params: unknown, names: string[]): unknown =>
  Object.fromEntries(
    Object.entries((params ?? {}) as object).map(([name, value]) => [
      name,
      names.includes(name) ? { length: measureLength(value) } : value,
    ]),
  );

/** As JSON; what is too deep for that is refused anyway, and counts as nothing. */
function measureLength(value: unknown): number {
  try {
    return (JSON.stringify(value) ?? '').length;
  } catch {
    return 0;
  }
}

/** The call at the end of the log; in grade mode the caller may be told what it has just cost. */
export async function appendEntry(
  ctx: CallContext,
  writes: WriteStore,
  exitCode: number,
  changes?: Changes,
  errorCode?: string,
): Promise<void> {
  const entry = toAuditEntry(ctx, exitCode, changes, errorCode);
  await writes.audit.append(entry);
  const { platform } = ctx.app;
  if (!ctx.isGraded || !entry.session || !platform.config.load(platform.getProject())['grade.nudge']) return;
  const nudge = await (await import('./nudge.ts')).findNudge(ctx, writes, entry.session);
  if (nudge) ctx.nudge = nudge;
}

/** Grade mode: a read is on disk before it is answered, where there is a project to write it to. */
export async function logQuery(ctx: CallContext, exitCode: number): Promise<void> {
  if (!ctx.app.platform.getProject()) return;
  await (await ctx.app.openStore('write')).write(toStamp(ctx), (writes) => appendEntry(ctx, writes, exitCode));
}

/** A refused write is logged as well, after the roll-back, in a transaction of its own. */
export async function logError(ctx: CallContext, error: CleoError): Promise<void> {
  const { operation, app } = ctx;
  if ([3, 7, 8].includes(error.exitCode) || !app.platform.getProject()) return;
  if (operation.kind === 'query') await identifyQuietly(ctx);
  if (operation.kind !== 'query' || ctx.isGraded) await logQuietly(ctx, error.exitCode, undefined, error.code);
}

/** The answer stands whether or not the log could take this entry. */
export async function logQuietly(ctx: CallContext, exitCode: number, changes?: Changes, errorCode?: string): Promise<void> {
  try {
    await (await ctx.app.openStore('write')).write(toStamp(ctx), async (writes) => {
      // A session that is not there is what was refused; the refusal itself is logged all the same.
      await identify(ctx, writes).catch(() => {});
      await appendEntry(ctx, writes, exitCode, changes, errorCode);
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** What a query leaves in a file; that it cannot be kept is a warning, never a failure. */
export function appendLine({ app }: CallContext, outcome: Outcome): void {
  const { appendLine: keeps } = outcome.options;
  const project = app.platform.getProject();
  if (!keeps || !project) return;
  try {
    app.platform.files.appendLine(`${project.folder}/${keeps.file}`, keeps.line);
  } catch (error) {
    outcome.options = {
      ...outcome.options,
      warnings: [...(outcome.options.warnings ?? []), `${keeps.file} was not written: ${(error as Error).message}`],
    };
  }
}
