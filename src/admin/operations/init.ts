import { join } from 'node:path';
import { array, boolean, description, metadata, optional, picklist, pipe, regex, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatProjectSchema } from '#core/model/config-schema.ts';
import { FilePath } from '#core/model/texts.ts';
import { isLoopbackHost, listServers, parsePostgresAddress } from '#core/rules/postgres-address.ts';
import { ProjectContextSchema } from '#detect/model/project-context.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { slugify } from '#lib/slug.ts';
import type { Platform, Project } from '#platform/port.ts';
import type { StoreAdmin } from '#store/port/store.ts';
import { formatGitignore } from '../rules/local-files.ts';
import { type ClientName, clientNames } from '../rules/setup-clients.ts';
import { checkStoreAddress } from '../rules/store-address.ts';
import { listSteps, StepSchema } from './shared/client-checks.ts';
import { detectStore } from './shared/detect-store.ts';
import { recordLocalFacts } from './shared/local-facts.ts';
import { updateProtocolTemplate } from './shared/protocol-template.ts';
import { type FileChange, inspectClients, setUpClients } from './shared/setup-files.ts';

export const adminInit = job({
  name: 'admin.init',
  summary: 'Create a project in this folder',
  params: strictObject({
    store: optional(
      pipe(
        string(),
        description('PostgreSQL address of a shared store; the default is a file in .cleo'),
        metadata({ value: 'postgres://…', isRare: true }),
      ),
    ),
    server: optional(
      pipe(
        string(),
        description('Address of a cleo server in front of the store; each caller needs a token in CLEO_TOKEN'),
        metadata({ value: 'https://…', isRare: true }),
      ),
    ),
    project: optional(
      pipe(
        string(),
        regex(/^[a-z0-9_]{1,50}$/, 'must be at most 50 characters of a-z, 0-9 and _'),
        description('Key of the project on that server, as whoami reports it'),
        metadata({ value: 'KEY', isRare: true }),
      ),
    ),
    adminTokenFile: optional(
      pipe(
        FilePath,
        description('Also create the first token of the store, of scope admin, and write it to this new file'),
        metadata({ value: 'FILE', isRare: true }),
      ),
    ),
    setup: optional(
      pipe(
        array(picklist([...clientNames, 'all'])),
        description('Also set up these agent clients, as cleo setup does; all: every client that is found'),
        metadata({ isRare: true }),
      ),
    ),
    detect: optional(
      pipe(
        boolean(),
        description('Also detect languages, tools and tests, and write .cleo/project-context.json for agents'),
        metadata({ isRare: true }),
      ),
    ),
  }),
  result: strictObject({
    project: strictObject({ root: string(), store: picklist(['sqlite', 'postgres', 'server']), created: boolean() }),
    /** The first token of the store. Its secret is in the file. */
    adminToken: optional(strictObject({ name: string(), file: string(), expiresAt: optional(string()) })),
    files: optional(array(strictObject({ file: string(), change: picklist(['created', 'updated', 'deleted']) }))),
    /** Content of .cleo/project-context.json. */
    detected: optional(ProjectContextSchema),
    /** Commands that set up the agent clients that are found and not set up yet, and for a person the tests. */
    offers: optional(array(string())),
    steps: optional(array(StepSchema)),
    plan: optional(pipe(string(), description('How the plan reaches other clones'))),
  }),
  errors: [
    'E_FILE_ERROR',
    'E_ID_COLLISION',
    'E_INVALID_INPUT',
    'E_STORE_DAMAGED',
    'E_STORE_UNREACHABLE',
    'E_VALIDATION',
    'E_CONFIG_ERROR',
    'E_STORE_OLDER',
    'E_STORE_NEWER',
    'E_LOCK_TIMEOUT',
  ],
  tier: 0,
  usesHost: true,
  scope: { scope: 'admin', when: 'for a store on another machine, and for the first token of a store that exists', isNeeded: () => false },
  cli: { command: 'init', view: async () => (await import('#detect/view.ts')).detectView },
  needs: 'nothing',
  example: { call: {}, exit: 101 },
  async run(ctx, { store: address, server: serverUrl, project: key, adminTokenFile, setup, detect }) {
    const { platform, registry } = ctx;
    const project = platform.locateNewProject();
    await platform.requireFolder(project);
    const isOwn = !platform.files.exists(platform.config.projectFile(project));
    if (adminTokenFile !== undefined && serverUrl !== undefined)
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'The first token is created where the store is, not by a client of its server',
        fix: 'cleo help init',
      });
    const server = await chooseServer(ctx, project, { server: serverUrl, project: key, store: address });
    const created = server?.isNew ?? (await createStore(ctx, project, address));
    const warnings = await updateProtocolTemplate(platform, registry);
    const names = setup ? await resolveClients(platform, project, setup) : [];
    const setupResult = setup && (await setUpClients(platform, project, names, {}));
    const steps = names.length > 0 ? await listSteps(platform, project, names) : [];
    const detection = detect ? await (await import('./shared/project-context-file.ts')).writeProjectContext(platform, project) : undefined;
    warnings.push(...(await recordWrites(platform, project, { isOwn, address, hasDetected: detection !== undefined, keys: server?.keys })));
    // The address of the store is trusted now.
    const firstToken =
      adminTokenFile === undefined ? undefined : await createAdminToken(ctx, { file: adminTokenFile, isNewStore: created });
    const changes = [...(setupResult?.changes ?? []), ...(detection?.changes ?? [])];
    const files = setupResult || detection ? changes.map(({ file, change }): Omit<FileChange, 'adds'> => ({ file, change })) : undefined;
    const offers = [...(setup ? [] : await listOffers(platform, project)), ...(await offerTestTool(platform, project))];
    const plan = await (await import('#transfer/operations/shared/plan-travel.ts')).describePlanTravel(platform, project);
    const store = detectStore({ platform, config: platform.config.load(project) }) ?? ('sqlite' as const);
    return answer(
      {
        project: { root: project.root, store, created },
        ...defined({ adminToken: firstToken, files, detected: detection?.context }),
        ...omitEmpty({ offers, steps }),
        ...defined({ plan }),
      },
      {
        warnings: [...warnings, ...(setupResult?.warnings ?? [])],
        ...(created || firstToken || files?.length ? {} : { exit: 101 as const }),
      },
    );
  },
});

