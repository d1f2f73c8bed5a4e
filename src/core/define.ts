import type { InferOutput, ObjectEntries, StrictObjectSchema } from 'valibot';
import { boolean, description, optional, pipe, strictObject } from 'valibot';
import type { Platform, Project } from '#platform/port.ts';
import type { ReadStore, Store, StoreAdmin, WriteStore } from '#store/port.ts';
import type { Code } from './errors/catalog.ts';
import type { CleoError } from './errors/error.ts';
import type { Caller, Changes, Gateway } from './model/audit.ts';
import type { Config } from './model/config.ts';
import type { ProgressLine, ProgressReporter } from './model/progress.ts';
import type { SessionHandle } from './model/session-handle.ts';
import type { TokenScope } from './model/token.ts';

export type Kind = 'query' | 'mutation' | 'job';
export type Tier = 0 | 1 | 2;

/** What has to be there before an operation runs. */
export type Needs = 'store' | 'project' | 'nothing';

type Params = StrictObjectSchema<ObjectEntries, undefined>;

/** How the command line reaches an operation. Flags and help follow from `params`. */
export interface Cli {
  /** The words that call it; further spellings after the first. */
  command: string | string[];
  /** Parameters given by position. */
  args?: string[];
  /** Further words belong to the last argument, with spaces between. */
  variadic?: true;
  short?: Record<string, string>;
  /** Several operations share the words; this flag selects this one. */
  select?: string;
  /** So do these, which are parameters of its own. */
  selectedBy?: string[];
  /** So do the words alone, where the plainest of the operations needs more than them. */
  isDefault?: true;
  /** A parameter that the command line fills from a file or, with `-`, from standard input; `isPiped`: from there unless it says otherwise. */
  read?: Record<string, { flag?: string; as: 'json' | 'text'; isPiped?: true; files?: FilesOf }>;
  /** Where the first of these parameters is `-`, standard input fills the second, to the byte; `encoding` is then `base64` if it is no text. */
  stdinParam?: { dash: string; fills: string };
  /** Printed whatever stdout is, unless JSON is asked for: the result key that holds a text, or something to be read by people. */
  raw?: string;
  /** That text is printed to the byte, decoded where the result says `encoding: base64`. */
  isExact?: true;
  /** Its text is for prompts as well: without colour where it does not go to a terminal. */
  isPrompt?: true;
  /** The result key that holds command lines: the command line plays them in a project of their own and shows what they answer. */
  demo?: string;
}

/** A path is handed over as files with their names; of a folder, those that are wanted of the first of these folders inside it,
 *  or of itself. */
export type FilesOf = (params: Record<string, unknown>) => Promise<{ folders: string[]; wants(name: string): boolean }>;

export interface Example {
  /** Tasks that exist before, e.g. `T001 epic`, `T002 in T001`, `T003 depends T002`, `T004 done`. */
  world?: string[];
  call: Record<string, unknown>;
  /** Exit code, where it is not 0. */
  exit?: number;
}

interface Definition<P extends Params, R extends Params> {
  name: `${string}.${string}`;
  aliases?: string[];
  summary: string;
  params: P;
  /** Further names under which callers know a parameter: `{ epicId: 'epic' }`. */
  paramAliases?: Record<string, string>;
  result: R;
  errors: Code[];
  tier: Tier;
  cli: Cli;
  example: Example;
  needs?: Needs;
  /** Kept for tokens of this scope, where a call comes with a token. */
  scope?: 'admin';
  /** It begins a session, and so asks for none where the project does. */
  beginsSession?: true;
  /** The result key that is shown once and kept nowhere, not even with an idempotency key. */
  secretResult?: string;
  /** Parameters of which the log keeps no more than how long they are. */
  redactedParams?: string[];
  /** Its exit codes are those of skills, where other operations have those of cleo. */
  exits?: 'skill';
  /** How whoever looks on is told what happens while it runs. */
  progress?: () => Promise<ProgressReporter>;
}

/** What the catalogue of operations offers to help, completion and docs. */
export interface Registry {
  readonly entries: RegistryEntry[];
  /** By its name or one of its aliases. */
  find(name: string): RegistryEntry | undefined;
  /** At least those that have a command which begins with this word. */
  findByFirstWord(word: string): RegistryEntry[];
  load(name: string): Promise<Operation>;
}

export interface RegistryEntry {
  name: string;
  aliases: string[];
  kind: Kind;
  tier: Tier;
  commands: string[];
  select?: string;
  selectedBy?: string[];
  isDefault?: true;
  load(): Promise<Operation>;
}

