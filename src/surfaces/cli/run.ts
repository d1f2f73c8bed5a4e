import { listCommandNames } from '#core/command-line.ts';
import type { CommandDefinition, RegistryEntry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Globals } from '#core/global-flags.ts';
import { type App, dispatch, type Reply } from '#dispatch/dispatch.ts';
import { createFailure } from '#dispatch/envelope.ts';
import { parseParams } from '#dispatch/parse.ts';
import { isCall, type ParsedArguments, parseArguments } from './arguments.ts';
import { type CommandNames, findCommand, getFirstWord } from './commands.ts';

export interface Terminal {
  isTerminal: boolean;
  columns: number;
  hasColour: boolean;
  /** Whether someone is watching: standard error is a terminal too. */
  isWatched?: boolean;
  isDebugging: boolean;
  format: string | undefined;
  write(text: string | Uint8Array): void;
  writeError(text: string): void;
  /** The house of a project in another folder, apart from the settings of this user. */
  appAt(folder: string): App;
  /** Runs one of the commands that are processes, until it ends; its exit code. */
  start(command: string, params: Record<string, unknown>, globals: Globals, terminal: Terminal): Promise<number>;
}

/** One command line: words → operation and parameters → the one door → text and exit code. Nothing else. */
export async function runCli(app: App, argv: string[], terminal: Terminal): Promise<number> {
  // The scripts of `cleo completion` call this; help does not list it.
  if (argv[0] === '__complete') return (await import('./complete.ts')).printCandidates(app, argv.slice(2), terminal);
  const named = findCommand(app.registry.findByFirstWord(getFirstWord(argv)), argv);
  // A process may share its words with an operation, and be told from it by this flag.
  const found = 'refusal' in named || includesFlag(argv, ['--watch']) ? findCommand(await withProcesses(app), argv) : named;
  if (!('entry' in found)) {
    if (includesFlag(argv, ['--version'])) return runCli(app, ['version', ...pickFormatFlags(argv)], terminal);
    if (!('refusal' in found)) return runCli(app, ['help', ...('group' in found ? [found.group] : []), ...pickFormatFlags(argv)], terminal);
    const refusal = found.guess && !(await isValidCall(app, found.guess)) ? withoutGuess(found.error) : found.error;
    const reply = createErrorReply(app, argv.find((word) => !word.startsWith('-')) ?? 'cleo', refusal);
    return print(app, reply, { json: includesFlag(argv, ['--json']), human: includesFlag(argv, ['--human']) }, terminal);
  }
  const { entry, rest } = found;
  if (includesFlag(rest, ['--help', '-h'])) return runCli(app, ['help', entry.name, ...pickFormatFlags(rest)], terminal);
  if ('process' in entry) return startProcess(app, entry.process, rest, terminal);
  let globals: Globals = {};
  let reply: Reply;
  let isPiped = false;
  try {
    const operation = await entry.load();
    const parsed = parseArguments(operation, rest);
    globals = parsed.globals;
    isPiped = parsed.params.raw === true && !globals.json;
    await readSources(app.platform.folder, parsed, operation);
    const isLong = terminal.isWatched && (operation.kind === 'job' || operation.cli.read !== undefined);
    const isTold = terminal.isWatched && !globals.json && !globals.quiet && (globals.human || terminal.format !== 'json');
    const shown =
      operation.progress && isTold
        ? await (await import('./run-progress.ts')).showRunProgress(await operation.progress(), terminal)
        : undefined;
    const done = shown?.done ?? (isLong ? (await import('./elapsed-time.ts')).showElapsedTime(operation.summary) : undefined);
    reply = await dispatch(app, {
      operation: entry.name,
      gateway: 'cli',
      params: parsed.params,
      ...(shown ? { observe: shown.observe } : {}),
      ...(globals.session ? { session: globals.session } : {}),
      ...(globals.agent ? { agent: globals.agent } : {}),
      ...(globals.idempotencyKey ? { idempotencyKey: globals.idempotencyKey } : {}),
      ...(parsed.error ? { inputError: parsed.error } : {}),
      ...(parsed.sources.length > 0 ? { paths: Object.fromEntries(parsed.sources.map(({ name, path }) => [name, path])) } : {}),
    }).finally(done);
    if (operation.cli.demo && reply.envelope.success && !globals.json) {
      const { runDemo } = await import('./run-demo.ts');
      return await runDemo(reply.envelope, operation.cli.demo, terminal);
    }
  } catch (error) {
    const isKnown = error instanceof CleoError;
    const refusal = isKnown ? error : new CleoError('E_GENERAL_ERROR', { problem: (error as Error)?.message ?? String(error) });
    reply = { ...createErrorReply(app, entry.name, refusal), ...(isKnown ? {} : { unexpected: error }) };
  }
  // What comes next in the pipe reads what was asked for, or nothing.
  const isKept = isPiped && !reply.envelope.success;
  return print(app, reply, globals, isKept ? { ...terminal, write: (text) => terminal.writeError(String(text)) } : terminal);
}