/** Creates the first token of the store, unless the same command has done it before. */
async function createAdminToken(ctx: JobContext, request: { file: string; isNewStore: boolean }) {
  const { createFirstToken, hasFirstToken, requireFirstTokenScope } = await import('./shared/first-token.ts');
  if (await hasFirstToken(ctx, request)) return undefined;
  await requireFirstTokenScope(ctx, request);
  return createFirstToken(ctx, request);
}

/** Writes the server that the call names; undefined if it names none. */
async function chooseServer(
  ctx: JobContext,
  project: Project,
  given: { server?: string | undefined; project?: string | undefined; store?: string | undefined },
): Promise<{ isNew: boolean; keys: readonly string[] } | undefined> {
  if (given.server === undefined && given.project === undefined) return undefined;
  const { checkNoOwnStore, readServerChoice, serverKeys, writeServerChoice } = await import('./shared/init-server.ts');
  const choice = readServerChoice(ctx, given);
  if (!choice) return undefined;
  checkNotHome(ctx.platform, project);
  checkNoOwnStore(ctx, project, choice);
  await writeProjectFiles(ctx.platform, project);
  return { isNew: await writeServerChoice(ctx, project, choice), keys: serverKeys };
}

/** Creates the store unless it exists. Returns true if it was created. */
async function createStore(ctx: JobContext, project: Project, address: string | undefined): Promise<boolean> {
  const { platform, now, storeAdmin, commandWith } = ctx;
  checkNotHome(platform, project);
  if (address !== undefined) checkStoreAddress(address, 'store', (clean) => commandWith({ store: clean }));
  const hasFolder = platform.files.isFolder(project.folder);
  if (hasFolder) checkSameStore(platform, project, address);
  if (address !== undefined) await requireServerScope(ctx, address);
  if (hasFolder && address === undefined && (await hasWorkingStore(storeAdmin, project))) return false;
  await writeProjectFiles(platform, project);
  if (hasFolder && address !== undefined && address === platform.config.load(project)['store.url'])
    await (await platform.loadTrust()).recordSettings(project, ['store.url', 'project.key']);
  const admin = await storeAdmin(project, address);
  const isBuilt = hasFolder && address === undefined && (await buildFromPlan(ctx, project, admin));
  if (isBuilt) return true;
  const isNew = await admin.create(now);
  if (isNew) await recordNewStore(admin, platform, project);
  const { config } = platform;
  // A clone without the address must not become a project of its own.
  if (admin.kind === 'postgres' && config.load(project)['store.engine'] === '')
    await config.set(config.projectFile(project), 'store.engine', admin.kind);
  if (address !== undefined && config.load(project)['store.url'] !== address)
    await config.set(config.projectFile(project), 'store.url', address);
  return isNew;
}

