import {
  boolean,
  description,
  type GenericSchema,
  type InferOutput,
  metadata,
  type ObjectEntries,
  optional,
  pipe,
  type StrictObjectSchema,
  strictObject,
} from 'valibot';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store, StoreAdmin, WriteStore } from '#store/port/store.ts';
import type { CliDefinition, Shortcut } from './cli-definition.ts';
import type { ErrorCode } from './errors/catalog.ts';
import type { CleoError } from './errors/error.ts';
import type { CallIdentity, CallReply } from './job-call.ts';
import type { Caller, Changes, Gateway, Principal } from './model/audit.ts';
import type { Config } from './model/config.ts';
import type { ProgressReporter } from './model/progress.ts';
import type { SessionHandle } from './model/session-handle.ts';
import type { FileRecordKind } from './model/shared-records.ts';
import type { CallToken, PersonScope } from './model/token.ts';
import type { ApplyContext, FactRequest, Observation } from './observation.ts';

export type OperationKind = 'query' | 'mutation' | 'job';
type OperationTier = 0 | 1 | 2;

/** Everything an operation can require before it runs. */
export type Requirement = 'store' | 'project' | 'nothing';

export type Params = StrictObjectSchema<ObjectEntries, undefined>;

/** A scope that depends on the parameters or on the state. The operation itself requires it with `requireScope`. */
export interface ConditionalScope {
  scope: PersonScope;
  /** Completes the sentence "Needs scope admin …" in the reference. */
  when: string;
  /** Decides by the parameters alone, so that an error does not offer a command that its caller may not run. */
  isNeeded?(params: Record<string, unknown>): boolean;
}

/** The reason why a call needs a scope. */
export interface ScopeRequest {
  /** The id that a person types again to confirm the call. */
  subject: string;
  /** Names the action in the error: `Accepting D-001`. By default the command. */
  action?: string;
  /** The content that is decided about. A signature covers its digest. */
  content?: unknown;
  /** Lines that a person reads on the terminal before the confirmation. */
  preview?: string[];
  /** The command that a person runs instead; by default this call. */
  command?: string;
  /** About all projects of the user, such as the user's own settings. A token in the environment is that of one project, which any program
   *  of the user can create. */
  isOfUser?: boolean | undefined;
  /** Creates the error of a caller without the scope; by default E_FORBIDDEN. `problem` says why the caller does not have it. */
  createError?(problem: string, hint?: string): CleoError;
}

interface OperationExample {
  /** Tasks that exist before the call, e.g. `T001 epic`, `T002 in T001`, `T003 depends T002`, `T004 done`. */
  world?: string[];
  call: Record<string, unknown>;
  /** The exit code, unless it is 0. */
  exit?: number;
}

