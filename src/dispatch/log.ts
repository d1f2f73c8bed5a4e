import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
import type { AuditDraft, Changes, Principal } from '#core/model/audit.ts';
import type { Config } from '#core/model/config.ts';
import { includesScope } from '#core/rules/token-scope.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { redactParams } from '#lib/redact.ts';
import { toConversationAgent } from '#sessions/rules/caller.ts';
import type { WriteStore } from '#store/port/store.ts';
import { type Call, type CallContext, getConfig, getNamespace, identify, identifyQuietly, toStamp } from './call-context.ts';
import type { Outcome } from './dispatch.ts';

/** Converts a call to an audit entry. */
function toAuditEntry(ctx: CallContext, exitCode: number, changes?: Changes, errorCode?: string): AuditDraft {
  const { app, call, caller, now, startedAt } = ctx;
  const { grade } = app.platform;
  const session = caller.session ?? (grade.isEnabled ? grade.id : undefined);
  const [domain = '', ...rest] = call.operation.split('.');
  return defined({
    timestamp: now,
    session,
    agent: caller.agent,
    gateway: call.gateway,
    domain,
    operation: rest.join('.'),
    params: JSON.stringify(toLoggedParams(call, ctx.operation.redactedParams, app.platform.trustUse.digest, ctx.logParams)),
    success: errorCode === undefined,
    exitCode,
    errorCode,
    created: changes?.created ?? [],
    updated: changes?.updated ?? [],
    deleted: changes?.deleted ?? [],
    durationMs: Math.round(app.platform.monotonicMs() - startedAt),
    principal: JSON.stringify(toPrincipal(ctx)),
    project: readConfig(ctx)['project.key'] || undefined,
  });
}

/** A mutation writes no settings; what runs for longer, or changes them, is logged with those that apply at its end. */
const readConfig = (ctx: CallContext): Config => {
  const { operation, app } = ctx;
  const isShort = operation.kind === 'mutation' && getNamespace(operation.name) !== 'admin';
  return isShort ? getConfig(ctx) : app.platform.config.load(app.platform.getProject());
};

/** Redacts the parameters. An agent can choose any name, so `@token` records the token it used. `@trust` is the CLEO_TRUST that allowed
 *  the call. */
function toLoggedParams(
  { params, token, agent }: Call,
  redactedParams: string[] | undefined,
  trust: string | undefined,
  facts?: Record<string, unknown>,
): unknown {
  const logged = redactParams(redactedParams ? replaceByLength(params, redactedParams) : params) ?? {};
  const isOther = token && agent !== undefined && agent !== token.name;
  if (!isPlainObject(logged)) return logged;
  return { ...logged, ...(isOther ? { '@token': token.name } : {}), ...(trust ? { '@trust': trust } : {}), ...facts };
}

const replaceByLength = (params: unknown, names: string[]): unknown =>
  Object.fromEntries(
    Object.entries((params ?? {}) as object).map(([name, value]) => [
      name,
      names.includes(name) ? { length: measureLength(value) } : value,
    ]),
  );

/** Measures a value as JSON. A value that is nested too deep is rejected later and counts as 0. */
function measureLength(value: unknown): number {
  try {
    return (JSON.stringify(value) ?? '').length;
  } catch {
    return 0;
  }
}

const isNamed = ({ app, call }: CallContext): boolean => call.agent !== undefined || app.platform.identity.kind === 'named';

