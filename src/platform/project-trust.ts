import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { askPerson, commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { locatesStore } from '#core/model/config.ts';
import type { FolderEntry, TrustChange, TrustItem, TrustRecord, TrustSubject } from '#core/model/trust.ts';
import {
  describeUntrusted,
  findPolicyChanges,
  findUnacceptedProblems,
  findUntrusted,
  listFolderProblems,
  listPolicyGroups,
  listTrustedOwners,
  needsTrust,
  parseTrustRecord,
  policyGroups,
  selectPolicy,
  toDigestText,
} from '#core/rules/trust.ts';
import { defined } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { manifestNames } from '#runs/rules/construct/conventions.ts';
import { convertFileErrors, createFileCache, resolveLinks, writePrivate } from './files.ts';
import type { Platform, Project, ProjectTrust } from './port.ts';

/** Creates access to what this user has trusted: one file for each project in `$CLEO_HOME/trusted`. */
export function createProjectTrust(platform: Platform, env: Record<string, string | undefined>): ProjectTrust {
  const { home, config, files } = platform;
  const folder = join(home, 'trusted');
  const uids = listTrustedOwners(process.geteuid?.(), env.SUDO_UID);
  const digests = (env.CLEO_TRUST ?? '').split(',').filter(Boolean);
  let isAgent = false;

  const recordPaths = new Map<string, string>();
  const getRecordPath = (root: string): string => {
    const path = recordPaths.get(root) ?? join(folder, `${platform.sha256(root).slice(0, 32)}.json`);
    recordPaths.set(root, path);
    return path;
  };
  const readJson = createFileCache(parseJson);
  const readRecord = (root: string): TrustRecord | undefined => parseTrustRecord(readJson(getRecordPath(root)), root);

  const listSettings = (project: Project): TrustItem[] => {
    const file = config.projectFile(project);
    const { values } = config.inspect(file);
    // A colleague may have written those of the shared store. They start programs here, so this user has to trust them too.
    const shared = config.getShared(project);
    const settings = Object.entries({ ...values, ...shared }).filter(([key, value]) => needsTrust(key) && value !== '');
    // The key names the schema on the server, so it belongs to the address.
    if (values['store.url'] && values['project.key']) settings.push(['project.key', values['project.key']]);
    return settings.map(([name, value]) => ({ name, value, file: name in shared ? 'the store' : file, kind: 'setting' }));
  };

  const listItems: ProjectTrust['listItems'] = async (project, more = []) => {
    const runner = await platform.createRunner(project);
    const skills = await Promise.all((await runner.listSkills()).map(({ name, folder: path }) => runner.findSkill(name, path)));
    const programs = [
      ...skills.flatMap(({ folder: path, command, sha256 }) => (path !== undefined && command ? [{ path, sha256 }] : [])),
      ...manifestNames.filter((name) => runner.statFile(name)?.kind === 'file').map((path) => ({ path, sha256: runner.hashFile(path) })),
      ...more,
    ];
    const items = [...listSettings(project), ...listDetected(platform, project), ...programs.map((file) => toFileItem(project, file))];
    return [...new Map(items.map((item) => [`${item.kind} ${item.name}`, item])).values()];
  };

  const computeDigest = async (project: Project, more?: { path: string; sha256: string }[]): Promise<string> =>
    platform.sha256(toDigestText(await listItems(project, more), listProblems(project, uids)));

  /** True if CLEO_TRUST is the digest of the present content. The log records it. */
  const isTrustedByDigest = async (project: Project, more: { path: string; sha256: string }[] = []): Promise<boolean> => {
    if (digests.length === 0) return false;
    // A digest next to the mark of an agent is ignored: the agent could have computed it by itself. CLEO_AGENT_ID hides no mark, and is
    // none here: a job of CI can have a name.
    const { findMarks } = await import('#sessions/rules/agent-marks.ts');
    isAgent = findMarks(env, []).some(({ kind, name }) => kind === 'agent' && name !== 'CLEO_AGENT_ID');
    if (isAgent) return false;
    const digest = await computeDigest(project, more);
    if (!digests.includes(digest)) return false;
    platform.trustUse.digest = digest;
    return true;
  };

  const reject = (
    project: Project,
    problem: string,
    change: Partial<TrustChange> = {},
    { paths = [], digestProblem = 'is the digest of other content' }: { paths?: string[]; digestProblem?: string } = {},
  ): CleoError => {
    const { name, value, before, file } = change;
    const command = commandLine(['cleo', 'trust', ...paths]);
    return new CleoError('E_PROJECT_UNTRUSTED', {
      problem: `${problem}${digests.length > 0 && !isAgent ? `; CLEO_TRUST ${digestProblem}` : ''}`,
      root: project.root,
      fix: platform.identity.kind === 'person' ? command : askPerson(command),
      ...defined({ name, value, before, file }),
    });
  };

  const requireFolder = async (project: Project): Promise<void> => {
    const problems = listProblems(project, uids);
    if (problems.length === 0) return;
    const [problem] = findUnacceptedProblems(problems, readRecord(resolveRoot(project)));
    if (problem && !(await isTrustedByDigest(project))) throw reject(project, `The project in ${project.root} is not trusted: ${problem}`);
  };

  const requireItems = async (project: Project, items: TrustItem[], record: TrustRecord | undefined): Promise<void> => {
    const [change] = findUntrusted(items, record);
    if (!change) return;
    const programs = items.filter(({ kind }) => kind === 'file').map(({ name, value }) => ({ path: name, sha256: String(value) }));
    if (await isTrustedByDigest(project, programs)) return;
    const isDefault = programs.length === 0 || (await listItems(project)).some(({ name }) => name === change.name);
    throw reject(project, describeUntrusted(change), change, { paths: isDefault ? [] : [change.name] });
  };

  const update: ProjectTrust['update'] = async (project, change) => {
    const root = resolveRoot(project);
    const path = getRecordPath(root);
    convertFileErrors(folder, () => void mkdirSync(folder, { recursive: true, mode: 0o700 }));
    await files.withLock(path, () => {
      const owner = lstatSync(project.folder, { throwIfNoEntry: false })?.uid;
      const record: TrustRecord = {
        version: 1,
        path: root,
        folder: [],
        values: {},
        files: {},
        ...readRecord(root),
        trustedAt: platform.now(),
        trustedBy: platform.caller.agent,
        ...(uids && owner !== undefined ? { owner } : {}),
      };
      const text = `${JSON.stringify({ ...record, ...change(record) }, null, 2)}\n`;
      convertFileErrors(path, () => writePrivate(path, text));
    });
  };

  return {
    requireFolder,
    async requireStore(project, address) {
      await requireFolder(project);
      const own = config.inspect(config.projectFile(project)).values['store.url'];
      const loaded = config.load(project);
      const url = address ?? platform.databaseUrl ?? own;
      const engine = loaded['store.engine'];
      if (!(url || platform.serverUrl || loaded['store.url'] || loaded['server.url']) && (engine === 'postgres' || engine === 'server'))
        throw createMissingAddressError(config.projectFile(project), engine);
      const usesServer = address === undefined && platform.databaseUrl === undefined && platform.serverUrl === undefined;
      const items = listSettings(project).filter(
        ({ name }) =>
          (usesServer && locatesStore(name) && !name.startsWith('store.')) ||
          (name === 'store.listenUrl' && Boolean(url || loaded['store.url'])) ||
          (url === own && ['store.url', 'project.key'].includes(name)),
      );
      await requireItems(project, items, readRecord(resolveRoot(project)));
    },
    async requireTrusted(project, subject) {
      await requireFolder(project);
      await requireItems(project, toItems(project, subject, listSettings(project)), readRecord(resolveRoot(project)));
    },
    async requirePolicy(project, operation) {
      const file = config.projectFile(project);
      const { values } = config.inspect(file);
      const record = readRecord(resolveRoot(project));
      if (!record?.policy) {
        // The first call takes the settings as the clone brings them. A home that cannot be written only loses the comparison.
        try {
          await update(project, () => ({ policy: selectPolicy(values, policyGroups) }));
        } catch (error) {
          if (!(error instanceof CleoError)) throw error;
        }
        return;
      }
      const groups = listPolicyGroups(operation);
      const [change] = findPolicyChanges(selectPolicy(values, groups), selectPolicy(record.policy, groups), file);
      // CLEO_TRUST does not apply: its digest covers what a project runs or connects to, not these settings.
      if (change) throw reject(project, describeUntrusted(change), change, { digestProblem: 'does not cover this setting' });
    },
    listItems,
    listPolicyChanges(project) {
      const file = config.projectFile(project);
      const { policy } = readRecord(resolveRoot(project)) ?? {};
      return policy ? findPolicyChanges(selectPolicy(config.inspect(file).values, policyGroups), policy, file) : [];
    },
    listProblems: (project) => listProblems(project, uids),
    readRecord: (project) => readRecord(resolveRoot(project)),
    computeDigest,
    isTrustedByDigest,
    update,
    async trustAll(project, more) {
      const items = await listItems(project, more);
      const select = (kind: TrustItem['kind']) => items.filter((item) => item.kind === kind).map(({ name, value }) => [name, value]);
      await update(project, (record) => ({
        folder: listProblems(project, uids),
        values: Object.fromEntries(select('setting')),
        // Files that are not among the items stay trusted: they are named one by one.
        files: { ...record.files, ...(Object.fromEntries(select('file')) as Record<string, string>) },
        policy: selectPolicy(config.inspect(config.projectFile(project)).values, policyGroups),
      }));
    },
    async recordSettings(project, keys) {
      const { values } = config.inspect(config.projectFile(project));
      const settings = listSettings(project).filter(({ name }) => keys.includes(name));
      const policy = selectPolicy(values, policyGroups);
      await update(project, (record) => ({
        values: { ...omitKeys(record.values, keys), ...Object.fromEntries(settings.map(({ name, value }) => [name, value])) },
        // Only the written keys: another setting may have been changed by other means.
        policy: record.policy
          ? { ...omitKeys(record.policy, keys), ...Object.fromEntries(Object.entries(policy).filter(([key]) => keys.includes(key))) }
          : policy,
      }));
    },
    async recordDetected(project) {
      await update(project, (record) => ({
        values: { ...record.values, ...Object.fromEntries(listDetected(platform, project).map(({ name, value }) => [name, value])) },
      }));
    },
    list() {
      const names = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
      return names
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => parseTrustRecord(parseJson(files.readText(join(folder, name)))) ?? [])
        .sort((one, other) => (one.path < other.path ? -1 : 1));
    },
    remove(root) {
      const path = getRecordPath(root);
      const exists = files.exists(path);
      rmSync(path, { force: true });
      return exists;
    },
    resolveRoot,
  };
}