interface Definition<P extends Params, R extends Params> {
  name: `${string}.${string}`;
  aliases?: string[];
  summary: string;
  params: P;
  /** Alternative names of parameters: `{ epicId: 'epic' }`. */
  paramAliases?: Record<string, string>;
  /** Other words for the operation. Each replaces the last word of its name and of its first command. A word that is a command or a
   *  domain keeps its own meaning. They are looked up only if a name is not found. */
  synonyms?: string[];
  /** Other words for the operation with some of its parameters. */
  shortcuts?: Record<string, Shortcut>;
  result: R;
  errors: ErrorCode[];
  tier: OperationTier;
  cli: CliDefinition;
  example: OperationExample;
  needs?: Requirement;
  /** Works on a project that is not trusted, because it shows or changes that. */
  acceptsUntrusted?: true;
  /** The scope that dispatch requires before the operation runs: without one, `query` for a query and `mutate` for other kinds. */
  scope?: PersonScope | ConditionalScope;
  /** The parameter that a person types again to confirm a call that needs `decide` or `admin`; by default the first argument. */
  subject?: string;
  /** Runs on a store whose schema is older, because the operation upgrades it: a token is looked up there. */
  acceptsEarlierStore?: true;
  /** Uses files or programs of the host: closed to tokens below `admin` and to HTTP without a token, open to the local shell and to MCP
   *  over stdio. */
  usesHost?: true;
  /** Where the operation runs if the store is behind a server: on the `server`, wholly on the `client`, or on `both`: it uses the store
   *  and the checkout of the caller at once, so that it is rejected. By default on the server if it needs the store, else on the client. */
  runsOn?: 'server' | 'client' | 'both';
  /** Decides by the parameters whether a call that otherwise runs on the client is sent to the server, because it is about the store. */
  isAboutStore?(params: Record<string, unknown>): boolean;
  /** Facts about the checkout or the machine of the caller that `run` may ask for with `getFacts`. */
  observes?: readonly Observation[];
  /** Requests that follow from the parameters alone. They are observed before `run`, so that it need not run again for them. */
  observeFirst?(params: InferOutput<P>): FactRequest[];
  /** The reads and writes of the store that the operation makes with `runStep`. If the store is behind a server, an operation with steps
   *  runs on the client and sends each of them. It uses the store in no other way. */
  steps?: readonly StoreStep[];
  /** Writes files of the caller once the transaction is committed, with what `run` returned as `apply`: on the client, if the store is
   *  behind a server. It may run again if an answer was lost. A failure is the answer of the call and is logged; the store keeps what
   *  `run` recorded. Never called in a dry run, unless `appliesInDryRun`. */
  apply?(ctx: ApplyContext, params: InferOutput<P>, data: Record<string, unknown>): Promise<void>;
  /** `apply` writes a report, which a dry run writes too. */
  appliesInDryRun?: true;
  /** The longest body of a request, for an operation that carries contents. By default 1 MiB. */
  maxBodyBytes?: number;
  /** Records that the operation reads or writes in files. On a shared store they are in the store, and dispatch makes the files of the
   *  checkout equal to it before and after the operation. */
  shares?: readonly FileRecordKind[];
  /** Reads that the operation is going to need, besides those of dispatch. Where the store is on a server they are sent together with the
   *  first statement, so that the operation does not wait for each. It must not depend on them: they are only faster. */
  readAhead?(store: ReadStore, params: InferOutput<P>, ctx: { caller: Caller; now: string }): Promise<unknown>[];
  /** The operation that publishes the result if `sync.mode` is auto. It is called after a success. */
  publishesBy?: string;
  /** Runs without a session even if the project has `session.required`, because the operation starts one. */
  startsSession?: true;
  /** A read whose answer depends on the session: an agent with several sessions has to name one. */
  dependsOnSession?: true;
  /** The parameter that receives the input of a hook or a status line, whose `session_id` names the conversation. */
  hookInput?: string;
  /** The result key that holds a secret, or an object with one. It is printed once and never stored, not even with the idempotency key. */
  secretResult?: string;
  /** Parameters that the audit log records by length only. */
  redactedParams?: string[];
  /** Set when the exit codes are those of skills instead of those of cleo. */
  exitNamespace?: 'skill';
  /** Loads the reporter that turns the events of a running job into progress lines. */
  progress?: () => Promise<ProgressReporter>;
}

/** All operations, as help, completion, docs and dispatch look them up. */
export interface Registry {
  readonly entries: RegistryEntry[];
  /** Finds an operation by its name or an alias. */
  find(name: string): RegistryEntry | undefined;
  /** Returns every operation with a command that begins with `word`; the result may contain others. */
  findByFirstWord(word: string): RegistryEntry[];
  load(name: string): Promise<Operation>;
}

export interface RegistryEntry {
  name: string;
  aliases: string[];
  kind: OperationKind;
  tier: OperationTier;
  commands: string[];
  select?: string;
  selectedBy?: string[];
  isDefault?: true;
  load(): Promise<Operation>;
}

