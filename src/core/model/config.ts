import { isPlainObject } from '#lib/collections.ts';
import type { ProfileConfig } from './profile-config.ts';

/** All configuration keys with their defaults; `configMeanings` describes them. Every start reads this table, so it is plain data
 *  without texts. The type of a key follows from its default, unless `getSpecialTypes` names it. */
const defaults = {
  'hierarchy.maxSiblings': 7,
  'hierarchy.autoCompleteParents': false,
  'claims.ttlMinutes': 240,
  'claims.awayMinutes': 5,
  'claims.silentMinutes': 30,
  'session.required': false,
  'session.requireNote': false,
  'session.closeRequiresDone': false,
  'session.exclusive': true,
  'session.quietHours': 72,
  'context.warningPercent': 70,
  'context.cautionPercent': 85,
  'context.criticalPercent': 90,
  'context.emergencyPercent': 95,
  'context.staleMinutes': 5,
  'decide.proof': 'terminal',
  'decide.signers': [],
  'grade.nudge': false,
  'store.busyTimeoutMs': 15000,
  'store.durability': 'full',
  'store.engine': '',
  'store.listenUrl': '',
  'store.maxRecordKb': 1024,
  'store.recordDays': 90,
  'store.url': '',
  'server.url': '',
  'server.project': '',
  'assessment.project': '',
  'project.key': '',
  'serve.port': 4800,
  'serve.hosts': '',
  'serve.origins': '',
  'serve.requireToken': false,
  'serve.tlsCert': '',
  'serve.tlsKey': '',
  'serve.trustProxy': '',
  'serve.callsPerMinute': 6000,
  'orchestrate.outputDir': '.cleo/research',
  'orchestrate.showCommand': 'cleo show',
  'orchestrate.focusCommand': 'cleo start',
  'orchestrate.completeCommand': 'cleo complete',
  'orchestrate.linkCommand': 'cleo research link',
  'backup.keep': 10,
  'lifecycleEnforcement.mode': 'strict',
  'verification.required': false,
  'verification.allowNotes': false,
  'verification.maxRounds': 5,
  'verification.timeoutSeconds': 600,
  'verification.maxParallel': 2,
  'verification.independence': 'spawn',
  'release.gateTimeoutSeconds': 1800,
  'docs.types': [],
  'sync.mode': 'manual',
  'sync.include': ['tasks', 'decisions', 'documents', 'handoffs', 'grades'],
  'audit.signers': [],
  'work.profile': 'claude',
  'work.validator': '',
  'work.base': '',
  'work.setup': '',
  'work.verify': '',
  'work.integrate': 'branch',
  'work.rounds': 2,
  'work.maxFailures': 3,
  'work.maxParallel': 0,
  'work.capabilities': [],
  agents: [],
} as const;

/** Keys whose values are limited further: one of several words, or texts of a certain form. A function, because only a project with a
 *  configuration file needs it. */
const getSpecialTypes = () =>
  ({
    'decide.proof': ['terminal', 'passphrase', 'ssh'],
    'decide.signers': 'signers',
    'store.durability': ['full', 'normal'],
    'store.engine': ['', 'sqlite', 'postgres', 'server'],
    'server.project': 'name',
    'project.key': 'name',
    'lifecycleEnforcement.mode': ['strict', 'advisory', 'off'],
    'verification.independence': ['spawn', 'process'],
    'docs.types': 'slugs',
    'sync.mode': ['off', 'manual', 'auto'],
    'sync.include': 'kinds',
    'work.integrate': ['branch', 'merge', 'pr'],
    'work.setup': 'program',
    'work.verify': 'program',
  }) as const satisfies Partial<Record<keyof typeof defaults, 'name' | 'signers' | 'slugs' | 'kinds' | 'program' | readonly string[]>>;

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
  'work.labels': {
    type: 'count',
  },
  profiles: {
    type: 'profile',
  },
} as const;

/** A command as a list of words, or as a text that is split at its spaces. */
export type CommandWords = string | string[];

type GateKey = `verification.${'gates' | 'observers'}.${(typeof evidenceGateNames)[number]}`;
type CommandKey = `${'verification.tools' | 'release.gates'}.${string}`;
type LimitKey = `work.labels.${string}`;
type ProfileKey = `profiles.${string}`;
type OpenKey = CommandKey | GateKey | LimitKey | ProfileKey;
export type FixedKey = keyof typeof defaults;
export type ConfigKey = FixedKey | OpenKey;
export type ConfigValue = string | number | boolean | string[] | ProfileConfig;
type Widened<T> = T extends boolean ? boolean : T extends number ? number : T extends readonly unknown[] ? string[] : string;
export type Config = {
  [K in FixedKey]: K extends keyof ReturnType<typeof getSpecialTypes>
    ? ReturnType<typeof getSpecialTypes>[K] extends readonly (infer O)[]
      ? O
      : ReturnType<typeof getSpecialTypes>[K] extends 'program'
        ? CommandWords
        : Widened<(typeof defaults)[K]>
    : Widened<(typeof defaults)[K]>;
} & { [K in CommandKey]?: CommandWords } & { [K in GateKey]?: string[] } & { [K in LimitKey]?: number } & {
  [K in ProfileKey]?: ProfileConfig;
};

export const defaultConfig: Config = defaults as unknown as Config;

export const isConfigKey = (key: string): key is ConfigKey => Object.hasOwn(defaults, key) || findOpenGroup(key) !== undefined;