/** Builds the store of a fresh clone from its plan files: an empty store would begin again at T001. */
async function buildFromPlan(
  { platform, now, caller, gateway, config }: JobContext,
  project: Project,
  admin: StoreAdmin,
): Promise<boolean> {
  if (admin.kind !== 'sqlite') return false;
  const { buildStore, hasLocalFacts, hasPlanFiles } = await import('#transfer/operations/shared/build-store.ts');
  if (!(await hasPlanFiles(platform, project))) return false;
  if (hasLocalFacts(platform, project))
    throw new CleoError('E_STORE_DAMAGED', {
      path: join(project.folder, 'cleo.db'),
      problem: 'the database is missing',
      missing: true,
      hasPlan: true,
    });
  return (await buildStore({ platform, project, admin, config: config(), now, caller, gateway })) !== undefined;
}

/** Requires a person for a server that the user has not configured: connecting to it sends the password of the user there. */
async function requireServerScope({ platform, requireScope }: JobContext, address: string): Promise<void> {
  const { isOwnAddress, environment } = await platform.describeAddress(address);
  const parsed = parsePostgresAddress(address);
  if (isOwnAddress || !('address' in parsed)) return;
  const hosts = listServers(parsed.address, environment).map(({ host }) => host);
  const subject = hosts.join(',');
  if (!hosts.every(isLoopbackHost)) requireScope('admin', { subject, action: `Storing the project on ${subject}` });
}

/** Stores the id of the new store outside of it, so that a database of another project is noticed. */
async function recordNewStore(admin: StoreAdmin, platform: Platform, project: Project): Promise<void> {
  const store = await admin.open('read');
  try {
    await store.read((reads) => recordLocalFacts(platform, project, reads));
  } finally {
    await store.close();
  }
}

/** Trusts what init wrote. In a folder that had a configuration, as in a clone, that is only what the caller named. */
async function recordWrites(
  platform: Platform,
  project: Project,
  {
    isOwn,
    address,
    hasDetected,
    keys: written = address === undefined ? [] : ['store.url', 'project.key'],
  }: { isOwn: boolean; address: string | undefined; hasDetected: boolean; keys?: readonly string[] | undefined },
): Promise<string[]> {
  if (!isOwn && written.length === 0 && !hasDetected) return [];
  const trust = await platform.loadTrust();
  const keys = isOwn ? Object.keys(platform.config.inspect(platform.config.projectFile(project)).values) : [];
  try {
    await trust.recordSettings(project, [...keys, ...written]);
    if (isOwn && hasDetected) await trust.recordDetected(project);
    return [];
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    // Without a home folder the project works, as long as nothing in it needs trust.
    return written.length === 0 && !hasDetected ? [] : [`what init wrote is not trusted yet: ${error.message}`];
  }
}

const resolveClients = async (platform: Platform, project: Project, setup: (ClientName | 'all')[]): Promise<ClientName[]> => {
  const detection = setup.includes('all') ? (await inspectClients(platform, project)).filter(({ isFound }) => isFound) : [];
  return [...new Set([...detection.map(({ client }) => client.name), ...setup.filter((name) => name !== 'all')])];
};

/** Commands that `init` only suggests, because they change files that the project shares with others. */
async function listOffers(platform: Platform, project: Project): Promise<string[]> {
  const clients = await inspectClients(platform, project);
  const pending = clients.filter(({ isFound, parts }) => isFound && !parts.includes('mcp'));
  if (pending.length > 0) return pending.map(({ client }) => `cleo setup ${client.name}`);
  return clients.some(({ parts }) => parts.includes('mcp')) ? [] : ['cleo setup'];
}