export interface BaseContext {
  /** The time of the call. It does not change while the call runs. */
  now: string;
  /** The date of the call in the time zone of this machine, such as 2026-01-31. */
  today: string;
  caller: Caller;
  /** The surface that received the call. */
  gateway: Gateway;
  /** The session of the call. Only operations on sessions receive one that is not active. */
  session?: SessionHandle;
  /** The call or its environment named the session; otherwise it is the session of the agent. */
  isNamed?: true;
  /** The active sessions, if the call belongs to none of them. */
  activeSessions?: string[];
  /** All of `activeSessions` are the agent's own, and the call does not say which one it means. */
  isAmbiguous?: true;
  token?: CallToken;
  /** The conversation of the client, if the request names it. */
  conversation?: { client: string; id: string };
  config: Config;
  platform: Platform;
  project: Project;
  registry: Registry;
  /** Opens the store read-only at the first use, for operations that also run without a store or with a damaged one. */
  read<T>(work: (store: ReadStore) => Promise<T>): Promise<T>;
  /** Opens another project's store read-only, at the address in that project's configuration. The caller closes it. */
  openProjectStore(project: Project): Promise<Pick<Store, 'read' | 'close'>>;
  sqliteVersion(): Promise<string | undefined>;
  /** The operation runs on a client of a server, which makes its steps. */
  isClient?: true;
  /** True if the store is one that several machines share: settings of the project are in the store then. */
  hasSharedStore(): boolean;
  /** Renders an answer exactly as it will be printed, so that its tokens can be counted. */
  toOutput(result: Record<string, unknown>, options?: AnswerOptions): string;
  /** Formats this call as a command line with some parameters replaced, for `error.fix`. */
  commandWith(params: Record<string, unknown>): string;
  /** Formats a command line with the caller's `--session` and `--agent` flags. */
  commandAs(words: string[]): string;
  /** Returns facts about the checkout or the machine of the caller. If they are not observed yet, dispatch rolls the transaction back,
   *  observes them and runs the operation again, so do not catch what it throws. A job gets them at once. */
  getFacts<Q, F>(observation: Observation<Q, F>, request: Q): Promise<F>;
  /** Makes one read or write of the store that the operation declares in `steps`. */
  runStep<P, R>(step: StoreStep<P, R>, params: P): Promise<R>;
  /** What was observed for earlier runs of this call, to detect a change in between. */
  observed?: ReadonlyMap<string, { name: string; request?: unknown; facts?: unknown }>;
  /** Throws unless the caller has the scope. Call it before any side effect and do not catch what it throws: dispatch rolls the
   *  transaction back, asks the person for a proof and runs the operation again, so that no lock is held while a person types. */
  requireScope(scope: PersonScope, request: ScopeRequest): void;
  /** The proof of the person who makes the call, or the token that stands for one. */
  proof?: Pick<Principal, 'via' | 'token' | 'evidence'>;
  /** Describes the caller as the log does: person or agent, and how it was authenticated. */
  describePrincipal(): Promise<Principal>;
  /** Checks whether the caller could get the scope, without asking for a proof; for choosing what an answer offers. */
  mayHaveScope(scope: PersonScope): Promise<boolean>;
  /** Aborted when the caller stops waiting for the answer. */
  signal?: AbortSignal;
  /** Receives the events of a job while it runs. */
  observe?: EventObserver;
}

export type EventObserver = (event: string, data: Record<string, unknown>, about: Record<string, unknown>) => void;

export interface QueryContext extends BaseContext {
  store: ReadStore;
}
export interface MutationContext extends BaseContext {
  store: WriteStore;
  /** The hint of `peek`, if it was called. */
  hint?: unknown;
  /** The transaction will be rolled back. Operations must not write files, because files are not rolled back. */
  isDryRun: boolean;
}
export interface JobContext extends Omit<BaseContext, 'config'> {
  /** Runs `work` in one short write transaction. The store is opened at the first use. */
  write<T>(work: (store: WriteStore) => Promise<T>): Promise<T>;
  /** Runs `work` in the last write of a job that does not need the store, together with the audit row of the call. */
  writeAndLog<T>(work: (store: WriteStore) => Promise<T>): Promise<T>;
  /** Makes all shared records of a store and the files of the checkout equal. */
  syncRecords(store: Store): Promise<void>;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  closeStores(): Promise<void>;
  /** The receipt. Jobs add the records that they changed in files. */
  changes: Changes;
  /** Administers a project's store as a whole, at `url` or at the configured address. */
  storeAdmin(project: Project, url?: string): Promise<StoreAdmin>;
  /** Throws E_CONFIG_ERROR if the configuration is invalid. */
  config(): Config;
  /** Makes another call in this process, with its own transaction and its own entry in the log. */
  call(operation: string, params: Record<string, unknown>, as?: CallIdentity): Promise<CallReply>;
}

