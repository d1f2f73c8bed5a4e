import { isPlainObject } from '#lib/is-plain-object.ts';
/** Every configuration key: its type, its default and what it means. The cold path reads this on each call, so it is plain data. */
export const configKeys = {
  'hierarchy.maxSiblings': { type: 'count', default: 7, about: 'Open children a task or an epic may have; 0 means no limit' },
  'hierarchy.autoCompleteParents': { type: 'flag', default: false, about: 'Complete a parent when its last open child is completed' },
  'claims.ttlMinutes': {
    type: 'count',
    default: 240,
    about: 'Minutes without a write by its holder after which a claim may be taken over',
  },
  'session.required': { type: 'flag', default: false, about: 'Refuse (36) to change tasks outside a session' },
  'session.requireNote': { type: 'flag', default: false, about: 'Refuse (39) to end a session without a note' },
  'session.closeRequiresDone': { type: 'flag', default: false, about: 'Refuse (37) to end a session while one of its tasks is active' },
  'session.exclusive': { type: 'flag', default: false, about: 'Refuse (67) an agent a second session while it is in one' },
  'session.quietHours': { type: 'count', default: 72, about: 'Hours without a sign of life after which `session gc` ends a session' },
  'context.warningPercent': { type: 'count', default: 70, about: 'Share of the context window from which `context check` warns (50)' },
  'context.cautionPercent': { type: 'count', default: 85, about: 'From which it urges to finish (51)' },
  'context.criticalPercent': { type: 'count', default: 90, about: 'From which it asks for a safestop (52)' },
  'context.emergencyPercent': { type: 'count', default: 95, about: 'From which there is no time left (53)' },
  'context.staleMinutes': { type: 'count', default: 5, about: 'Minutes after which a report of the context window is stale (54)' },
  'grade.nudge': { type: 'flag', default: false, about: 'In grade mode, tell an agent in _meta.nudge what its call has just cost' },
  'store.busyTimeoutMs': { type: 'count', default: 15000, about: 'How long a call waits for the write lock' },
  'store.durability': {
    type: ['full', 'normal'],
    default: 'full',
    about: 'full: each write is synced before it is answered; normal: the last writes may be lost with the power',
  },
  'store.url': {
    type: 'text',
    default: '',
    about: 'PostgreSQL address of the store; empty means the embedded one. CLEO_DATABASE_URL wins',
  },
  'assessment.project': {
    type: 'text',
    default: '',
    about: 'What {project} stands for in the paths of a construct; empty: the name of the construct',
  },
  'project.key': { type: 'name', default: '', about: 'Names this project in a shared PostgreSQL server; written by init' },
  'serve.port': { type: 'count', default: 4800, about: 'Port of cleo serve; 0 takes any that is free' },
  'serve.hosts': {
    type: 'text',
    default: '',
    about: 'Host names, with commas between, under which cleo serve is reached besides its own, e.g. behind a proxy',
  },
  'serve.origins': {
    type: 'text',
    default: '',
    about: 'Origins, with commas between, whose web pages may call cleo serve besides its own, e.g. https://board.example.org',
  },
  'serve.requireToken': { type: 'flag', default: false, about: 'cleo serve asks for a token on this machine too' },
  'serve.callsPerMinute': {
    type: 'count',
    default: 6000,
    about: 'Calls that cleo serve takes in a minute from one token, or from one address without; 0 means no limit',
  },
  'orchestrate.outputDir': {
    type: 'text',
    default: '.cleo/research',
    about: 'Folder, from that of the project, with the research manifest and an output folder for each task',
  },
  'orchestrate.showCommand': { type: 'text', default: 'cleo show', about: 'For {{TASK_SHOW_CMD}} in a spawn prompt' },
  'orchestrate.focusCommand': { type: 'text', default: 'cleo start', about: 'For {{TASK_FOCUS_CMD}}' },
  'orchestrate.completeCommand': { type: 'text', default: 'cleo complete', about: 'For {{TASK_COMPLETE_CMD}}' },
  'orchestrate.linkCommand': { type: 'text', default: 'cleo research link', about: 'For {{TASK_LINK_CMD}}' },
  'backup.keep': { type: 'count', default: 10, about: 'How many backups are kept' },
  'lifecycleEnforcement.mode': {
    type: ['strict', 'advisory', 'off'],
    default: 'strict',
    about: 'Entering a stage before those before it are over: refused (80), warned about, or nothing',
  },
  'verification.required': { type: 'flag', default: false, about: 'Complete nothing without evidence for all three gates' },
  'verification.allowNotes': { type: 'flag', default: false, about: 'Take url: and note:, which nobody can check, as evidence' },
  'verification.maxRounds': { type: 'count', default: 5, about: 'Failed rounds after which a task takes no more evidence (44)' },
  'verification.timeoutSeconds': { type: 'count', default: 600, about: 'How long a tool may run as evidence' },
  'release.gateTimeoutSeconds': { type: 'count', default: 1800, about: 'How long a gate of a release may run' },
  'docs.types': { type: 'slugs', default: [], about: 'Kinds of documents besides our own, e.g. runbook' },
  agents: { type: 'list', default: [], about: 'Agents that may be named before they have done anything here' },
} as const satisfies Record<
  string,
  {
    type: 'count' | 'flag' | 'text' | 'name' | 'list' | 'slugs' | readonly string[];
    default: number | boolean | string | [];
    about: string;
  }