const omitKeys = (values: Record<string, unknown>, keys: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));

/** Returns the path of the project without links above it, so that a project has one record. */
function resolveRoot({ root }: Project): string {
  try {
    return resolveLinks(root);
  } catch {
    return root;
  }
}

function toItems(project: Project, subject: TrustSubject, settings: TrustItem[]): TrustItem[] {
  // A key that the project's file does not set comes from the user's own file.
  if ('keys' in subject) return settings.filter(({ name }) => subject.keys.includes(name));
  if ('files' in subject) return subject.files.map((file) => toFileItem(project, file));
  return [{ ...subject, kind: 'setting' }];
}

const toFileItem = ({ root }: Project, { path, sha256 }: { path: string; sha256: string }): TrustItem => ({
  name: path.replaceAll('\\', '/'),
  value: sha256,
  file: join(root, path),
  kind: 'file',
});

/** The command that `tool:test` runs if none is configured. A clone can bring the file. */
function listDetected({ files }: Platform, { folder }: Project): TrustItem[] {
  const file = join(folder, 'project-context.json');
  const context = parseJson(files.readText(file)) as { testing?: { command?: unknown; folder?: unknown } } | undefined;
  const { command, folder: place } = context?.testing ?? {};
  if (typeof command !== 'string') return [];
  return [{ name: 'project-context.testing', value: defined({ command, folder: place }), file, kind: 'setting' }];
}

