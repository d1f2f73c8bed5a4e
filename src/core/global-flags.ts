/** The values of the flags that every command accepts. */
export interface Globals {
  json?: boolean;
  human?: boolean;
  quiet?: boolean;
  calls?: boolean;
  color?: string;
  noPager?: boolean;
  fields?: string;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

export interface GlobalFlag {
  name: keyof Globals | 'help' | 'version';
  flags: string[];
  /** The placeholder of the value in help; a switch has none. */
  value?: string;
  about: string;
}

export const globalFlags: GlobalFlag[] = [
  { name: 'json', flags: ['--json'], about: 'Print JSON, also on a terminal' },
  { name: 'human', flags: ['--human'], about: 'Print readable text, also without a terminal' },
  { name: 'quiet', flags: ['--quiet', '-q'], about: 'Print only ids, one per line' },
  { name: 'calls', flags: ['--calls'], about: 'Add the gateway call of each fix to errors in JSON' },
  { name: 'color', flags: ['--color'], value: 'auto|always|never', about: 'Use colours; auto: on a terminal' },
  { name: 'noPager', flags: ['--no-pager'], about: 'Print long text without a pager' },
  { name: 'fields', flags: ['--fields'], value: 'a,b', about: 'Print only these fields of each record' },
  { name: 'session', flags: ['--session'], value: 'SESSION', about: 'Session of the call' },
  { name: 'agent', flags: ['--agent'], value: 'ID', about: 'Agent that makes the call' },
  {
    name: 'idempotencyKey',
    flags: ['--idempotency-key'],
    value: 'KEY',
    about: 'Return the first answer if a write is repeated with the same key',
  },
  { name: 'help', flags: ['--help', '-h'], about: 'Show help for the command' },
  { name: 'version', flags: ['--version'], about: 'Show the version of cleo' },
];

export const findGlobalFlag = (word: string): GlobalFlag | undefined => {
  const flag = word.startsWith('--') ? word.split('=', 1)[0]! : word;
  return globalFlags.find((known) => known.flags.includes(flag));
};
