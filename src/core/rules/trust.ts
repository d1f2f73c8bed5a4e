import { isPlainObject } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import type { AcceptedFolder, FolderEntry, TrustChange, TrustItem, TrustRecord } from '../model/trust.ts';

/** Settings that make cleo connect to a server or run a program. A key that is added below one of these groups is covered. */
const trustedKeys = ['store.url', 'store.listenUrl', 'server.', 'verification.tools.', 'release.gates.', 'work.', 'profiles.'];

/** Commands that a prompt tells an agent to run. They need trust as well. */
export const promptCommandKeys = ['show', 'focus', 'complete', 'link'].map((name) => `orchestrate.${name}Command`);

const isBelow = (key: string, groups: string[]): boolean =>
  groups.some((group) => (group.endsWith('.') ? key.startsWith(group) : key === group));

/** True for a setting of a project that is obeyed only after the user has trusted it. */
export const needsTrust = (key: string): boolean => isBelow(key, trustedKeys) || promptCommandKeys.includes(key);

/** The settings that each group of operations obeys: operations by name, or all below a name that ends with a dot. They are taken as a
 *  clone brings them. If one of them changes later by other means than `config set`, these operations are rejected until a person trusts
 *  the change. Every write searches this list, and compiling a pattern for each group would take 0.7 % of a start. */
const policies: [operations: string[], keys: string[]][] = [
  [
    ['verify.', 'validator.', 'tasks.complete', 'tasks.criteria.check', 'tasks.import'],
    ['verification.', 'decide.'],
  ],
  [
    ['memory.confirm', 'memory.reject', 'memory.supersede', 'review.resolve', 'admin.token.'],
    ['decide.', 'verification.'],
  ],
  [
    ['tasks.start', 'tasks.claim-next', 'session.'],
    ['claims.', 'session.', 'agents'],
  ],
  [['orchestrate.'], ['orchestrate.', 'agents']],
  [['release.'], ['release.', 'verification.']],
  [['construct.run', 'skills.run', 'assess.'], ['assessment.']],
  [
    ['admin.backup.', 'admin.upgrade', 'admin.audit.'],
    ['backup.', 'store.', 'audit.'],
  ],
  [['nexus.'], ['project.']],
  // No operation: the server checks them when it starts.
  [['serve'], ['serve.']],
];

/** All groups of settings that are compared with their recorded values. */
export const policyGroups: string[] = [...new Set(policies.flatMap(([, keys]) => keys))];

/** Returns the groups of settings that an operation obeys. */
export const listPolicyGroups = (operation: string): string[] => [
  ...new Set(policies.flatMap(([operations, keys]) => (isBelow(operation, operations) ? keys : []))),
];

/** True for a setting that is recorded when a person writes it. */
export const isRecorded = (key: string): boolean => needsTrust(key) || isBelow(key, policyGroups);

/** Selects the settings of these groups that need no trust by themselves. */
export const selectPolicy = (values: Record<string, unknown>, groups: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => isBelow(key, groups) && !needsTrust(key)));

/** Compares settings with those that were recorded. A setting that was removed counts as changed. */
export function findPolicyChanges(now: Record<string, unknown>, recorded: Record<string, unknown>, file: string): TrustChange[] {
  return [...new Set([...Object.keys(now), ...Object.keys(recorded)])]
    .filter((name) => !isSame(now[name], recorded[name]))
    .map((name) => ({
      name,
      value: now[name],
      file,
      kind: 'setting',
      state: 'changed',
      ...(name in recorded ? { before: recorded[name] } : {}),
    }));
}

/** Returns the items that the user has not trusted, or not with this value. */
export function findUntrusted(items: TrustItem[], record: TrustRecord | undefined): TrustChange[] {
  return items.flatMap((item): TrustChange[] => {
    const known = item.kind === 'file' ? record?.files : record?.values;
    if (!known || !Object.hasOwn(known, item.name)) return [{ ...item, state: 'new' }];
    return isSame(known[item.name], item.value) ? [] : [{ ...item, state: 'changed', before: known[item.name] }];
  });
}

const isSame = (one: unknown, other: unknown): boolean => toCanonicalJson(one) === toCanonicalJson(other);

/** The text whose SHA-256 is the digest for CLEO_TRUST. It has no path, so that it is the same in every checkout. */
export const toDigestText = (items: TrustItem[], folder: string[]): string =>
  toCanonicalJson({
    version: 1,
    folder: [...folder].sort(),
    items: Object.fromEntries(items.map(({ name, value, kind }) => [`${kind} ${name}`, value])),
  });

/** Returns why an entry of `.cleo` cannot be obeyed, one text for each reason. An accepted reason is stored as this text, so that another
 *  owner or target has to be trusted again. `uids` are the owners that the caller trusts: itself, root and, for root, the user of sudo.
 *  Without them the system has no owners. */
export function listFolderProblems({ name, link, uid, mode }: FolderEntry, uids: number[] | undefined): string[] {
  if (link !== undefined) return [`${name} is a link to ${link}`];
  if (!uids) return [];
  return [
    ...(uids.includes(uid) ? [] : [`${name} belongs to user ${uid}`]),
    ...(mode !== undefined && (mode & 0o002) !== 0 ? [`${name} can be written by every user`] : []),
  ];
}

/** Returns the owners whose files a caller obeys. */
export function listTrustedOwners(uid: number | undefined, sudoUid: string | undefined): number[] | undefined {
  if (uid === undefined) return undefined;
  const isSudo = uid === 0 && sudoUid !== undefined && /^\d{1,10}$/.test(sudoUid);
  return [uid, 0, ...(isSudo ? [Number(sudoUid)] : [])];
}

/** Returns the problems that the user has not accepted for this path. */
export const findUnacceptedProblems = (problems: string[], accepted: AcceptedFolder | undefined): string[] =>
  problems.filter((problem) => !accepted?.folder.includes(problem));

/** Returns the record of a project, or undefined if the file is damaged or belongs to another path. */
export function parseTrustRecord(value: unknown, path?: string): TrustRecord | undefined {
  if (!isPlainObject(value)) return undefined;
  const { folder, values, files, policy } = value as Partial<TrustRecord>;
  const isRecord = value.version === 1 && typeof value.path === 'string' && (path === undefined || value.path === path);
  const isComplete = Array.isArray(folder) && isPlainObject(values) && isPlainObject(files);
  return isRecord && isComplete && (policy === undefined || isPlainObject(policy)) ? (value as unknown as TrustRecord) : undefined;
}

const maxShownLength = 160;

/** Formats a value for a message. It comes from a file that is not trusted, so it is one short line without control characters. */
export function formatTrustValue(value: unknown, maxLength = maxShownLength): string {
  if (value === undefined) return 'no value';
  const text = JSON.stringify(value);
  const clean = text.replace(/[^\x20-\x7e\u00a1-\u024f]/g, '?');
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

/** Says what is not trusted, with its value and file. */
export function describeUntrusted({ name, value, before, file, state, kind }: TrustChange): string {
  if (kind === 'file') return `${file} ${state === 'new' ? 'is a program that is not trusted' : 'has changed since it was trusted'}`;
  return state === 'changed'
    ? `${name} in ${file} has changed since it was trusted: ${formatTrustValue(before)} became ${formatTrustValue(value)}`
    : `${name} in ${file} is not trusted: ${formatTrustValue(value)}`;
}
