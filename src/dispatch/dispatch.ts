import { type BaseIssue, safeParse } from 'valibot';
import { describeParams } from '#core/command-line.ts';
import { type AnswerOptions, type CommandDefinition, listResultKeys, type Operation, type WaitRequest } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Caller, Changes } from '#core/model/audit.ts';
import { getRequiredScope, includesScope, isAllowed, type ScopedOperation } from '#core/rules/token-scope.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import type { Platform } from '#platform/port.ts';
import {
  type App,
  type Call,
  type CallContext,
  checkFolder,
  checkId,
  createContext,
  FactsMissing,
  identify,
  identifyQuietly,
  namesConversation,
  runGuarded,
  ScopeRequired,
  unwrapAnswer,
} from './call-context.ts';
import type { CallOrigin } from './input-error.ts';
import type { PartAnswer } from './remote/server-answer.ts';

export interface Reply {
  envelope: Envelope;
  exitCode: number;
  operation?: Operation;
  /** The agent and session of the call, as far as they are known. */
  caller?: Caller;
  /** The error, if the call failed. */
  error?: CleoError;
  /** An unexpected exception. Surfaces show it only in debug mode. */
  unexpected?: unknown;
  /** What the client of this server has to write. */
  apply?: Record<string, unknown>;
  /** What the client of this server gets for its part of the operation. */
  part?: PartAnswer;
  /** The caller waits for work, and the call found none. */
  wait?: WaitRequest & { ctx: CallContext };
}

/** Runs a call: look up → parse → open the transaction (caller, idempotency key) → run → audit → envelope. */
export async function dispatch(app: App, call: Call): Promise<Reply> {
  const startedAt = app.platform.monotonicMs();
  let reply = await handleCall(app, call, startedAt);
  if (reply.wait) reply = await (await import('./feed/wait-for-work.ts')).waitForWork(app, call, reply, handleCall);
  if (reply.operation?.publishesBy && reply.envelope.success)
    await (await import('./publish.ts')).publishResult(app, call, reply, dispatch);
  app.onReply?.(call, reply, app.platform.monotonicMs() - startedAt);
  return reply;
}

async function handleCall(app: App, given: Call, startedAt: number): Promise<Reply> {
  const { platform, registry } = app;
  const now = platform.now();
  const meta: Meta = { command: given.operation, timestamp: now, version: platform.version };
  let warnings = given.warnings ?? [];
  let operation: Operation | undefined;
  let ctx: CallContext | undefined;
  try {
    const known = registry.find(given.operation);
    const call = known ? given : await (await import('./resolve-call.ts')).resolveCall(registry, given, checkToken);
    const entry = known ?? registry.find(call.operation)!;
    meta.command = entry.name;
    operation = await entry.load();
    const isGraded = platform.grade.isEnabled && !app.isObserver;
    ctx = { app, call, operation, caller: toCaller(platform, call, operation), now, startedAt, isGraded };
    await checkToken(operation, call);
    if (call.token && call.agent !== undefined) (await import('./check-name.ts')).checkName(ctx);
    if (call.inputError) throw call.inputError;
    await checkGateway(operation, call);
    const { runsOn, needs, isAboutStore, steps } = operation;
    if (!steps && (runsOn ? runsOn !== 'client' : needs === 'store' || isAboutStore?.((call.params ?? {}) as never)) && app.usesServer())
      return await (await import('./remote/send-call.ts')).sendCall(ctx);
    const {
      params,
      corrected,
      warnings: ignored = [],
    } = await readParams(operation, call.params, call, async () =>
      steps && app.usesServer() ? undefined : (await import('./resolve-aliases.ts')).resolveAliases(app, entry, call.params),
    );
    // The log and suggested commands show the canonical parameters.
    if (corrected) ctx.call = { ...call, params: corrected };
    ctx.isParsed = true;
    warnings = [...warnings, ...ignored];
    if (operation.hookInput) ctx.hookInput = params[operation.hookInput];
    if (call.observeError) throw call.observeError;
    const outcome = await (usesOnlyStore(operation) ? runAuthorized(ctx, params) : runGuarded(ctx, () => runAuthorized(ctx!, params)));
    const { wait } = outcome.options;
    completeMeta(meta, ctx);
    const envelope = outcome.replay ?? createSuccess(operation, meta, outcome);
    addWarnings(envelope._meta, [...warnings, ...(ctx.warnings ?? [])]);
    return {
      envelope,
      exitCode: Number(envelope._meta.exitCode ?? 0),
      operation,
      caller: ctx.caller,
      ...(ctx.clientApply ? { apply: ctx.clientApply } : {}),
      ...(ctx.partAnswer ? { part: ctx.partAnswer } : {}),
      ...(wait && !call.hasWaited ? { wait: { ...wait, ctx } } : {}),
    };
  } catch (error) {
    // The client of this server observes them and sends the call again.
    if (error instanceof FactsMissing) throw error;
    return handleError(error, meta, warnings, operation, ctx);
  }
}

