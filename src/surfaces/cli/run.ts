import type { Shortcut } from '#core/cli-definition.ts';
import type { Globals } from '#core/command-line.ts';
import type { RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type App, createFailure, dispatch, type Reply } from '#dispatch/dispatch.ts';
import { listAllCommands, type ProcessCommandEntry } from './all-commands.ts';
import { findCommand, getFirstWord, type ParsedArguments, parseArguments } from './arguments.ts';
import type { FailedCallOrigin } from './error-calls.ts';
import type { PreparedCall } from './prepare-call.ts';

export interface Terminal {
  isTerminal: boolean;
  columns: number;
  /** The height of the screen, if standard output is a terminal. */
  rows?: number;
  hasColour: boolean;
  /** Errors are printed in colour: standard error is a terminal too, or colours are forced. */
  hasErrorColour?: boolean;
  /** Standard error is a terminal too, so progress can be shown. */
  isWatched?: boolean;
  isDebugging: boolean;
  format: string | undefined;
  /** With `isStreaming` it throws EPIPE when the reader is gone. */
  write(text: string | Uint8Array, isStreaming?: boolean): void;
  writeError(text: string): void;
  /** Creates the app of a project in another folder, without the settings of this user. */
  appAt(folder: string): App;
  /** Runs a command that is a process until it ends, and returns its exit code. */
  start(command: string, params: Record<string, unknown>, globals: Globals, terminal: Terminal): Promise<number>;
}

/** Runs one command line: words → operation and parameters → dispatch → text and exit code. */
export async function runCli(app: App, argv: string[], terminal: Terminal): Promise<number> {
  const named = findCommand(app.registry.findByFirstWord(getFirstWord(argv)), argv);
  // `list --watch` is a process that shares its command with an operation.
  const found =
    'unknown' in named || includesFlag(argv, ['--watch'])
      ? findCommand(await listAllCommands(app), argv, (await import('./misspelling.ts')).findMisspelling)
      : named;
  if ('entry' in found) return runEntry(app, found.entry, found.rest, terminal, { argv });
  return (await import('./unusual-command.ts')).runUnusual(app, argv, found, terminal);
}

/** Runs a command with the words that follow it. */
export async function runEntry(
  app: App,
  entry: RegistryEntry | ProcessCommandEntry,
  rest: string[],
  terminal: Terminal,
  { argv, shortcut }: { argv?: string[]; shortcut?: Shortcut },
): Promise<number> {
  // `cleo add help` asks for help; `cleo find help` searches.
  const isHelp =
    includesFlag(rest, ['--help', '-h']) || (rest.length === 1 && rest[0] === 'help' && 'kind' in entry && entry.kind !== 'query');
  if (isHelp) return runCli(app, ['help', entry.name, ...pickFormatFlags(rest)], terminal);
  if ('process' in entry) return (await import('./unusual-command.ts')).startProcess(app, entry.process, rest, terminal);
  let globals: Globals = {};
  let reply: Reply;
  let origin: FailedCallOrigin = {};
  let isPiped = false;
  let onError: (() => void) | undefined;
  try {
    const operation = await entry.load();
    let parsed = parseArguments(operation, rest);
    if (parsed.error || parsed.isUnsure || shortcut || operation.cli.texts?.some((name) => parsed.params[name] === '-')) {
      const { findSubcommand, parseLeniently } = await import('./lenient-arguments.ts');
      const meant = argv && (await findSubcommand(app.registry, operation, argv));
      if (meant) return runEntry(app, app.registry.find(meant.operation)!, meant.rest, terminal, meant);
      parsed = parseLeniently(operation, rest, shortcut);
    }
    globals = parsed.globals;
    // The output of agents is no terminal, so their calls never load this.
    const isPrepared = terminal.isTerminal || parsed.isEdited || globals.color !== undefined || operation.cli.streamEvent !== undefined;
    const prepared: PreparedCall = isPrepared
      ? await (await import('./prepare-call.ts')).prepareCall({ app, operation, parsed, words: rest, terminal })
      : {};
    if (prepared.exitCode !== undefined) return prepared.exitCode;
    onError = prepared.onError;
    origin = { ...globals, params: parsed.params };
    isPiped = parsed.params.raw === true && !globals.json;
    if (!prepared.isRead) await readSources(app.platform.folder, parsed, operation);
    const done = prepared.done;
    reply = await dispatch(app, {
      operation: entry.name,
      gateway: 'cli',
      params: parsed.params,
      ...prepared.call,
      ...(globals.session ? { session: globals.session } : {}),
      ...(globals.agent ? { agent: globals.agent } : {}),
      ...(globals.idempotencyKey ? { idempotencyKey: globals.idempotencyKey } : {}),
      ...(parsed.error ? { inputError: parsed.error } : {}),
      ...(parsed.sources.length > 0 ? { paths: Object.fromEntries(parsed.sources.map(({ name, path }) => [name, path])) } : {}),
    }).finally(done);
    if (operation.cli.demo && reply.envelope.success && !globals.json) {
      const { runDemo } = await import('./run-demo.ts');
      return await runDemo(reply.envelope, operation.cli.demo, terminal, app.platform);
    }
  } catch (error) {
    reply = createCaughtReply(app, entry.name, error);
  }
  if (!reply.envelope.success) onError?.();
  // An error must not reach the next command of the pipe.
  if (!reply.envelope.success && (origin.params as { hook?: unknown } | undefined)?.hook)
    return (await import('./input.ts')).reportHookError(reply, terminal, origin.params);
  const isRedirected = isPiped && !reply.envelope.success;
  return print(app, reply, globals, isRedirected ? { ...terminal, write: (text) => terminal.writeError(String(text)) } : terminal, origin);
}

