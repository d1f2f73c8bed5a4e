import { join } from 'node:path';
import { array, boolean, description, metadata, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatConfigSchema } from '#core/model/config-schema.ts';
import { ProjectContext } from '#detect/model/project-context.ts';
import { slugify } from '#lib/slug.ts';
import type { Platform, Project } from '#platform/port.ts';
import { checkAddress } from '../rules/address.ts';
import { type ClientName, clientNames } from '../rules/setup-clients.ts';
import { type Change, setUp, survey } from './shared/setup-files.ts';
import { refreshTemplate } from './shared/template.ts';

/** What is this machine's alone, or can be made again. The rest of `.cleo` may be committed. */
const ignored = `# Written by cleo init. What is not listed here can be committed.
cleo.db*
backups/
traces/
runs/
trace-salt
reviews.jsonl
*.tmp-*
*.lock
*.aside-*
`;

export const adminInit = job({
  name: 'admin.init',
  summary: 'Make this folder a project',
  params: strictObject({
    store: optional(
      pipe(
        string(),
        description('PostgreSQL address of a store for many machines; without it the store is a file in .cleo'),
        metadata({ value: 'postgres://…' }),
      ),
    ),
    setup: optional(
      pipe(
        array(picklist([...clientNames, 'all'])),
        description('Also set up these clients of agents, as cleo setup does; all for those that are found'),
      ),
    ),
    detect: optional(
      pipe(
        boolean(),
        description('Also find out what the project is built with and how it is tested, for agents: .cleo/project-context.json'),
      ),
    ),
  }),
  result: strictObject({
    project: strictObject({ root: string(), store: picklist(['sqlite', 'postgres']), created: boolean() }),
    files: optional(array(strictObject({ file: string(), change: picklist(['created', 'updated', 'deleted']) }))),
    /** What stands in .cleo/project-context.json now. */
    detected: optional(ProjectContext),
    /** Commands that go on from here: agents of clients that are found and not set up. */
    offers: optional(array(string())),
  }),
  errors: [
    'E_FILE_ERROR',
    'E_STORE_DAMAGED',
    'E_STORE_UNREACHABLE',
    'E_VALIDATION',
    'E_CONFIG_ERROR',
    'E_STORE_OLDER',
    'E_STORE_NEWER',
    'E_LOCK_TIMEOUT',
  ],
  tier: 0,
  scope: 'admin',
  cli: { command: 'init', view: async () => (await import('#detect/view.ts')).detectView },
  needs: 'nothing',
  example: { call: {}, exit: 101 },
  async run(ctx, { store: address, setup, detect }) {
    const { platform, registry } = ctx;
    const project = platform.locateNewProject();
    const created = await make(ctx, project, address);
    const warnings = await refreshTemplate(platform, registry);
    const chosen = setup && (await setUp(platform, project, await chosenOf(platform, project, setup), {}));
    const found = detect ? await (await import('./shared/detect.ts')).detectInto(platform, project) : undefined;
    const changes = [...(chosen?.changes ?? []), ...(found?.changes ?? [])];
    const files = chosen || found ? changes.map(({ file, change }): Omit<Change, 'adds'> => ({ file, change })) : undefined;
    const offers = setup ? [] : await offersOf(platform, project);
    return answer(
      {
        project: placeOf(platform, project, created),
        ...(files ? { files } : {}),
        ...(found ? { detected: found.context } : {}),
        ...(offers.length > 0 ? { offers } : {}),
      },
      { warnings: [...warnings, ...(chosen?.remarks ?? [])], ...(created || files?.length ? {} : { exit: 101 as const }) },
    );
  },
});

/** Whether there is a store now that was not there before. */
async function make(
  { platform, now, storeAdmin, commandWith }: JobContext,
  project: Project,
  address: string | undefined,
): Promise<boolean> {
  checkNotHome(platform, project);
  if (address !== undefined) checkAddress(address, 'store', (clean) => commandWith({ store: clean }));
  const isFound = platform.files.isFolder(project.folder);
  if (isFound) checkSameStore(platform, project, address);
  if (isFound && address === undefined && (await isWorking(storeAdmin, project))) return false;
  furnish(platform, project);
  const isNew = await (await storeAdmin(project, address)).create(now);
  if (address !== undefined) writeAddress(platform, project, address);
  return isNew;
}

