import { isPlainObject } from '#lib/is-plain-object.ts';
/** All configuration keys with type and default; `configMeanings` describes them. Every start reads this table, so it is plain
 *  data without texts. */
export const configKeys = {
  'hierarchy.maxSiblings': { type: 'count', default: 7 },
  'hierarchy.autoCompleteParents': { type: 'flag', default: false },
  'claims.ttlMinutes': {
    type: 'count',
    default: 240,
  },
  'claims.awayMinutes': { type: 'count', default: 5 },
  'claims.silentMinutes': { type: 'count', default: 30 },
  'session.required': { type: 'flag', default: false },
  'session.requireNote': { type: 'flag', default: false },
  'session.closeRequiresDone': { type: 'flag', default: false },
  'session.exclusive': { type: 'flag', default: true },
  'session.quietHours': { type: 'count', default: 72 },
  'context.warningPercent': { type: 'count', default: 70 },
  'context.cautionPercent': { type: 'count', default: 85 },
  'context.criticalPercent': { type: 'count', default: 90 },
  'context.emergencyPercent': { type: 'count', default: 95 },
  'context.staleMinutes': { type: 'count', default: 5 },
  'decide.proof': { type: ['terminal', 'passphrase', 'ssh'], default: 'terminal' },
  'decide.signers': { type: 'signers', default: [] },
  'grade.nudge': { type: 'flag', default: false },
  'store.busyTimeoutMs': { type: 'count', default: 15000 },
  'store.durability': {
    type: ['full', 'normal'],
    default: 'full',
  },
  'store.url': {
    type: 'text',
    default: '',
  },
  'assessment.project': {
    type: 'text',
    default: '',
  },
  'project.key': { type: 'name', default: '' },
  'serve.port': { type: 'count', default: 4800 },
  'serve.hosts': {
    type: 'text',
    default: '',
  },
  'serve.origins': {
    type: 'text',
    default: '',
  },
  'serve.requireToken': { type: 'flag', default: false },
  'serve.callsPerMinute': {
    type: 'count',
    default: 6000,
  },
  'orchestrate.outputDir': {
    type: 'text',
    default: '.cleo/research',
  },
  'orchestrate.showCommand': { type: 'text', default: 'cleo show' },
  'orchestrate.focusCommand': { type: 'text', default: 'cleo start' },
  'orchestrate.completeCommand': { type: 'text', default: 'cleo complete' },
  'orchestrate.linkCommand': { type: 'text', default: 'cleo research link' },
  'backup.keep': { type: 'count', default: 10 },
  'lifecycleEnforcement.mode': {
    type: ['strict', 'advisory', 'off'],
    default: 'strict',
  },
  'verification.required': { type: 'flag', default: false },
  'verification.allowNotes': { type: 'flag', default: false },
  'verification.maxRounds': { type: 'count', default: 5 },
  'verification.timeoutSeconds': { type: 'count', default: 600 },
  'verification.maxParallel': { type: 'count', default: 2 },
  'verification.independence': { type: ['spawn', 'process'], default: 'spawn' },
  'release.gateTimeoutSeconds': { type: 'count', default: 1800 },
  'docs.types': { type: 'slugs', default: [] },
  'audit.signers': { type: 'list', default: [] },
  agents: { type: 'list', default: [] },
} as const satisfies Record<
  string,
  {
    type: 'count' | 'flag' | 'text' | 'name' | 'list' | 'slugs' | 'signers' | readonly string[];
    default: number | boolean | string | [];
  }
>;

/** The evidence gates in the order in which they are passed. */
export const evidenceGateNames = ['implemented', 'testsPassed', 'qaPassed'] as const;

/** Groups whose keys are named by the user, or are the evidence gates. */
export const openGroups = {
  'verification.tools': {
    type: 'command',
  },
  'verification.gates': {
    type: 'evidence',
  },
  'verification.observers': {
    type: 'list',
  },
  'release.gates': {
    type: 'command',
  },
} as const;

/** A command as a list of words, or as a text that is split at its spaces. */
export type CommandWords = string | string[];
type GateKey = `verification.${'gates' | 'observers'}.${(typeof evidenceGateNames)[number]}`;
type CommandKey = `${'verification.tools' | 'release.gates'}.${string}`;
type OpenKey = CommandKey | GateKey;
export type FixedKey = keyof typeof configKeys;
export type ConfigKey = FixedKey | OpenKey;
export type ConfigValue = string | number | boolean | string[];
type Widened<T> = T extends boolean ? boolean : T extends number ? number : T extends readonly unknown[] ? string[] : string;
export type Config = {
  [K in FixedKey]: (typeof configKeys)[K]['type'] extends readonly (infer O)[] ? O : Widened<(typeof configKeys)[K]['default']>;
} & { [K in CommandKey]?: CommandWords } & { [K in GateKey]?: string[] };

export const isConfigKey = (key: string): key is ConfigKey => Object.hasOwn(configKeys, key) || findOpenGroup(key) !== undefined;