/** What an operation observes besides the store is observed outside its run. */
const usesOnlyStore = ({ kind, needs, shares }: Operation): boolean => kind !== 'job' && needs === 'store' && !shares;

/** A function of its own, so that a successful call does not compile it. */
async function handleError(
  error: unknown,
  meta: Meta,
  warnings: string[],
  operation: Operation | undefined,
  ctx: CallContext | undefined,
): Promise<Reply> {
  const known =
    error instanceof CleoError
      ? error
      : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) }, { cause: error });
  const failure = operation?.exitNamespace ? (await import('./skill-error.ts')).redactSkillError(known) : known;
  if (ctx && !ctx.isAnsweredByServer) await (await import('./offer-fix.ts')).offerFix(ctx, failure);
  if (ctx && !ctx.isAnsweredByServer) await (await import('./log.ts')).logError(ctx, failure);
  if (ctx) completeMeta(meta, ctx);
  // A caller without the scope gets the error of cleo, whose exit code is not one of the skill.
  if (failure.row === 'E_FORBIDDEN' || failure.row === 'E_UNAUTHORIZED') delete meta.exitNamespace;
  addWarnings(meta, [...warnings, ...(ctx?.warnings ?? [])]);
  return {
    envelope: createFailure(meta, failure),
    exitCode: failure.exitCode,
    error: failure,
    ...(operation ? { operation } : {}),
    ...(ctx ? { caller: ctx.caller } : {}),
    ...(known === error ? {} : { unexpected: error }),
  };
}

/** Adds the metadata that is known only after the call. */
function completeMeta(meta: Meta, ctx: CallContext): void {
  const { app, caller, nudge, operation } = ctx;
  if (app.notices?.length) ctx.warnings = [...(ctx.warnings ?? []), ...app.notices.splice(0)];
  if (operation.exitNamespace) meta.exitNamespace = operation.exitNamespace;
  if (caller.session) meta.sessionId = caller.session;
  if (nudge) meta.nudge = nudge;
}

const addWarnings = (meta: Meta, warnings: string[]): void => {
  if (warnings.length > 0) meta.warnings = [...warnings, ...(meta.warnings ?? [])];
};

/** Rejects a token that does not allow the operation, before the call is parsed, so that its answer does not reveal what exists. */
async function checkToken(operation: ScopedOperation, { token, page, operation: name }: Call): Promise<void> {
  if (!token || isAllowed(token, operation)) return;
  // The web page can prove a person, as the shell can, but it cannot use the host. A cleo client knows the operations, and has parsed the
  // call: the error that it gets later names the scope, and the whole command for a person.
  const isAnsweredLater = page || (token.isClient && includesScope(getRequiredScope(operation), 'decide'));
  if (!isAnsweredLater || operation.usesHost) throw (await import('./authorize.ts')).createTokenError(operation, token, name);
}

/** Runs an operation once its caller has the scope it needs. If the operation itself finds that it needs more, or facts that are not
 *  observed yet, its transaction has been rolled back, and it runs again with them. */
async function runAuthorized(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { operation, call } = ctx;
  if (!isAllowed(call.token, operation)) await (await import('./authorize.ts')).authorizeOperation(ctx, params);
  if (call.clientFacts) (await import('./observe.ts')).readClientFacts(ctx, call.clientFacts.facts);
  for (;;)
    try {
      return await runOperation(ctx, params);
    } catch (error) {
      if (error instanceof ScopeRequired) await (await import('./authorize.ts')).authorize(ctx, error, params);
      else if (error instanceof FactsMissing) await (await import('./observe.ts')).observeMissing(ctx, error);
      else throw error;
    }
}

/** Rejects a write through the query gateway and a read through the mutate gateway, because clients grant permissions by gateway. */
async function checkGateway(operation: Operation, call: Call): Promise<void> {
  const expected = operation.kind === 'query' ? 'query' : 'mutate';
  if (call.kind === undefined || call.kind === expected) return;
  throw (await import('./input-error.ts')).createWrongGatewayError(operation, expected, call);
}