>;

/** Groups whose keys have names of the user's own. */
export const openGroups = {
  'verification.tools': {
    type: 'command',
    about: 'The command that tool:<name> runs as evidence, as a text or a list of words; never through a shell',
  },
  'release.gates': {
    type: 'command',
    about: 'A command that has to succeed before a release ships, as a text or a list of words; never through a shell',
  },
} as const;

/** The words of a command line, or a text that is split at its spaces. */
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

/** Type and meaning of a key. */
export const getConfigSpec = (key: ConfigKey): { type: string | readonly string[]; about: string } =>
  openGroups[findOpenGroup(key)!] ?? configKeys[key as FixedKey];

const findOpenGroup = (key: string): keyof typeof openGroups | undefined =>
  (Object.keys(openGroups) as (keyof typeof openGroups)[]).find(
    (group) => key.startsWith(`${group}.`) && openKeyPattern.test(key.slice(group.length + 1)),
  );

/** Databases and timers count in 32 bits. */
export const maxCount = 2_147_483_647;
export const namePattern = /^[a-z0-9_]{0,50}$/;
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
export const openKeyPattern = /^[A-Za-z0-9][\w-]{0,49}$/;

/** What is wrong with a value for a key, or undefined. */
export function checkConfigValue(key: ConfigKey, value: unknown): string | undefined {
  const { type } = getConfigSpec(key);
  if (type === 'count')
    return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount
      ? undefined
      : `must be a whole number from 0 to ${maxCount}`;
  if (type === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'text') return typeof value === 'string' ? undefined : 'must be a text';
  // It becomes part of the name of a database schema.
  if (type === 'name')
    return typeof value === 'string' && namePattern.test(value) ? undefined : 'must be at most 50 characters of a-z, 0-9 and _';
  if (type === 'list') return isStringList(value) ? undefined : 'must be a list of texts';
  if (type === 'slugs')
    return isStringList(value) && value.every((item) => slugPattern.test(item))
      ? undefined
      : 'must be a list of names, each of a-z, 0-9 and hyphens, at most 32 characters';
  if (type === 'command') return isCommand(value) ? undefined : 'must be a command: a text, or a list of words';
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

/** `{"hierarchy":{"maxSiblings":7}}` → `{"hierarchy.maxSiblings":7}`, with everything that is not a valid key and value. */
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