/** Offers a person to configure the tests that were found, because `testsPassed` needs a tool and agents may not configure one. */
async function offerTestTool({ config, loadTerminal }: Platform, project: Project): Promise<string[]> {
  const { name, marks } = await loadTerminal();
  if (name === undefined || marks.length > 0 || Object.keys(config.load(project)).some((key) => key.startsWith('verification.tools.')))
    return [];
  const { suggestTestTool } = await import('#detect/operations/shared/suggest-test-tool.ts');
  const { configure, test } = await suggestTestTool(project.root);
  return test ? [configure] : [];
}

function checkNotHome({ files, home }: Platform, { folder }: Project): void {
  if (folder !== home && !files.isSameFile(folder, home)) return;
  throw new CleoError('E_FILE_ERROR', {
    path: folder,
    problem: "is the user's home folder; a project needs its own folder",
    fix: 'mkdir -p project && cd project && cleo init',
    manual: 'Create a folder for the project and run cleo init there',
  });
}

/** Rejects a second store: naming another one does not move the data of the current one. */
function checkSameStore({ config, files, databaseUrl }: Platform, project: Project, address: string | undefined): void {
  if (address === undefined) return;
  const known = databaseUrl ?? config.load(project)['store.url'];
  if (known === address || (known === '' && !files.exists(join(project.folder, 'cleo.db')))) return;
  const problem = databaseUrl
    ? 'differs from CLEO_DATABASE_URL, which has priority'
    : `differs from the store of this project${known ? '' : ', which is a file in .cleo'}`;
  throw new CleoError('E_VALIDATION', { field: 'store', problem, fix: 'cleo config get store.url' });
}

/** True if the store can be read, false if it is missing. A missing store with a backup was lost and is an error. */
async function hasWorkingStore(storeAdmin: JobContext['storeAdmin'], project: Project): Promise<boolean> {
  const admin = await storeAdmin(project).catch((error: unknown) => {
    if (!isBehindServer(error)) throw error;
  });
  if (!admin) return true;
  const store = await admin.open('read').catch(rethrowUnlessMissing);
  if (!store) return false;
  try {
    await store.read((reader) => reader.audit.getHead());
    return true;
  } catch (error) {
    rethrowUnlessMissing(error);
    return false;
  } finally {
    await store.close();
  }
}

/** True for a store behind a cleo server, which exists without this folder. */
const isBehindServer = (error: unknown): boolean => error instanceof CleoError && error.row === 'E_STORE_BEHIND_SERVER';

function rethrowUnlessMissing(error: unknown): undefined {
  const isMissing = error instanceof CleoError && error.row === 'E_STORE_DAMAGED' && error.details.missing && !error.details.backup;
  if (!isMissing) throw error;
}

/** Writes all project files except the store. Existing files, as in a clone, are kept. */
async function writeProjectFiles({ files, config, randomHex, root }: Platform, project: Project): Promise<void> {
  if (root !== undefined && files.exists(root) && !files.isFolder(root))
    throw new CleoError('E_FILE_ERROR', {
      path: root,
      problem: 'is a file; CLEO_ROOT must name a folder',
      fix: 'unset CLEO_ROOT',
      manual: 'Unset CLEO_ROOT, or set it to the folder of the project',
    });
  if (files.exists(project.folder) && !files.isFolder(project.folder))
    throw new CleoError('E_FILE_ERROR', {
      path: project.folder,
      problem: 'is a file; the project needs a folder of that name',
      fix: 'mv .cleo .cleo.old && cleo init',
      manual: 'Rename the file .cleo, then call init again',
    });
  files.createFolder(project.folder);
  files.writeNew(join(project.folder, '.gitignore'), formatGitignore());
  files.writeNew(join(project.folder, 'config.schema.json'), formatProjectSchema());
  const key = `${toKeyPrefix(project.root)}_${randomHex(8)}`;
  const path = config.projectFile(project);
  files.writeNew(path, `${JSON.stringify({ $schema: './config.schema.json', project: { key } }, null, 2)}\n`);
  if (config.load(project)['project.key'] === '') await config.set(path, 'project.key', key);
}

/** The name of the folder as a prefix that is valid in the name of a database schema. */
const toKeyPrefix = (root: string): string => slugify(root.split(/[/\\]/).at(-1) ?? '', { maxLength: 40, separator: '_' }) || 'project';