/** Returns the agent of the call. Its session is looked up in the store later. */
function toCaller(platform: Platform, call: Call, { needs, kind }: Operation): Caller {
  const { token } = call;
  const agent = call.agent ?? (token && !token.isClient ? (token.agent ?? token.name) : platform.caller.agent);
  // Help must work for a caller whose environment has an invalid id.
  if (needs === 'nothing' && kind === 'query') return { agent };
  checkId('agent', agent);
  checkId('session', call.session ?? platform.caller.session);
  checkId('grade', platform.grade.id);
  return { agent };
}

async function runOperation(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { shares } = ctx.operation;
  // The client of this server does that for its own files.
  if (!shares || ctx.call.part || !(ctx.app.hasSharedStore() || ctx.app.usesServer())) return runKind(ctx, params);
  return (await import('./share-records.ts')).withSharedRecords(ctx, shares, () => runKind(ctx, params));
}

async function runKind(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { operation } = ctx;
  if (operation.steps && ctx.app.usesServer()) return (await import('./remote/run-on-client.ts')).runOnClient(ctx, params);
  if (ctx.call.clientFacts && operation.steps) return (await import('./remote/answer-part.ts')).answerPart(ctx, params);
  if (operation.kind === 'query') return runQuery(ctx, params);
  // Most calls read and never load the code for writes.
  const { runJob, runMutation } = await import('./write.ts');
  return operation.kind === 'mutation' ? runMutation(ctx, params) : runJob(ctx, params);
}

async function runQuery(ctx: CallContext, params: Record<string, unknown>): Promise<Outcome> {
  const { app, operation } = ctx;
  const run = async (part: object): Promise<Outcome> => {
    const context = createContext(ctx, part);
    const outcome = unwrapAnswer(await operation.run(context as never, params as never));
    return outcome.options.budget ? (await import('./fit-list.ts')).fitList(context as never, operation, outcome) : outcome;
  };
  if (namesConversation(ctx)) await (await import('./resolve-agent.ts')).recordBeforeRead(ctx);
  if (operation.needs === 'project') await checkFolder(ctx);
  if (operation.needs !== 'store') await identifyQuietly(ctx);
  if (operation.observeFirst) await (await import('./observe.ts')).observeFirst(ctx, params);
  const outcome =
    operation.needs === 'store'
      ? await (await app.openStore(ctx.isGraded ? 'write' : 'read')).read(async (store) => {
          store.ahead?.(operation.readAhead, params as never, ctx);
          await identify(ctx, store);
          return run({ store });
        })
      : await run({});
  if (outcome.options.appendLine) (await import('./log.ts')).appendLine(ctx, outcome);
  if (outcome.options.failAfterSave) throw outcome.options.failAfterSave;
  if (ctx.isGraded) await (await import('./log.ts')).logQuery(ctx, outcome.options.exit ?? 0);
  return outcome;
}

export type { App, Call };

interface ReadParams {
  params: Record<string, unknown>;
  /** The parameters in their canonical form before parsing, if they had to be corrected. */
  corrected?: Record<string, unknown>;
  warnings?: string[];
}

/** Parses the parameters of a call. `resolveIds` replaces ids of other tools; without a result there are none. Only a call that is not
 *  valid loads the rules of tolerant input and is corrected by them. */
export async function readParams(
  operation: CommandDefinition,
  input: unknown,
  origin: CallOrigin = {},
  resolveIds?: () => Promise<Record<string, unknown> | undefined>,
): Promise<ReadParams> {
  const given = isPlainObject(input) ? applyAliases(input, operation.paramAliases) : undefined;
  const strict = given && safeParse(operation.params, given);
  if (given && strict?.success && findMissing(operation, given).length === 0) return { params: strict.output as Record<string, unknown> };
  const resolved = await resolveIds?.();
  const corrected = (await import('./lenient-params.ts')).correctParams(operation, resolved ?? input);
  const params = await parseParams(operation, corrected ? corrected.params : input, origin);
  return { params, ...(corrected ? { corrected: corrected.params, warnings: corrected.warnings } : {}) };
}

