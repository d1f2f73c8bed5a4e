import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CleoError } from '#core/errors/error.ts';
import { type Config, defaultConfig, flattenConfig, omitProjectPolicy } from '#core/model/config.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatIsoTime } from '#lib/iso-time.ts';
import { checkJson, stripBom } from '#lib/parse-json.ts';
import { identifyByEnvironment } from '#sessions/rules/caller.ts';
import { backups } from './backups/backups.ts';
import { createFileCache, files } from './files.ts';
import type { ConfigFiles, Platform, Project, ProjectTrust } from './port.ts';

/** Creates the platform of this process: its environment, files, programs and clock. */
export function createPlatform(env: Record<string, string | undefined>, folder: string, version: string): Platform {
  const home = env.CLEO_HOME ? resolve(env.CLEO_HOME) : resolve(env.HOME || env.USERPROFILE || readHome(), '.cleo');
  let project: Project | undefined;
  let trust: ProjectTrust | undefined;
  const { build, runtime } = describeRuntime(process.versions);
  const databaseUrl = env.CLEO_DATABASE_URL || undefined;
  const serverUrl = env.CLEO_SERVER || undefined;
  const identity = identifyByEnvironment(env, () => readLogin(env));
  const loadSkills: Platform['skills']['load'] = async (project) => (await import('./skills.ts')).loadSkills(project, home);
  const platform: Platform = {
    now: () => formatIsoTime(Date.now()),
    monotonicMs,
    version,
    build,
    runtime,
    folder,
    root: env.CLEO_ROOT || undefined,
    home,
    getProject() {
      project ??= findProject(folder, env.CLEO_ROOT, home);
      return project;
    },
    locateNewProject: () => locateNewProject(folder, env.CLEO_ROOT, home),
    files,
    config: createConfigFiles(home, { serverUrl, databaseUrl }),
    backups,
    skills: {
      load: loadSkills,
      loadOfStore: loadSkills,
      readBundled: async (name) => (await import('./skills.ts')).readBundledSkill(name),
    },
    runProgram: async (words, options) => (await import('./process.ts')).runProgram(env, words, options),
    loadGit: async () => (await import('./git.ts')).createGit(env),
    loadPlanFiles: async () => (await import('./plan-files.ts')).planFiles,
    connectGithub: async () => (await import('./github.ts')).createGithubConnection(env, platform),
    loadSigning: async () => (await import('./signing/audit-key.ts')).createSigning(env, home),
    createRunner: async (project) => (await import('./runner/runner-platform.ts')).createRunnerPlatform(platform, project, env),
    loadRecordFiles: () => import('./records/record-files.ts'),
    findWorkingTree: async (project) => (await import('./tree.ts')).findWorkingTree(folder, project),
    findFile: async (project, tree, path, from = folder) => (await import('./tree.ts')).findFileInTree(tree, from, project, path),
    readHead: async () => (await import('./tree.ts')).readHead(folder),
    atFolder: async (other) => (await import('./tree.ts')).createFolderAccess(other),
    async requireFolder(project) {
      if (isSuspectFolder(project.folder)) await (await platform.loadTrust()).requireFolder(project);
    },
    trustUse: {},
    async loadTrust() {
      trust ??= (await import('./project-trust.ts')).createProjectTrust(platform, env);
      return trust;
    },
    databaseUrl,
    serverUrl,
    connectServer: async (address) => (await import('./server-connection.ts')).connectServer(address),
    describeAddress: async (url) => (await import('./store-address.ts')).describeAddress(platform, env, url),
    token: env.CLEO_TOKEN || undefined,
    caller: { agent: identity.agent, ...(env.CLEO_SESSION_ID ? { session: env.CLEO_SESSION_ID } : {}) },
    identity,
    getLogin: () => readLogin(env),
    validatorSecret: env.CLEO_VALIDATOR_SECRET || undefined,
    loadProcesses: () => import('./processes.ts'),
    loadTerminal: async () => (await import('./terminal.ts')).createPersonTerminal(env),
    loadRevokedTokens: async () => (await import('./revoked-tokens.ts')).openRevokedTokens(home),
    loadPassphrase: async () => (await import('./passphrase.ts')).createPassphrase(home),
    loadSshSignatures: async () => (await import('./signing/ssh-signature.ts')).createSshSignatures(env),
    grade: { isEnabled: env.CLEO_SESSION_GRADE === 'true', id: env.CLEO_SESSION_GRADE_ID || undefined },
    exportSession(session, isGraded) {
      env.CLEO_SESSION_ID = session;
      if (isGraded) Object.assign(env, { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: session });
    },
    sha256: (text) => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex'),
    randomSecret: () => process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url'),
    isSameSecret(a, b) {
      const [one, other] = [Buffer.from(a), Buffer.from(b)];
      return one.length === other.length && process.getBuiltinModule('node:crypto').timingSafeEqual(one, other);
    },
    randomHex,
  };
  return platform;
}