/** Everything that can be typed; only a word that is no operation's asks for it. */
async function withProcesses({ registry }: App): Promise<(RegistryEntry | ProcessEntry)[]> {
  const { processes } = await import('#admin/operations/shared/processes.ts');
  const named = processes.map((process) => {
    const { select } = process.cli;
    return { name: process.name, aliases: [], commands: listCommandNames(process), ...(select ? { select } : {}), process };
  });
  return [...registry.entries, ...named];
}

type ProcessEntry = CommandNames & { process: CommandDefinition };

/** A process answers nothing itself; only words that are no call of it are answered here. */
async function startProcess(app: App, process: CommandDefinition, argv: string[], terminal: Terminal): Promise<number> {
  const { params, globals, error: refusal } = parseArguments(process, argv);
  try {
    if (refusal) throw refusal;
    return await terminal.start(process.name, parseParams(process, params), globals, terminal);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return print(app, createErrorReply(app, process.name, error), globals, terminal);
  }
}

/** Whether the words are a call of the right shape. */
async function isValidCall(app: App, argv: string[]): Promise<boolean> {
  const found = findCommand(await withProcesses(app), argv);
  if (!('entry' in found)) return 'group' in found;
  return isCall('process' in found.entry ? found.entry.process : await found.entry.load(), found.rest);
}

const withoutGuess = ({ details }: CleoError): CleoError =>
  new CleoError('E_INVALID_OPERATION', { operation: String(details.operation), suggestions: details.suggestions as string[] });

/** Whether one of these flags is given, not as a word behind `--`. */
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
        const wanted = await source.files(parsed.params);
        parsed.params[source.name] = (await import('./files.ts')).readFiles(source.path, wanted, operation, folder);
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

export async function print(app: Pick<App, 'registry'>, reply: Reply, globals: Globals, terminal: Terminal): Promise<number> {
  if (reply.unexpected && terminal.isDebugging) terminal.writeError(`${(reply.unexpected as Error).stack ?? reply.unexpected}\n`);
  const { envelope, operation, exitCode } = reply;
  const text = operation?.cli.raw;
  const raw = text && envelope.success && !globals.json && envelope[text] !== undefined ? text : undefined;
  const isJson = globals.json || (!raw && !globals.human && !globals.quiet && (terminal.format === 'json' || !terminal.isTerminal));
  if (raw && typeof envelope[raw] === 'string')
    terminal.write(
      operation?.cli.isExact ? Buffer.from(envelope[raw], envelope.encoding as BufferEncoding | undefined) : withNewline(envelope[raw]),
    );
  else if (isJson && !globals.fields) terminal.write(`${JSON.stringify(envelope)}\n`);
  else {
    const { pickFields, formatQuiet } = await import('./select.ts');
    const picked = globals.fields ? pickFields(envelope, globals.fields.split(',')) : envelope;
    if (globals.quiet && envelope.success) terminal.write(formatQuiet(picked));
    else if (isJson) terminal.write(`${JSON.stringify(picked)}\n`);
    else {
      const { renderAnswer } = await import('./render-answer.ts');
      const { columns, hasColour, isTerminal } = terminal;
      // Line breaks cost tokens, so a prompt is not wrapped.
      const isForPrompt = !isTerminal && operation?.cli.isPrompt === true;
      const text = await renderAnswer(picked, {
        columns: isForPrompt ? Number.POSITIVE_INFINITY : columns,
        hasColour: hasColour && !isForPrompt && (isTerminal || !raw),
        registry: app.registry,
        view: operation?.cli.view,
      });
      if (envelope.success) terminal.write(text);
      else terminal.writeError(text);
    }
  }
  return exitCode;
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