/** Checks whether one of `flags` is given before `--`. */
export function includesFlag(argv: string[], flags: string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => flags.includes(word));
}

export const pickFormatFlags = (argv: string[]): string[] => ['--json', '--human'].filter((flag) => includesFlag(argv, [flag]));

export async function readSources(folder: string, parsed: ParsedArguments, operation: NonNullable<Reply['operation']>): Promise<void> {
  if (parsed.error || parsed.sources.length === 0) return;
  const { readSource } = await import('./input.ts');
  try {
    for (const source of parsed.sources)
      if (source.files) {
        const selection = await source.files(parsed.params);
        parsed.params[source.name] = (await import('./files.ts')).readFiles(source.path, selection, operation, folder);
      } else Object.assign(parsed.params, await readSource(source, operation, folder));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    parsed.error = error;
  }
}

/** A function of its own, so that a successful call does not compile it. */
function createCaughtReply(app: App, command: string, error: unknown): Reply {
  const isKnown = error instanceof CleoError;
  const cleoError = isKnown ? error : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) });
  return { ...createErrorReply(app, command, cleoError), ...(isKnown ? {} : { unexpected: error }) };
}

export const createErrorReply = (app: App, command: string, error: CleoError): Reply => ({
  envelope: createFailure({ command: command.slice(0, 100), timestamp: app.platform.now(), version: app.platform.version }, error),
  exitCode: error.exitCode,
});

export async function print(
  app: Pick<App, 'registry' | 'platform'>,
  reply: Reply,
  globals: Globals,
  terminal: Terminal,
  origin: FailedCallOrigin = {},
): Promise<number> {
  if (reply.unexpected && terminal.isDebugging) terminal.writeError(`${(reply.unexpected as Error).stack ?? reply.unexpected}\n`);
  const { operation, exitCode } = reply;
  const envelope = globals.calls ? await (await import('./error-calls.ts')).addCalls(app, reply, origin) : reply.envelope;
  const rawKey = operation?.cli.raw;
  const raw = rawKey && envelope.success && !globals.json && envelope[rawKey] !== undefined ? rawKey : undefined;
  const isJson = globals.json || (!raw && !globals.human && !globals.quiet && (terminal.format === 'json' || !terminal.isTerminal));
  if (raw && typeof envelope[raw] === 'string')
    terminal.write((await import('./raw-text.ts')).formatRaw(envelope[raw], envelope.encoding, operation, terminal));
  else if (isJson && !globals.fields) terminal.write(await formatJson(envelope));
  else await (await import('./print-text.ts')).printText(app, { ...reply, envelope }, globals, terminal, isJson);
  return exitCode;
}

/** Formats JSON with visible escapes for invisible characters. ASCII has none of them. */
export async function formatJson(value: object): Promise<string> {
  const json = JSON.stringify(value);
  return `${/[^ -~]/.test(json) ? (await import('#lib/invisible.ts')).escapeInvisibleInJson(json) : json}\n`;
}