/** Returns the type of a key. */
export const getConfigSpec = (key: ConfigKey): { type: string | readonly string[] } =>
  openGroups[findOpenGroup(key)!] ?? configKeys[key as FixedKey];

export const findOpenGroup = (key: string): keyof typeof openGroups | undefined =>
  (Object.keys(openGroups) as (keyof typeof openGroups)[]).find(
    (group) => key.startsWith(`${group}.`) && getOpenKeyPattern(group).test(key.slice(group.length + 1)),
  );

export const getOpenKeyPattern = (group: keyof typeof openGroups): RegExp =>
  openGroups[group].type === 'command' ? openKeyPattern : gateKeyPattern;

/** The largest 32-bit integer, the limit of databases and timers. */
export const maxCount = 2_147_483_647;
export const namePattern = /^[a-z0-9_]{0,50}$/;
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** A line of `allowed_signers`, as git uses it: names, options, key type, key and comment. */
export const signerPattern = /^[^\s#]\S* (?:\S.* )?(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+ [A-Za-z0-9+/]+={0,2}(?: [^\n]*)?$/;
const openKeyPattern = /^[A-Za-z0-9][\w-]{0,49}$/;
const gateKeyPattern = new RegExp(`^(${evidenceGateNames.join('|')})$`);
const evidenceKind = '(commit|files|tool(:[A-Za-z0-9][\\w-]{0,49})?|test-run|run|url|note|verdict)';
/** Kinds of evidence that are needed together, such as `commit` or `tool:test+tool:lint`. */
export const evidencePattern = new RegExp(`^${evidenceKind}(\\+${evidenceKind})*$`);

/** Returns the problem with a value, or undefined if it is valid. */
export function checkConfigValue(key: ConfigKey, value: unknown): string | undefined {
  const { type } = getConfigSpec(key);
  if (type === 'count')
    return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount
      ? undefined
      : `must be a whole number from 0 to ${maxCount}`;
  if (type === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'text') return typeof value === 'string' ? undefined : 'must be a string';
  // The name becomes part of the name of a database schema.
  if (type === 'name')
    return typeof value === 'string' && namePattern.test(value) ? undefined : 'must be at most 50 characters of a-z, 0-9 and _';
  if (type === 'list') return isStringList(value) ? undefined : 'must be a list of strings';
  if (type === 'slugs')
    return isStringList(value) && value.every((item) => slugPattern.test(item))
      ? undefined
      : 'must be a list of names, each of a-z, 0-9 and hyphens, at most 32 characters';
  if (type === 'evidence')
    return isStringList(value) && value.length > 0 && value.every((item) => evidencePattern.test(item))
      ? undefined
      : 'must be a list of kinds of evidence, such as commit, files, run, verdict, tool:test or tool:test+tool:lint';
  if (type === 'signers')
    return isStringList(value) && value.every((item) => signerPattern.test(item))
      ? undefined
      : 'must be a list of lines of an allowed_signers file: NAME KEYTYPE KEY';
  if (type === 'command') return isCommand(value) ? undefined : 'must be a command: a string, or a list of words';
  return (type as readonly unknown[]).includes(value) ? undefined : `must be one of ${(type as readonly string[]).join(', ')}`;
}

const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isCommand = (value: unknown): boolean =>
  (typeof value === 'string' ? value.trim() !== '' : isStringList(value) && Boolean(value[0]?.trim())) &&
  !JSON.stringify(value).includes('\\u0000');

export interface ConfigProblem {
  key: string;
  problem: string;
  unknown?: boolean;
}

/** Flattens `{"hierarchy":{"maxSiblings":7}}` to `{"hierarchy.maxSiblings":7}` and lists every key or value that is not valid. */
export function flattenConfig(tree: unknown): { values: Partial<Config>; problems: ConfigProblem[] } {
  const values: Record<string, unknown> = {};
  const groups = [...Object.keys(configKeys), ...Object.keys(openGroups).map((group) => `${group}.`)];
  const problems: ConfigProblem[] = [];
  if (!isPlainObject(tree)) return { values: {}, problems: [{ key: '', problem: 'must be a JSON object' }] };
  const walk = (node: object, path: string): void => {
    for (const [name, value] of Object.entries(node)) {
      const key = path ? `${path}.${name}` : name;
      if (key === '$schema') continue;
      if (isConfigKey(key)) {
        const problem = checkConfigValue(key, value);
        if (problem) problems.push({ key, problem });
        else values[key] = value;
      } else if (isPlainObject(value) && groups.some((known) => known.startsWith(`${key}.`))) walk(value, key);
      else problems.push({ key, problem: 'is not a key', unknown: true });
    }
  };
  walk(tree, '');
  return { values: values as Partial<Config>, problems };
}

export const defaultConfig: Config = Object.fromEntries(
  Object.entries(configKeys).map(([key, spec]) => [key, spec.default]),
) as unknown as Config;
