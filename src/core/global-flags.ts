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
}

/** The flags of every command: the name, the spellings and the placeholder. Their meanings are in `global-flag-meanings.ts`, because
 *  only help needs them. */
export const globalFlags: GlobalFlag[] = (
  [
    ['json', '--json'],
    ['human', '--human'],
    ['quiet', '--quiet -q'],
    ['calls', '--calls'],
    ['color', '--color', 'auto|always|never'],
    ['noPager', '--no-pager'],
    ['fields', '--fields', 'a,b'],
    ['session', '--session', 'SESSION'],
    ['agent', '--agent', 'ID'],
    ['idempotencyKey', '--idempotency-key', 'KEY'],
    ['help', '--help -h'],
    ['version', '--version'],
  ] as [GlobalFlag['name'], string, string?][]
).map(([name, flags, value]) => ({ name, flags: flags.split(' '), ...(value ? { value } : {}) }));

export const findGlobalFlag = (word: string): GlobalFlag | undefined => {
  if (!word.startsWith('-')) return undefined;
  const flag = word.startsWith('--') ? word.split('=', 1)[0]! : word;
  return globalFlags.find((known) => known.flags.includes(flag));
};
