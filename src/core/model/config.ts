import { isPlainObject } from '#lib/is-plain-object.ts';
/** All configuration keys with type, default and meaning. Every cold start reads this table, so it is plain data. */
export const configKeys = {
  'hierarchy.maxSiblings': { type: 'count', default: 7, about: 'Maximum number of open children of a task or epic; 0 means no limit' },
  'hierarchy.autoCompleteParents': { type: 'flag', default: false, about: 'Complete a parent when its last open child is completed' },
  'claims.ttlMinutes': {
    type: 'count',
    default: 240,
    about: 'Minutes without a write by its holder after which a claim expires',
  },
  'claims.awayMinutes': { type: 'count', default: 5, about: 'Minutes after which others may claim the task of a holder that is away' },
  'claims.silentMinutes': { type: 'count', default: 30, about: 'Minutes without a write after which a holder is silent' },
  'session.required': { type: 'flag', default: false, about: 'Refuse (36) to change tasks outside a session' },
  'session.requireNote': { type: 'flag', default: false, about: 'Refuse (39) to end a session without a note' },
  'session.closeRequiresDone': { type: 'flag', default: false, about: 'Refuse (37) to end a session while one of its tasks is active' },
  'session.exclusive': { type: 'flag', default: true, about: 'Refuse (67) an agent a second session while it is in one' },
  'session.quietHours': { type: 'count', default: 72, about: 'Hours without activity after which `session gc` ends a session' },
  'context.warningPercent': { type: 'count', default: 70, about: 'Share of the context window from which `context check` warns (50)' },
  'context.cautionPercent': { type: 'count', default: 85, about: 'Share from which `context check` says to finish (51)' },
  'context.criticalPercent': { type: 'count', default: 90, about: 'Share from which `context check` asks for a safestop (52)' },
  'context.emergencyPercent': { type: 'count', default: 95, about: 'Share from which `context check` reports an emergency (53)' },
  'context.staleMinutes': { type: 'count', default: 5, about: 'Minutes after which a report of the context window is stale (54)' },
  'grade.nudge': { type: 'flag', default: false, about: 'In grade mode, report lost points in _meta.nudge' },
  'store.busyTimeoutMs': { type: 'count', default: 15000, about: 'Time that a call waits for the write lock' },
  'store.durability': {
    type: ['full', 'normal'],
    default: 'full',
    about: 'full: each write is synced before it is answered; normal: a power failure may lose the last writes',
  },
  'store.url': {
    type: 'text',
    default: '',
    about: 'PostgreSQL address of the store; empty means SQLite. CLEO_DATABASE_URL takes precedence',
  },
  'assessment.project': {
    type: 'text',
    default: '',
    about: 'Value of {project} in the paths of a construct; empty means the name of the construct',
  },
  'project.key': { type: 'name', default: '', about: 'Names this project in a shared PostgreSQL server; written by init' },
  'serve.port': { type: 'count', default: 4800, about: 'Port of cleo serve; 0 means any free port' },
  'serve.hosts': {
    type: 'text',
    default: '',
    about: 'Additional host names of cleo serve, separated by commas, e.g. behind a proxy',
  },
  'serve.origins': {
    type: 'text',
    default: '',
    about: 'Additional origins whose web pages may call cleo serve, separated by commas, e.g. https://board.example.org',
  },
  'serve.requireToken': { type: 'flag', default: false, about: 'Require a token for cleo serve on this machine too' },
  'serve.callsPerMinute': {
    type: 'count',
    default: 6000,
    about: 'Calls per minute that cleo serve accepts from one token, or from one address without a token; 0 means no limit',
  },
  'orchestrate.outputDir': {
    type: 'text',
    default: '.cleo/research',
    about: 'Folder of the research manifest and the output of each task, relative to the project',
  },
  'orchestrate.showCommand': { type: 'text', default: 'cleo show', about: 'Value of {{TASK_SHOW_CMD}} in a spawn prompt' },
  'orchestrate.focusCommand': { type: 'text', default: 'cleo start', about: 'Value of {{TASK_FOCUS_CMD}}' },
  'orchestrate.completeCommand': { type: 'text', default: 'cleo complete', about: 'Value of {{TASK_COMPLETE_CMD}}' },
  'orchestrate.linkCommand': { type: 'text', default: 'cleo research link', about: 'Value of {{TASK_LINK_CMD}}' },
  'backup.keep': { type: 'count', default: 10, about: 'Number of backups to keep' },
  'lifecycleEnforcement.mode': {
    type: ['strict', 'advisory', 'off'],
    default: 'strict',
    about: 'Entering a stage before the earlier ones are complete: an error (80), a warning, or nothing',
  },
  'verification.required': { type: 'flag', default: false, about: 'Refuse to complete a task without evidence for all three gates' },
  'verification.allowNotes': { type: 'flag', default: false, about: 'Accept url: and note: as evidence, although they cannot be checked' },
  'verification.maxRounds': { type: 'count', default: 5, about: 'Failed rounds after which a task takes no more evidence (44)' },
  'verification.timeoutSeconds': { type: 'count', default: 600, about: 'Time limit of a tool that runs as evidence' },
  'release.gateTimeoutSeconds': { type: 'count', default: 1800, about: 'Time limit of a release gate' },
  'docs.types': { type: 'slugs', default: [], about: 'Additional document types, e.g. runbook' },
  agents: { type: 'list', default: [], about: 'Agents that may be named before their first call' },
} as const satisfies Record<
  string,
  {
    type: 'count' | 'flag' | 'text' | 'name' | 'list' | 'slugs' | readonly string[];
    default: number | boolean | string | [];
    about: string;
  }
>;

/** Groups whose keys are named by the user. */
export const openGroups = {
  'verification.tools': {
    type: 'command',
    about: 'Command that tool:<name> runs as evidence, as a string or a list of words; never through a shell',
  },
  'release.gates': {
    type: 'command',
    about: 'Command that must succeed before a release ships, as a string or a list of words; never through a shell',
  },
} as const;

/** A command as a list of words, or as a text that is split at its spaces. */
export type CommandWords = string | string[];
type OpenKey = `${keyof typeof openGroups}.${string}`;
export type FixedKey = keyof typeof configKeys;
export type ConfigKey = FixedKey | OpenKey;
export type ConfigValue = string | number | boolean | string[];
type Widened<T> = T extends boolean ? boolean : T extends number ? number : T extends readonly unknown[] ? string[] : string;
export type Config = {
  [K in FixedKey]: (typeof configKeys)[K]['type'] extends readonly (infer O)[] ? O : Widened<(typeof configKeys)[K]['default']>;
} & { [K in OpenKey]?: CommandWords };

export const isConfigKey = (key: string): key is ConfigKey => Object.hasOwn(configKeys, key) || findOpenGroup(key) !== undefined;

/** Returns the type and meaning of a key. */
export const getConfigSpec = (key: ConfigKey): { type: string | readonly string[]; about: string } =>
  openGroups[findOpenGroup(key)!] ?? configKeys[key as FixedKey];

const findOpenGroup = (key: string): keyof typeof openGroups | undefined =>
  (Object.keys(openGroups) as (keyof typeof openGroups)[]).find(
    (group) => key.startsWith(`${group}.`) && openKeyPattern.test(key.slice(group.length + 1)),
  );

/** The largest 32-bit integer, the limit of databases and timers. */
export const maxCount = 2_147_483_647;
export const namePattern = /^[a-z0-9_]{0,50}$/;
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
export const openKeyPattern = /^[A-Za-z0-9][\w-]{0,49}$/;

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