export interface BaseContext {
  /** The moment of the call; one for the whole call. */
  now: string;
  caller: Caller;
  /** The door the call came through. */
  gateway: Gateway;
  /** The session the call belongs to; one that is over only for operations on sessions. */
  session?: SessionHandle;
  /** The call or its surroundings named it; it was not only the one that is active. */
  isNamed?: true;
  /** The active sessions, where nothing tells which of them is meant. */
  activeSessions?: string[];
  token?: { name: string; scope: TokenScope };
  config: Config;
  platform: Platform;
  project: Project;
  registry: Registry;
  /** For what runs without a store, or with a broken one: opened when first used, and only to read. */
  read<T>(work: (store: ReadStore) => Promise<T>): Promise<T>;
  /** Another project's store, opened only to read, where that project's own configuration says. Whoever opens it closes it. */
  openProjectStore(project: Project): Promise<Pick<Store, 'read' | 'close'>>;
  sqliteVersion(): Promise<string | undefined>;
  /** The answer as it will be printed, to be measured. */
  toOutput(result: Record<string, unknown>, more?: AnswerOptions): string;
  /** This call as a command line with other parameters, for `error.fix`. */
  commandWith(params: Record<string, unknown>): string;
  /** Another command line of the same caller. */
  commandAs(words: string[]): string;
  /** Aborted when the caller no longer waits. */
  signal?: AbortSignal;
  /** Tells whoever looks on what happens. */
  observe?: Observe;
}

export type { ProgressLine, ProgressReporter };
export type Observe = (event: string, data: Record<string, unknown>, about: Record<string, unknown>) => void;

export interface QueryContext extends BaseContext {
  store: ReadStore;
}
export interface MutationContext extends BaseContext {
  store: WriteStore;
  /** Everything is rolled back at the end: files, which nothing rolls back, are left alone. */
  isDryRun: boolean;
}
export interface JobContext extends Omit<BaseContext, 'config'> {
  /** Opened when first used; a job opens its own short transactions. */
  write<T>(work: (store: WriteStore) => Promise<T>): Promise<T>;
  openStore(mode: 'read' | 'write'): Promise<Store>;
  closeStores(): Promise<void>;
  /** The receipt: what it did to records that are kept in files is added here. */
  changes: Changes;
  /** A project's store as a whole, at this address or where its configuration says. */
  storeAdmin(project: Project, url?: string): Promise<StoreAdmin>;
  /** Throws (8) where the configuration is broken. */
  config(): Config;
}

/** What an answer says beside its keys. */
export interface AnswerOptions {
  /** 100-102, and the states of the context window: none of them is an error. */
  exit?: 100 | 101 | 102 | 50 | 51 | 52 | 53 | 54;
  warnings?: string[];
  truncated?: { shown: number; total: number; atLeast?: true; next?: string } | undefined;
  /** What a list may cost as a whole, and the page it is; what does not fit is cut from its end. */
  budget?: { tokens: number; offset: number; limit: number };
  /** The session that the caller is in from now on. */
  enterSession?: SessionHandle;
  /** A line for a file below `.cleo`. */
  appendLine?: { file: string; line: string };
  /** Nothing was done: the receipt says what a job would have. */
  dryRun?: true;
  /** The answer is this refusal, once what it keeps is kept. */
  failAfterSave?: CleoError;
}

/** A result with more to say than its keys. */
export class Answer<R> {
  readonly result: R;
  readonly options: AnswerOptions;
  constructor(result: R, more: AnswerOptions) {
    this.result = result;
    this.options = more;
  }
}

export const answer = <R>(result: R, more: AnswerOptions): Answer<R> => new Answer(result, more);
/** Nothing matched. */
export const noData = <R>(result: R): Answer<R> => new Answer(result, { exit: 100 });
/** It is there already. */
export const alreadyThere = <R>(result: R): Answer<R> => new Answer(result, { exit: 101 });
/** The write would change nothing. */
export const noChange = <R>(result: R): Answer<R> => new Answer(result, { exit: 102 });

type Run<C, P extends Params, R extends Params> = (context: C, params: InferOutput<P>) => Promise<InferOutput<R> | Answer<InferOutput<R>>>;

export interface Operation extends Omit<Definition<Params, Params>, 'needs'> {
  kind: Kind;
  needs: Needs;
  canDryRun: boolean;
  run: Run<never, Params, Params>;
}

/** What help, completion and parsing have to know of a command. */
export type CommandDefinition = Pick<Operation, 'summary' | 'params' | 'cli' | 'paramAliases'> & { name: string };

/** Reads. Its context has no writing methods. */
export function query<P extends Params, R extends Params>(definition: Definition<P, R> & { run: Run<QueryContext, P, R> }): Operation {
  return { ...definition, kind: 'query', needs: definition.needs ?? 'store', canDryRun: false } as unknown as Operation;
}

/** One transaction together with its audit row: a recorded success is a committed success. */
export function mutation<P extends Params, R extends Params>(
  definition: Definition<P, R> & { run: Run<MutationContext, P, R>; dryRun?: true },
): Operation {
  const params = definition.dryRun
    ? strictObject({ ...definition.params.entries, dryRun: optional(pipe(boolean(), description('Only say what would be written'))) })
    : definition.params;
  return { ...definition, params, kind: 'mutation', needs: 'store', canDryRun: definition.dryRun ?? false } as unknown as Operation;
}

/** Long work, or work on files: it opens its own short writes and never holds the write lock while it waits. */
export function job<P extends Params, R extends Params>(definition: Definition<P, R> & { run: Run<JobContext, P, R> }): Operation {
  return { ...definition, kind: 'job', needs: definition.needs ?? 'store', canDryRun: false } as unknown as Operation;
}
