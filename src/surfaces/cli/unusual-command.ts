import type { CommandDefinition } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { type App, readParams } from '#dispatch/dispatch.ts';
import { defined } from '#lib/collections.ts';
import { type CommandMatch, parseArguments } from './arguments.ts';
import { createErrorReply, includesFlag, pickFormatFlags, print, runCli, runEntry, type Terminal } from './run.ts';
import { explainUnknownFlag } from './unknown-flag.ts';

/** Runs words that are not a command: a group of commands, the version, the first screen, a synonym or a typo. */
export async function runUnusual(app: App, argv: string[], found: CommandMatch<never>, terminal: Terminal): Promise<number> {
  // The scripts of `cleo completion` call this; help does not list it.
  if (argv[0] === '__complete') return (await import('./complete.ts')).printCandidates(app, argv.slice(2), terminal);
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

/** Starts a command that runs until it is stopped. */
export async function startProcess(app: App, process: CommandDefinition, argv: string[], terminal: Terminal): Promise<number> {
  const { params, globals, error: inputError } = parseArguments(process, argv, explainUnknownFlag);
  try {
    if (inputError) throw inputError;
    return await terminal.start(process.name, (await readParams(process, params)).params, globals, terminal);
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    return print(app, createErrorReply(app, process.name, error), globals, terminal);
  }
}
