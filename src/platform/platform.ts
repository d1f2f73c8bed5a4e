import { resolve } from 'node:path';
import { formatIsoTime } from '#lib/iso-time.ts';
import { identifyByEnvironment } from '#sessions/rules/caller.ts';
import { backups } from './backups/backups.ts';
import { files } from './files.ts';
import type { Platform, Project, ProjectTrust } from './port.ts';
import { createConfigFiles, findProject, isSuspectFolder, locateNewProject } from './project.ts';

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
