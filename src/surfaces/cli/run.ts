import type { CommandDefinition, RegistryEntry, Shortcut } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Globals } from '#core/global-flags.ts';
import { type App, dispatch, type Reply } from '#dispatch/dispatch.ts';
import { createFailure } from '#dispatch/envelope.ts';
import { readParams } from '#dispatch/read-params.ts';
import { defined } from '#lib/defined.ts';
import { listAllCommands, type ProcessEntry } from './all-commands.ts';
import { type ParsedArguments, parseArguments } from './arguments.ts';
import { findCommand, getFirstWord } from './commands.ts';
import type { CallOrigin } from './error-calls.ts';

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
  write(text: string | Uint8Array): void;
  writeError(text: string): void;
  /** Creates the app of a project in another folder, without the settings of this user. */
  appAt(folder: string): App;
  /** Runs a command that is a process until it ends, and returns its exit code. */
  start(command: string, params: Record<string, unknown>, globals: Globals, terminal: Terminal): Promise<number>;
}

/** Runs one command line: words → operation and parameters → dispatch → text and exit code. */
export async function runCli(app: App, argv: string[], terminal: Terminal): Promise<number> {
  // The scripts of `cleo completion` call this; help does not list it.
  if (argv[0] === '__complete') return (await import('./complete.ts')).printCandidates(app, argv.slice(2), terminal);
  const named = findCommand(app.registry.findByFirstWord(getFirstWord(argv)), argv);
  // `list --watch` is a process that shares its command with an operation.
  const found = 'unknown' in named || includesFlag(argv, ['--watch']) ? findCommand(await listAllCommands(app), argv) : named;
  if ('entry' in found) return runEntry(app, found.entry, found.rest, terminal, { argv });
  if (includesFlag(argv, ['--version', '-v', '-V'])) return runCli(app, ['version', ...pickFormatFlags(argv)], terminal);
  if ('unknown' in found) return runUnknown(app, argv, terminal);
  if ('nothing' in found && !includesFlag(argv, ['--json', '--help', '-h']))
    return (await import('./home.ts')).printHome(app, argv, terminal);
  return runCli(app, ['help', ...('group' in found ? [found.group] : []), ...pickFormatFlags(argv)], terminal);
}

/** Runs the command that the words mean. Without one, the answer is an error with the nearest commands. */
async function runUnknown(app: App, argv: string[], terminal: Terminal): Promise<number> {
  const meant = await (await import('./unknown-command.ts')).readUnknownCommand(app, argv);
  if ('operation' in meant) return runEntry(app, app.registry.find(meant.operation)!, meant.rest, terminal, meant);
  const reply = createErrorReply(app, argv.find((word) => !word.startsWith('-')) ?? 'cleo', meant.error);
  const [json, human, calls] = ['--json', '--human', '--calls'].map((flag) => includesFlag(argv, [flag]));
  return print(app, reply, defined({ json, human, calls }), terminal);
}