/** Parses the parameters of a call. A wrong shape (exit 2) is reported before a violated rule (exit 6). */
export async function parseParams(operation: CommandDefinition, input: unknown, origin: CallOrigin = {}): Promise<Record<string, unknown>> {
  if (!isPlainObject(input)) throw (await import('./input-error.ts')).createParamsError(operation);
  const given = applyAliases(input, operation.paramAliases);
  const parsed = safeParse(operation.params, given);
  const issues = parsed.success ? findMissing(operation, given) : (parsed.issues as BaseIssue<unknown>[]);
  if (parsed.success && issues.length === 0) return parsed.output as Record<string, unknown>;
  const { createInputError } = await import('./input-error.ts');
  throw createInputError(operation, given, issues, origin);
}

/** A task id is required only without several ids, which a schema of single parameters cannot say. */
export function findMissing({ cli, params }: CommandDefinition, given: Record<string, unknown>): BaseIssue<unknown>[] {
  const [first = ''] = cli.args ?? [];
  if (!cli.several || given[cli.several] !== undefined || given[first] !== undefined) return [];
  const isRequired = describeParams(params).some((shape) => shape.name === first && shape.isRequired);
  return isRequired ? [{ kind: 'schema', received: 'undefined', path: [{ key: first }] } as unknown as BaseIssue<unknown>] : [];
}

/** Checks that the parameters have the right shape; their values may still violate a rule. */
export function isValidShape(operation: CommandDefinition, input: Record<string, unknown>): boolean {
  const given = applyAliases(input, operation.paramAliases);
  const parsed = safeParse(operation.params, given);
  if (!parsed.success && parsed.issues.some((issue) => issue.kind === 'schema')) return false;
  return findMissing(operation, given).length === 0;
}

/** Renames aliases. A parameter that is passed under two names keeps the alias, so that parsing rejects it. */
export function applyAliases(input: object, aliases: Record<string, string> | undefined): Record<string, unknown> {
  if (!aliases) return input as Record<string, unknown>;
  const given: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    const known = Object.hasOwn(aliases, name) ? aliases[name]! : name;
    given[Object.hasOwn(input, known) || known in given ? name : known] = value;
  }
  return given;
}

export interface Meta {
  command: string;
  timestamp: string;
  version: string;
  resultsField?: string;
  sessionId?: string;
  warnings?: string[];
  exitCode?: number;
  truncated?: { shown: number; total: number; atLeast?: true; next?: string };
  replayed?: true;
  nudge?: string;
  /** Set when the exit codes are those of skills. */
  exitNamespace?: 'skill';
}

export type Envelope = { _meta: Meta; success: boolean } & Record<string, unknown>;

/** The outcome of an operation before it becomes an envelope. */
export interface Outcome {
  result: Record<string, unknown>;
  options: AnswerOptions;
  changes?: Changes;
  isDryRun?: boolean;
  /** The stored envelope of an idempotency key that is used again. */
  replay?: Envelope;
}

export function createSuccess(operation: Operation, meta: Meta, outcome: Outcome): Envelope {
  const { exit, warnings, truncated, preview } = outcome.options;
  const written = preview ? { ...outcome, changes: preview, isDryRun: true } : outcome;
  return {
    _meta: defined({
      ...meta,
      resultsField: getResultsField(operation, outcome.result),
      warnings: warnings?.length ? warnings : undefined,
      exitCode: exit,
      truncated,
    }),
    success: true,
    ...outcome.result,
    ...(written.changes ? { data: toReceipt(written) } : {}),
  };
}

/** Returns the first key of the result schema that the result has: it holds the primary data. */
export function getResultsField(operation: Operation, result: Record<string, unknown> = {}): string {
  const keys = listResultKeys(operation);
  return keys.find((key) => key in result) ?? keys[0] ?? '';
}

function toReceipt({ changes, isDryRun }: Outcome): Record<string, unknown> {
  const { created, updated, deleted } = changes ?? { created: [], updated: [], deleted: [] };
  if (isDryRun)
    return {
      dryRun: true,
      count: created.length + updated.length + deleted.length,
      wouldCreate: created.length,
      wouldUpdate: updated.length,
      wouldDelete: deleted.length,
      insertedCount: 0,
    };
  return { ...(created.length ? { created } : {}), ...(updated.length ? { updated } : {}), ...(deleted.length ? { deleted } : {}) };
}

export function createFailure(meta: Meta, error: CleoError): Envelope {
  return {
    _meta: { ...meta, exitCode: error.exitCode },
    success: false,
    error: {
      code: error.code,
      exitCode: error.exitCode,
      message: error.message,
      fix: error.fix,
      ...(error.alternatives.length ? { alternatives: error.alternatives } : {}),
      ...(Object.keys(error.details).length ? { details: error.details } : {}),
    },
  };
}
