import { dispatch, type House, type Reply } from '../../dispatch/dispatch.ts';
import { failure } from '../../dispatch/envelope.ts';
import { CleoError } from '../../errors/error.ts';
import { findCommand, type Globals, parseArguments } from './arguments.ts';
import { readSource } from './input.ts';

export interface Terminal {
  isTerminal: boolean;
  columns: number;
  hasColour: boolean;
  isDebugging: boolean;
  format: string | undefined;
  write(text: string): void;
  writeError(text: string): void;
}

/** One command line: words → operation and parameters → the one door → text and exit code. Nothing else. */
export async function runCli(house: House, argv: string[], terminal: Terminal): Promise<number> {
  const found = findCommand(house.catalog.entries, argv);
  if (!('entry' in found)) return noCommand(house, found, argv, terminal);
  const operation = await found.entry.load();
  let globals: Globals = {};
  let reply: Reply;
  try {
    const parsed = parseArguments(operation, found.rest);
    globals = parsed.globals;
    if (globals.help) return runCli(house, ['help', found.entry.name, ...(globals.json ? ['--json'] : [])], terminal);
    for (const source of parsed.sources) parsed.params[source.name] = readSource(source.path, source.as, operation);
    reply = await dispatch(house, {
      operation: found.entry.name,
      gateway: 'cli',
      params: parsed.params,
      ...(globals.session ? { session: globals.session } : {}),
      ...(globals.agent ? { agent: globals.agent } : {}),
      ...(globals.idempotencyKey ? { idempotencyKey: globals.idempotencyKey } : {}),
    });
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    reply = refused(house, found.entry.name, error);
  }
  await print(reply, globals, terminal);
  return reply.exitCode;
}

async function noCommand(house: House, found: { words: string[]; near: string[] }, argv: string[], terminal: Terminal): Promise<number> {
  if (argv.includes('--version')) return runCli(house, ['version', ...argv.filter((word) => word === '--json')], terminal);
  if (found.words.length === 0) return runCli(house, ['help', ...argv.filter((word) => word === '--json')], terminal);
  const word = found.words[0] ?? '';
  const error = new CleoError('E_INVALID_OPERATION', {
    operation: found.words.slice(0, 2).join(' ').slice(0, 100),
    near: found.near.length ? found.near : [],
  });
  await print(refused(house, word.slice(0, 100), error), { json: argv.includes('--json'), human: argv.includes('--human') }, terminal);
  return error.exitCode;
}

const refused = (house: House, command: string, error: CleoError): Reply => ({
  envelope: failure({ command, timestamp: house.platform.now(), version: house.platform.version }, error),
  exitCode: error.exitCode,
});

async function print(reply: Reply, globals: Globals, terminal: Terminal): Promise<void> {
  if (reply.unexpected && terminal.isDebugging) terminal.writeError(`${(reply.unexpected as Error).stack ?? reply.unexpected}\n`);
  const { envelope, operation } = reply;
  const raw = operation?.cli.raw;
  if (raw && envelope.success && !globals.json) return terminal.write(withNewline(String(envelope[raw] ?? '')));
  const isJson = globals.json || (!globals.human && !globals.quiet && (terminal.format === 'json' || !terminal.isTerminal));
  if (isJson && !globals.fields) return terminal.write(`${JSON.stringify(envelope)}\n`);
  const { pickFields, quietText } = await import('./select.ts');
  const picked = globals.fields ? pickFields(envelope, globals.fields) : envelope;
  if (globals.quiet && envelope.success) return terminal.write(quietText(picked));
  if (isJson) return terminal.write(`${JSON.stringify(picked)}\n`);
  const { humanText } = await import('./human.ts');
  const text = humanText(picked, { columns: terminal.columns, hasColour: terminal.hasColour });
  if (envelope.success) terminal.write(text);
  else terminal.writeError(text);
}

const withNewline = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