/** Runs a command with the words that follow it. */
async function runEntry(
  app: App,
  entry: RegistryEntry | ProcessEntry,
  rest: string[],
  terminal: Terminal,
  { argv, shortcut }: { argv?: string[]; shortcut?: Shortcut },
): Promise<number> {
  // `cleo add help` asks for help; `cleo find help` searches.
  const isHelp =
    includesFlag(rest, ['--help', '-h']) || (rest.length === 1 && rest[0] === 'help' && 'kind' in entry && entry.kind !== 'query');
  if (isHelp) return runCli(app, ['help', entry.name, ...pickFormatFlags(rest)], terminal);
  if ('process' in entry) return startProcess(app, entry.process, rest, terminal);
  let globals: Globals = {};
  let reply: Reply;
  let origin: CallOrigin = {};
  let isPiped = false;
  let onError: (() => void) | undefined;
  try {
    const operation = await entry.load();
    let parsed = parseArguments(operation, rest);
    if (parsed.error || shortcut || operation.cli.texts?.some((name) => parsed.params[name] === '-')) {
      const { findSubcommand, parseLeniently } = await import('./lenient-arguments.ts');
      const meant = argv && (await findSubcommand(app.registry, operation, argv));
      if (meant) return runEntry(app, app.registry.find(meant.operation)!, meant.rest, terminal, meant);
      parsed = parseLeniently(operation, rest, shortcut);
    }
    globals = parsed.globals;
    if (globals.color) parsed.error ??= (await import('./lenient-arguments.ts')).checkColour(globals.color)!;
    const isForPeople = terminal.isTerminal && !globals.json && !globals.quiet && (globals.human || terminal.format !== 'json');
    if (isForPeople) parsed.params = { ...operation.cli.terminalParams, ...parsed.params };
    await readSources(app.platform.folder, parsed, operation);
    if (parsed.isEdited || (isForPeople && operation.cli.asks)) {
      const { askBeforeCall } = await import('./ask-before-call.ts');
      const asked = await askBeforeCall({ app, operation, parsed, words: rest, terminal, mayAsk: isForPeople });
      if ('exitCode' in asked) return asked.exitCode;
      onError = asked.onError;
    }
    origin = { ...globals, params: parsed.params };
    isPiped = parsed.params.raw === true && !globals.json;
    const isLong = terminal.isWatched && (operation.kind === 'job' || operation.cli.read !== undefined);
    const hasProgress = terminal.isWatched && !globals.json && !globals.quiet && (globals.human || terminal.format !== 'json');
    const progress =
      operation.progress && hasProgress
        ? await (await import('./run-progress.ts')).showRunProgress(await operation.progress(), terminal)
        : undefined;
    const done = progress?.done ?? (isLong ? (await import('./elapsed-time.ts')).showElapsedTime(operation.summary) : undefined);
    reply = await dispatch(app, {
      operation: entry.name,
      gateway: 'cli',
      params: parsed.params,
      ...(progress ? { observe: progress.observe } : {}),
      ...(done ? { beforeAsk: done } : {}),
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
    const isKnown = error instanceof CleoError;
    const cleoError = isKnown ? error : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) });
    reply = { ...createErrorReply(app, entry.name, cleoError), ...(isKnown ? {} : { unexpected: error }) };
  }
  if (!reply.envelope.success) onError?.();
  // An error must not reach the next command of the pipe.
  if (!reply.envelope.success && (origin.params as { hook?: unknown } | undefined)?.hook)
    return (await import('./input.ts')).reportHookError(reply, terminal, origin.params);
  const isRedirected = isPiped && !reply.envelope.success;
  return print(app, reply, globals, isRedirected ? { ...terminal, write: (text) => terminal.writeError(String(text)) } : terminal, origin);
}

async function startProcess(app: App, process: CommandDefinition, argv: string[], terminal: Terminal): Promise<number> {
  const { params, globals, error: inputError } = parseArguments(process, argv);
  try {
    if (inputError) throw inputError;
    return await terminal.start(process.name, (await readParams(process, params)).params, globals, terminal);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return print(app, createErrorReply(app, process.name, error), globals, terminal);
  }
}

/** Checks whether one of `flags` is given before `--`. */
function includesFlag(argv: string[], flags: string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => flags.includes(word));
}

const pickFormatFlags = (argv: string[]): string[] => ['--json', '--human'].filter((flag) => includesFlag(argv, [flag]));

async function readSources(folder: string, parsed: ParsedArguments, operation: NonNullable<Reply['operation']>): Promise<void> {
  if (parsed.error || parsed.sources.length === 0) return;
  const { readSource } = await import('./input.ts');
  try {
    for (const source of parsed.sources)
      if (source.files && source.path !== '-') {
        const selection = await source.files(parsed.params);
        parsed.params[source.name] = (await import('./files.ts')).readFiles(source.path, selection, operation, folder);
      } else Object.assign(parsed.params, await readSource(source, operation, folder));
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    parsed.error = error;
  }
}

const createErrorReply = (app: App, command: string, error: CleoError): Reply => ({
  envelope: createFailure({ command: command.slice(0, 100), timestamp: app.platform.now(), version: app.platform.version }, error),
  exitCode: error.exitCode,
});

export async function print(
  app: Pick<App, 'registry' | 'platform'>,
  reply: Reply,
  globals: Globals,
  terminal: Terminal,
  origin: CallOrigin = {},
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