/** Everything an operation can return in addition to its result. */
export interface AnswerOptions {
  /** Exit codes of a success: no data, already exists, no change, and the states of the context window. */
  exit?: 100 | 101 | 102 | 50 | 51 | 52 | 53 | 54;
  warnings?: string[];
  truncated?: { shown: number; total: number; atLeast?: true; next?: string } | undefined;
  /** The token budget of a list and the requested page. Dispatch cuts the list at its end until the answer fits. */
  budget?: { tokens: number; offset: number; limit: number };
  /** The session that the caller is in from this call on. */
  enterSession?: SessionHandle;
  /** The caller is in no session from this call on. */
  leaveSession?: true;
  /** A line to append to a file below `.cleo`. */
  appendLine?: { file: string; line: string };
  /** What `apply` of the operation needs, as JSON. It is not in the answer. */
  apply?: Record<string, unknown>;
  /** The call changed nothing in the store and can run again, so that its long answer is not stored with its idempotency key. */
  isRepeatable?: true;
  /** Facts that the log stores with the parameters. Their names begin with @. */
  logParams?: Record<string, unknown>;
  /** Marks the receipt as a preview: the job wrote nothing. */
  dryRun?: true;
  /** The call found nothing to do; it is not logged. Only for jobs that do not need the store, and for mutations that have `peek`. */
  isUnlogged?: true;
  /** The caller waits for work: dispatch repeats the call when some may be available, and sends the answer only when the time is over.
   *  Only for mutations that have `findWork`. */
  wait?: WaitRequest;
  /** The receipt of a query that previews a write. */
  preview?: Changes;
  /** Fails the call with this error, but only after the transaction is committed and `appendLine` is written. For queries and mutations. */
  failAfterSave?: CleoError;
}

export interface WaitRequest {
  /** Without one the call waits until there is work. */
  timeoutMs?: number | undefined;
}

/** The work that can be handed out, for all callers together: which of them may have it is decided when they claim it. */
export interface AvailableWork {
  ids: string[];
  /** The time until more becomes available without an entry in the log. */
  recheckAfterMs?: number | undefined;
}

/** A result together with its `AnswerOptions`. */
export class Answer<R> {
  readonly result: R;
  readonly options: AnswerOptions;
  constructor(result: R, options: AnswerOptions) {
    this.result = result;
    this.options = options;
  }
}

export const answer = <R>(result: R, options: AnswerOptions): Answer<R> => new Answer(result, options);
/** Returns a success with exit code 100: nothing matched. */
export const noData = <R>(result: R): Answer<R> => new Answer(result, { exit: 100 });
/** Returns a success with exit code 101: the record exists already. */
export const alreadyExists = <R>(result: R): Answer<R> => new Answer(result, { exit: 101 });
/** Returns a success with exit code 102: the write would change nothing. */
export const noChange = <R>(result: R): Answer<R> => new Answer(result, { exit: 102 });

type Run<C, P extends Params, R extends Params> = (context: C, params: InferOutput<P>) => Promise<InferOutput<R> | Answer<InferOutput<R>>>;

