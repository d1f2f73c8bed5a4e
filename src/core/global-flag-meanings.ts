import { type GlobalFlag, globalFlags } from './command-line.ts';

const meanings: Record<GlobalFlag['name'], string> = {
  json: 'Print JSON, also on a terminal',
  human: 'Print readable text, also without a terminal',
  quiet: 'Print only ids, one per line',
  calls: 'Add the gateway call of each fix to errors in JSON',
  color: 'Use colours; auto: on a terminal',
  noPager: 'Print long text without a pager',
  fields: 'Print only these fields of each record',
  session: 'Session of the call',
  agent: 'Agent that makes the call',
  idempotencyKey: 'Return the first answer if a write is repeated with the same key',
  help: 'Show help for the command',
  version: 'Show the version of cleo',
};

/** The flags of every command with their meanings, for help, completion and docs. */
export const describedGlobalFlags: (GlobalFlag & { about: string })[] = globalFlags.map((flag) => ({
  ...flag,
  about: meanings[flag.name],
}));