/** The native build runs in Bun, which reports the version of Node that it is compatible with. */
const describeRuntime = ({ bun, node }: NodeJS.ProcessVersions): Pick<Platform, 'build' | 'runtime'> =>
  bun ? { build: 'native', runtime: `bun ${bun}` } : { build: 'node', runtime: `node ${node}` };

/** Returns the home folder of the user. With an empty HOME, `os.homedir` would return an empty path, and the folder of the user would be
 *  that of the project. */
function readHome(): string {
  try {
    return process.getBuiltinModule('node:os').userInfo().homedir || '/';
  } catch {
    // Containers can run as a user without a name.
    return '/';
  }
}

/** Returns the login name. Containers can run as a user without a name. */
function readLogin(env: Record<string, string | undefined>): string | undefined {
  try {
    return env.LOGNAME || env.USER || env.USERNAME || readPasswdName() || process.getBuiltinModule('node:os').userInfo().username;
  } catch {
    return undefined;
  }
}

/** Finds the user in the file where Linux lists local users. Containers often set no variable with the login name, and loading `node:os`
 *  for it would take 2 % of a start. */
function readPasswdName(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const text = `\n${files.readText('/etc/passwd') ?? ''}`;
  const uid = `:${process.geteuid?.()}:`;
  // A line has the name, the password and the number of the user, then that of the group.
  for (let at = text.indexOf(uid); at >= 0; at = text.indexOf(uid, at + 1)) {
    const fields = text.slice(text.lastIndexOf('\n', at) + 1, at).split(':');
    if (fields.length === 2) return fields[0];
  }
  return undefined;
}

/** Takes up to 12 digits from each random number, which has 52 random bits. */
const randomHex = (length: number): string =>
  length > 12
    ? randomHex(12) + randomHex(length - 12)
    : Math.floor(Math.random() * 16 ** length)
        .toString(16)
        .padStart(length, '0');

/** Reads a clock that is never adjusted. Loading `performance` would slow down the start. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Finds the project: `CLEO_ROOT`, otherwise the nearest parent folder with `.cleo`. In a linked worktree it is the project of
 *  the main worktree, so that all worktrees of a repository share a store. */
export function findProject(folder: string, root: string | undefined, home: string): Project | undefined {
  if (root) return getProjectAt(resolve(folder, root), home);
  for (let current = resolve(folder); ; current = dirname(current)) {
    const project = findMainProject(current, home) ?? getProjectAt(current, home);
    if (project || dirname(current) === current) return project;
  }
}

/** Returns the folder where `init` creates a project, or the existing project. Searches parent folders up to the top of the
 *  repository, because a second store below an existing one would silently split the tasks. */
export function locateNewProject(folder: string, root: string | undefined, home: string): Project {
  if (root) return toProject(resolve(folder, root));
  const start = resolve(folder);
  for (let current = start; ; current = dirname(current)) {
    const main = findMainWorktree(current);
    const project = getProjectAt(main ?? current, home) ?? getProjectAt(current, home);
    if (project) return project;
    if (main) return toProject(main);
    if (existsSync(join(current, '.git')) || dirname(current) === current) return toProject(start);
  }
}

const toProject = (root: string): Project => ({ root, folder: resolve(root, '.cleo') });

/** Excludes the user's cleo folder, which is also called `.cleo`. */
function getProjectAt(root: string, home: string): Project | undefined {
  const { folder } = toProject(root);
  return files.isFolder(folder) && !files.isSameFile(folder, home) ? toProject(root) : undefined;
}

/** A linked worktree checks out the committed files of `.cleo`. It has a store of its own only if there is a database. */
function findMainProject(folder: string, home: string): Project | undefined {
  const main = findMainWorktree(folder);
  return main && !existsSync(join(folder, '.cleo', 'cleo.db')) ? getProjectAt(main, home) : undefined;
}

/** Reads the file `.git` of a linked worktree, which points to `.git/worktrees/<name>` of the main worktree. A bare
 *  repository has no main worktree. */
function findMainWorktree(folder: string): string | undefined {
  const git = resolve(folder, '.git');
  if (!statSync(git, { throwIfNoEntry: false })?.isFile()) return undefined;
  const gitdir = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  if (!gitdir) return undefined;
  // Git keeps the folder of a worktree in that of its repository. A file that somebody else packed could name any other repository.
  const own = resolve(folder, gitdir.trim());
  const repository = dirname(dirname(own));
  const isWorktree = basename(dirname(own)) === 'worktrees' && existsSync(join(own, 'commondir'));
  return isWorktree && basename(repository) === '.git' ? dirname(repository) : undefined;
}

/** True if `.cleo` or a file in it is a link, belongs to another user, or can be written by every user. Every call that opens the store
 *  pays for this, so it only decides whether `project-trust.ts` has to look closer. */
