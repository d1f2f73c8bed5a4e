/** What every command takes beside its own parameters. */
export interface Globals {
  json?: boolean;
  human?: boolean;
  quiet?: boolean;
  fields?: string;
  session?: string;
  agent?: string;
  idempotencyKey?: string;
}

export interface GlobalFlag {
  name: keyof Globals | 'help' | 'version';
  flags: string[];
  /** What stands for its value in help; a switch has none. */
  value?: string;
  about: string;
}

export const globalFlags: GlobalFlag[] = [
  { name: 'json', flags: ['--json'], about: 'JSON, also on a terminal' },
  { name: 'human', flags: ['--human'], about: 'Readable text, also when not on a terminal' },
  { name: 'quiet', flags: ['--quiet', '-q'], about: 'Bare ids, one a line' },
  { name: 'fields', flags: ['--fields'], value: 'a,b', about: 'Keep only these fields of each record' },
  { name: 'session', flags: ['--session'], value: 'SESSION', about: 'The session this call belongs to' },
  { name: 'agent', flags: ['--agent'], value: 'ID', about: 'The agent that is calling' },
  {
    name: 'idempotencyKey',
    flags: ['--idempotency-key'],
    value: 'KEY',
    about: 'The same key again gives the same answer and has no second effect (writes)',
  },
  { name: 'help', flags: ['--help', '-h'], about: 'Help for the command' },
  { name: 'version', flags: ['--version'], about: 'The version of cleo' },
];

export const findGlobalFlag = (word: string): GlobalFlag | undefined => {
  const flag = word.startsWith('--') ? word.split('=', 1)[0]! : word;
  return globalFlags.find((known) => known.flags.includes(flag));
};