export interface Operation extends Omit<Definition<Params, Params>, 'needs' | 'result'> {
  result?: Params;
  /** Used instead of `result` if the build has moved the schema to a part of its own, because it takes time to create. */
  lazyResult?: { keys: string[]; load(): Promise<Params> };
  kind: OperationKind;
  needs: Requirement;
  canDryRun: boolean;
  run: Run<never, Params, Params>;
  peek?(context: QueryContext, params: never): Promise<{ answer: unknown } | { hint: unknown }>;
  findWork?(context: QueryContext): Promise<AvailableWork>;
}

export const listResultKeys = ({ result, lazyResult }: Operation): string[] => lazyResult?.keys ?? Object.keys(result?.entries ?? {});

/** The part of an operation that help, completion and parsing need. */
export type CommandDefinition = Pick<Operation, 'summary' | 'params' | 'cli' | 'paramAliases'> & { name: string };

/** Defines an operation that reads. Its context has no writing methods. */
export function query<P extends Params, R extends Params>(definition: Definition<P, R> & { run: Run<QueryContext, P, R> }): Operation {
  return { ...definition, kind: 'query', needs: definition.needs ?? 'store', canDryRun: false } as unknown as Operation;
}

/** Answers a mutation that has nothing to write, in a read: the call takes no write lock and adds no entry to the log. Otherwise it may
 *  return a hint for `run`, which must check that it still holds. It is not called for a graded call or one with an idempotency key. */
type Peek<P extends Params, R extends Params> = (
  context: QueryContext,
  params: InferOutput<P>,
) => Promise<{ answer: InferOutput<R> | Answer<InferOutput<R>> } | { hint: unknown }>;

/** Defines an operation that writes in one transaction together with its audit row, so that a recorded success is a committed one. */
export function mutation<P extends Params, R extends Params>(
  definition: Definition<P, R> & { run: Run<MutationContext, P, R>; peek?: Peek<P, R>; findWork?: Operation['findWork']; dryRun?: true },
): Operation {
  const params = definition.dryRun
    ? strictObject({
        ...definition.params.entries,
        dryRun: optional(pipe(boolean(), description('Only report what would be written'), metadata({ isRare: true }))),
      })
    : definition.params;
  return { ...definition, params, kind: 'mutation', needs: 'store', canDryRun: definition.dryRun ?? false } as unknown as Operation;
}

/** Defines an operation that takes long or works on files. It opens its own short write transactions, so that it never holds the
 *  write lock while it waits. */
export function job<P extends Params, R extends Params>(definition: Definition<P, R> & { run: Run<JobContext, P, R> }): Operation {
  return { ...definition, kind: 'job', needs: definition.needs ?? 'store', canDryRun: false } as unknown as Operation;
}

/** One read or write of the store by an operation that works with the checkout or the programs of its caller. In the process that has the
 *  store it is a transaction of its own. If the store is behind a server, the operation runs on the client, and each step is a request, so
 *  parameters and result are JSON, and `run` must not use the checkout. */
export interface StoreStep<P = never, R = unknown> {
  /** Unique among the steps of an operation. */
  name: string;
  kind: 'read' | 'write';
  params: GenericSchema;
  /** A write that may run twice, so that its answer is not stored in case the client sends it again. */
  isRepeatable?: true;
  /** A write that only renews claims. It may run twice, and needs no job that is running. */
  isLease?: true;
  run(ctx: never, params: P): Promise<R>;
}

type StepDefinition<C, P extends GenericSchema, R> = Pick<StoreStep, 'name' | 'isRepeatable' | 'isLease'> & {
  params: P;
  run(ctx: C, params: InferOutput<P>): Promise<R>;
};

/** Defines a read of an operation; see `StoreStep`. */
export const readStep = <P extends GenericSchema, R>(
  definition: StepDefinition<QueryContext, P, R>,
): StoreStep<InferOutput<P>, R> & { kind: 'read' } => ({ ...definition, kind: 'read' });

/** Defines a write of a job; see `StoreStep`. */
export const writeStep = <P extends GenericSchema, R>(definition: StepDefinition<MutationContext, P, R>): StoreStep<InferOutput<P>, R> => ({
  ...definition,
  kind: 'write',
});