function listProblems({ root, folder }: Project, uids: number[] | undefined): string[] {
  const hasModes = knowsModes(root);
  const problems: string[] = [];
  const check = (path: string): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    const isLink = stats.isSymbolicLink();
    const entry: FolderEntry = {
      name: relative(root, path).replaceAll('\\', '/'),
      uid: stats.uid,
      ...defined({ mode: hasModes ? stats.mode : undefined, link: isLink ? readlinkSync(path) : undefined }),
    };
    problems.push(...listFolderProblems(entry, uids));
    return !isLink;
  };
  try {
    // The entries behind a link are those of another folder.
    if (check(folder)) for (const name of readdirSync(folder)) check(join(folder, name));
  } catch {
    // Not readable: opening the store reports that.
  }
  return problems;
}

/** False for file systems that report the same mode for every file: 9P (WSL), FAT, exFAT, NTFS, FUSE, SMB and CIFS. */
function knowsModes(path: string): boolean {
  const withoutModes = [0x01021997, 0x4d44, 0x2011bab0, 0x5346544e, 0x65735546, 0xff534d42, 0xfe534d42, 0x517b, 0x53464846];
  try {
    return process.platform !== 'win32' && (process.platform !== 'linux' || !withoutModes.includes(statfsSync(path).type));
  } catch {
    return true;
  }
}

const createMissingAddressError = (path: string, engine: 'postgres' | 'server'): CleoError =>
  new CleoError('E_CONFIG_ERROR', {
    path,
    problem: `the store of this project is ${
      engine === 'server' ? 'behind a cleo server' : 'on PostgreSQL'
    } (store.engine), and no address is configured; set ${engine === 'server' ? 'CLEO_SERVER' : 'CLEO_DATABASE_URL'} to it`,
    fix: `cleo config get ${engine === 'server' ? 'server' : 'store'}.url`,
  });