/** True for a setting that says what counts as proof. It belongs to the project: in the user's own file, or in one that `CLEO_HOME` names, an
 *  agent could define a tool that always passes. On a client of a server the tools are those of the machine: the server has the policy. */
export const isProjectPolicy = (key: string, isClient: boolean): boolean =>
  /^verification\.(?!timeoutSeconds$|maxParallel$)/.test(key) && !(isClient && key.startsWith('verification.tools.'));
export const omitProjectPolicy = (values: Partial<Config>, isClient: boolean): Partial<Config> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !isProjectPolicy(key, isClient))) as Partial<Config>;

/** Returns the type of a key. */
export const getConfigSpec = (key: ConfigKey): { type: string | readonly string[] } =>
  openGroups[findOpenGroup(key)!] ?? {
    type: getSpecialTypes()[key as keyof ReturnType<typeof getSpecialTypes>] ?? getDefaultType(defaults[key as FixedKey]),
  };

const getDefaultType = (value: unknown): string =>
  typeof value === 'number' ? 'count' : typeof value === 'boolean' ? 'flag' : typeof value === 'string' ? 'text' : 'list';

export const findOpenGroup = (key: string): keyof typeof openGroups | undefined =>
  (Object.keys(openGroups) as (keyof typeof openGroups)[]).find(
    (group) => key.startsWith(`${group}.`) && getOpenKeyPattern(group).test(key.slice(group.length + 1)),
  );

/** Creates the pattern only for a key of an open group. */
export const getOpenKeyPattern = (group: keyof typeof openGroups): RegExp =>
  /^v.*(gates|observers)$/.test(group) ? new RegExp(`^(${evidenceGateNames.join('|')})$`) : openKeyPattern;

/** The largest 32-bit integer, the limit of databases and timers. */
export const maxCount = 2_147_483_647;
export const namePattern = /^[a-z0-9_]{0,50}$/;
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** Kinds of records that the plan files can contain. */
export const publishedKinds = ['tasks', 'decisions', 'documents', 'handoffs', 'grades', 'observations', 'patterns', 'learnings'];
/** A line of `allowed_signers`, as git uses it: names, options, key type, key and comment. */
export const signerPattern = /^[^\s#]\S* (?:\S.* )?(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+ [A-Za-z0-9+/]+={0,2}(?: [^\n]*)?$/;
const openKeyPattern = /^[A-Za-z0-9][\w-]{0,49}$/;
/** Creates the pattern of kinds of evidence that are needed together, such as `commit` or `tool:test+tool:lint`. */
export function createEvidencePattern(): RegExp {
  const kind = '(commit|files|tool(:[A-Za-z0-9][\\w-]{0,49})?|test-run|run|url|note|verdict)';
  return new RegExp(`^${kind}(\\+${kind})*$`);
}

/** Returns the problem with a value, or undefined if it is valid. */
export function checkConfigValue(key: ConfigKey, value: unknown): string | undefined {
  const { type } = getConfigSpec(key);
  if (type === 'count') return isCount(value) ? undefined : `must be a whole number from 0 to ${maxCount}`;
  if (type === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'text') return typeof value === 'string' ? undefined : 'must be a string';
  // The name becomes part of the name of a database schema.
  if (type === 'name')
    return typeof value === 'string' && namePattern.test(value) ? undefined : 'must be at most 50 characters of a-z, 0-9 and _';
  return checkSpecialValue(type, value);
}

/** Checks the types that few projects set. A function of its own, so that most starts do not compile it. */
function checkSpecialValue(type: string | readonly string[], value: unknown): string | undefined {
  if (type === 'list') return isStringList(value) ? undefined : 'must be a list of strings';
  if (type === 'slugs')
    return isStringList(value) && value.every((item) => slugPattern.test(item))
      ? undefined
      : 'must be a list of names, each of a-z, 0-9 and hyphens, at most 32 characters';
  if (type === 'kinds')
    return isStringList(value) && value.every((item) => publishedKinds.includes(item))
      ? undefined
      : `must be a list of ${publishedKinds.join(', ')}`;
  if (type === 'evidence')
    return isStringList(value) && value.length > 0 && value.every((item) => createEvidencePattern().test(item))
      ? undefined
      : 'must be a list of kinds of evidence, such as commit, files, run, verdict, tool:test or tool:test+tool:lint';
  if (type === 'signers')
    return isStringList(value) && value.every((item) => signerPattern.test(item))
      ? undefined
      : 'must be a list of lines of an allowed_signers file: NAME KEYTYPE KEY';
  if (type === 'program' && value === '') return undefined;
  if (type === 'command' || type === 'program') return isCommand(value) ? undefined : 'must be a command: a string, or a list of words';
  if (type === 'profile') return isPlainObject(value) ? undefined : 'must be an object';
  return (type as readonly unknown[]).includes(value) ? undefined : `must be one of ${(type as readonly string[]).join(', ')}`;
}

export const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
export const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount;
export const isCommand = (value: unknown): boolean =>
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
  const groups = [...Object.keys(defaults), ...Object.keys(openGroups).map((group) => `${group}.`)];
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

/** True for a setting that decides which server the store is on. An untrusted one rejects every call that would open the store. */
export const locatesStore = (key: string): boolean => storeKeys.includes(key) || key.startsWith('server.');

const storeKeys = ['store.url', 'store.listenUrl', 'store.engine'];