export function isSuspectFolder(folder: string): boolean {
  const uid = process.geteuid?.();
  const isSuspect = (path: string, isOwn: boolean): boolean => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return false;
    if (stats.isSymbolicLink()) return true;
    return isOwn && uid !== undefined && ((stats.uid !== uid && stats.uid !== 0) || (stats.mode & 0o002) !== 0);
  };
  try {
    if (isSuspect(folder, true)) return true;
    // Names only: with the types of the entries, Node takes longer than for these few `lstat` calls.
    for (const name of readdirSync(folder)) if (isSuspect(`${folder}/${name}`, name === 'config.json' || name === 'cleo.db')) return true;
    return false;
  } catch {
    // The folder is missing or not readable; opening the store reports that.
    return false;
  }
}

/** Addresses in the environment, which have priority over those of files. */
interface StoreAddresses {
  serverUrl?: string | undefined;
  databaseUrl?: string | undefined;
}

export function createConfigFiles(home: string, { serverUrl, databaseUrl }: StoreAddresses = {}): ConfigFiles {
  // Not `join`: Node compiles it at the first call, but `resolve` has been used before. A start takes 0.3 % longer with both.
  const userFile = resolve(home, 'config.json');
  const projectFile = (project: Project): string => resolve(project.folder, 'config.json');
  const readContent = createFileCache((text): ConfigContent => {
    const { tree, problem } = parseConfig(text);
    return { problem, ...(tree === undefined ? { values: {}, problems: [] } : flattenConfig(tree)) };
  });
  const readValid = (path: string, scope: string): Partial<Config> => {
    const { values, problems, problem } = readContent(path);
    if (problem) throw createConfigError(path, problem);
    const [first] = problems;
    if (!first) return values;
    const fix = first.key && !/[^\w.$-]/.test(first.key) ? `cleo config unset ${first.key}${scope}` : 'cleo doctor --fix';
    throw new CleoError('E_CONFIG_ERROR', {
      path,
      problem: `${first.key} ${first.problem}`.trim(),
      fix,
      valid: Object.keys(defaultConfig),
    });
  };
  const shared = new Map<string, Partial<Config>>();
  const usesServer = (project: Project | undefined): boolean => {
    if (!project || serverUrl !== undefined) return project !== undefined;
    // An address of the database is for those who open the store themselves.
    if (databaseUrl !== undefined) return false;
    const { values } = readContent(projectFile(project));
    return Boolean(values['server.url']) || values['store.engine'] === 'server';
  };
  return {
    projectFile,
    userFile: () => userFile,
    usesServer,
    load(project) {
      const ofUser = omitProjectPolicy(readValid(userFile, ' --user'), usesServer(project));
      return addDefaults(project ? [ofUser, readValid(projectFile(project), ''), shared.get(project.folder)] : [ofUser]);
    },
    getShared: ({ folder }) => shared.get(folder) ?? {},
    setShared: ({ folder }, values) => void shared.set(folder, values),
    inspect(path) {
      const { values, problems, problem } = readContent(path);
      return problem ? { values: {}, problems: [{ key: '', problem }] } : { values: { ...values }, problems };
    },
    set: (path, key, value) =>
      files.withLock(path, () => {
        const { tree = {}, problem } = parseConfig(files.readText(path));
        if (problem) throw createConfigError(path, problem);
        if (!isPlainObject(tree)) throw createConfigError(path, 'must be a JSON object');
        if (value === undefined) removeKey(tree as ConfigTree, key);
        else setKey(tree as ConfigTree, key.split('.'), value);
        files.writeAtomic(path, `${JSON.stringify(tree, null, 2)}\n`, true);
      }),
  };
}

/** Most projects change no setting. Their configuration is the default one itself, because a start takes 0.3 % longer for each copy. */
function addDefaults(settings: (Partial<Config> | undefined)[]): Config {
  for (const values of settings) for (const _ in values) return Object.assign({}, defaultConfig, ...settings);
  return defaultConfig;
}

const createConfigError = (path: string, problem: string): CleoError =>
  new CleoError('E_CONFIG_ERROR', { path, problem, fix: 'cleo doctor --fix' });

interface ConfigContent extends ReturnType<typeof flattenConfig> {
  problem: string | undefined;
}

/** Returns no tree if the file is missing or is not JSON. */
function parseConfig(text: string | undefined): { tree?: unknown; problem?: string } {
  if (text === undefined) return {};
  const parsed = checkJson(stripBom(text));
  return 'value' in parsed ? { tree: parsed.value } : { problem: `is not valid JSON (${parsed.problem})` };
}

type ConfigTree = Record<string, unknown>;

/** Sets a nested key. Replaces a value on the way that is not an object, because it is not valid there. */
function setKey(node: ConfigTree, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    node[name] = value;
    return;
  }
  const inner = isPlainObject(node[name]) ? node[name] : {};
  node[name] = inner;
  setKey(inner, rest, value);
}

/** Removes a key as `flattenConfig` names it, and the objects that become empty. A name may contain dots. */
function removeKey(node: ConfigTree, key: string): void {
  if (Object.hasOwn(node, key)) {
    delete node[key];
    return;
  }
  for (const [name, inner] of Object.entries(node)) {
    if (!key.startsWith(`${name}.`) || !isPlainObject(inner)) continue;
    removeKey(inner, key.slice(name.length + 1));
    if (Object.keys(inner).length === 0) delete node[name];
  }
}