/** Appends the call to the log. In grade mode it also computes the nudge. */
export async function appendEntry(
  ctx: CallContext,
  writes: WriteStore,
  exitCode: number,
  changes?: Changes,
  errorCode?: string,
): Promise<void> {
  // An agent that is named outright has no `Caller.process`. Whether it may judge a task depends on the client it runs in.
  if (changes?.updated.length && ctx.caller.process === undefined && isNamed(ctx)) {
    const { findCallerProcess } = await import('#sessions/operations/shared/caller-process.ts');
    const { app, call, caller } = ctx;
    const process = await findCallerProcess({ platform: app.platform, caller, gateway: call.gateway, ...defined({ token: call.token }) });
    if (process !== undefined) ctx.clientProcess = process;
  }
  const entry = toAuditEntry(ctx, exitCode, changes, errorCode);
  await writes.audit.append(entry, ctx.app.signEntry);
  const { platform } = ctx.app;
  if (!ctx.isGraded || !entry.session || !platform.config.load(platform.getProject())['grade.nudge']) return;
  const nudge = await (await import('./nudge.ts')).findNudge(ctx, writes, entry.session);
  if (nudge) ctx.nudge = nudge;
}

/** Logs a read in grade mode, before it is answered. */
export async function logQuery(ctx: CallContext, exitCode: number): Promise<void> {
  if (!ctx.app.platform.getProject()) return;
  await (await ctx.app.openStore('write')).write(toStamp(ctx), (writes) => appendEntry(ctx, writes, exitCode));
}

/** Logs a failed write after its rollback, in a separate transaction. */
export async function logError(ctx: CallContext, error: CleoError): Promise<void> {
  const { operation, app } = ctx;
  if (ctx.isLogged || [3, 7, 8].includes(error.exitCode) || !app.platform.getProject()) return;
  if (operation.kind === 'query') await identifyQuietly(ctx);
  if (operation.kind !== 'query' || ctx.isGraded) await logQuietly(ctx, error.exitCode, undefined, error.code);
}

/** Logs a call whose answer does not depend on the log: a `CleoError` of the store is ignored. */
export async function logQuietly(ctx: CallContext, exitCode: number, changes?: Changes, errorCode?: string): Promise<void> {
  try {
    if (!ctx.isParsed && ctx.app.wouldConnect()) return;
    await (await ctx.app.openStore('write')).write(toStamp(ctx), async (writes) => {
      // The call may have failed because its session does not exist; it is logged nevertheless.
      await identify(ctx, writes, writes).catch(() => {});
      await appendEntry(ctx, writes, exitCode, changes, errorCode);
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
  }
}

/** Appends the line of a query to its file. A failed write is only a warning. An observer that may not write, such as a web page without
 *  its secret, appends nothing. */
export function appendLine(ctx: CallContext, outcome: Outcome): void {
  const { app, call } = ctx;
  const { appendLine: addition } = outcome.options;
  const project = app.platform.getProject();
  if (!addition || !project || (app.isObserver && !includesScope(call.token?.scope ?? 'query', 'mutate'))) return;
  try {
    app.platform.files.appendLine(`${project.folder}/${addition.file}`, addition.line);
    ctx.hasAppendedLine = true;
  } catch (error) {
    outcome.options = {
      ...outcome.options,
      warnings: [...(outcome.options.warnings ?? []), `${addition.file} was not written: ${(error as Error).message}`],
    };
  }
}

/** Returns the caller of a call and how it was authenticated, for the log. */
export function toPrincipal({ call, app, caller, clientProcess, proof }: CallContext): Principal {
  const via = call.page ? 'page' : call.gateway === 'cli' ? 'shell' : call.gateway === 'http' ? 'http' : 'mcp';
  const token = call.token && call.token.name !== anonymousToken ? call.token : undefined;
  const isPerson =
    proof !== undefined ||
    call.page?.isPerson ||
    (token && !token.isClient
      ? includesScope(token.scope, 'decide') && token.ownerKind !== 'service'
      : call.gateway === 'cli' && app.platform.identity.kind === 'person' && !call.agent);
  return defined({
    kind: isPerson ? ('person' as const) : ('agent' as const),
    via: proof?.via ?? (token ? ('token' as const) : via),
    token: proof?.token ?? token?.name,
    owner: token?.owner === token?.name ? undefined : token?.owner,
    evidence: proof?.evidence,
    process: caller.process ?? clientProcess,
    conversation: call.conversation && toConversationAgent(call.conversation.client, call.conversation.id),
  });
}