const chosenOf = async (platform: Platform, project: Project, setup: (ClientName | 'all')[]): Promise<ClientName[]> => {
  const found = setup.includes('all') ? (await survey(platform, project)).filter(({ isFound }) => isFound) : [];
  return [...new Set([...found.map(({ client }) => client.name), ...setup.filter((name) => name !== 'all')])];
};

/** What init does not do by itself: these files are the project's, and others'. */
async function offersOf(platform: Platform, project: Project): Promise<string[]> {
  const clients = await survey(platform, project);
  const waiting = clients.filter(({ isFound, parts }) => isFound && !parts.includes('mcp'));
  if (waiting.length > 0) return waiting.map(({ client }) => `cleo setup ${client.name}`);
  return clients.some(({ parts }) => parts.includes('mcp')) ? [] : ['cleo setup'];
}

const placeOf = (
  platform: Platform,
  project: Project,
  created: boolean,
): { root: string; store: 'sqlite' | 'postgres'; created: boolean } => {
  const url = platform.databaseUrl ?? platform.config.load(project)['store.url'];
  return { root: project.root, store: url ? 'postgres' : 'sqlite', created };
};

function checkNotHome({ files, home }: Platform, { folder }: Project): void {
  if (folder !== home && !files.isSameFile(folder, home)) return;
  throw new CleoError('E_FILE_ERROR', {
    path: folder,
    problem: "is the user's own folder; a project needs a folder of its own",
    fix: 'mkdir -p project && cd project && cleo init',
  });
}

/** A project has one store. What is in the one it has does not come along by naming another. */
function checkSameStore({ config, files, databaseUrl }: Platform, project: Project, address: string | undefined): void {
  if (address === undefined) return;
  const known = databaseUrl ?? config.load(project)['store.url'];
  if (known === address || (known === '' && !files.exists(join(project.folder, 'cleo.db')))) return;
  const problem = databaseUrl
    ? 'is not the one in CLEO_DATABASE_URL, which wins'
    : `is another one than this project has${known ? '' : ', which is a file in .cleo'}`;
  throw new CleoError('E_VALIDATION', { field: 'store', problem, fix: 'cleo config get store.url' });
}

/** A store that is not there is made, unless there is a backup of it: then it was there, and is lost. */
async function isWorking(keep: JobContext['storeAdmin'], project: Project): Promise<boolean> {
  const store = await (await keep(project)).open('read').catch(missing);
  if (!store) return false;
  try {
    await store.read((reads) => reads.audit.getHead());
    return true;
  } catch (error) {
    missing(error);
    return false;
  } finally {
    await store.close();
  }
}

function missing(error: unknown): undefined {
  const isMissing = error instanceof CleoError && error.row === 'E_STORE_DAMAGED' && error.details.missing && !error.details.backup;
  if (!isMissing) throw error;
}

/** Everything but the store. What is there already, as in a clone, stays as it is. */
function furnish({ files, config, randomHex }: Platform, project: Project): void {
  files.createFolder(project.folder);
  files.writeNew(join(project.folder, '.gitignore'), ignored);
  files.writeNew(join(project.folder, 'config.schema.json'), formatConfigSchema());
  const key = `${slug(project.root)}_${randomHex(8)}`;
  const path = config.projectFile(project);
  files.writeNew(path, `${JSON.stringify({ $schema: './config.schema.json', project: { key } }, null, 2)}\n`);
  if (config.load(project)['project.key'] === '') config.set(path, 'project.key', key);
}

function writeAddress({ config }: Platform, project: Project, address: string): void {
  if (config.load(project)['store.url'] !== address) config.set(config.projectFile(project), 'store.url', address);
}

/** The folder's name, as far as it can be part of the name of a database schema. */
const slug = (root: string): string => slugify(root.split(/[/\\]/).at(-1) ?? '', { maxLength: 40, separator: '_' }) || 'project';
