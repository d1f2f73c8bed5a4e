import { join } from 'node:path';
import { array, boolean, description, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, type JobContext, job } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { Project } from '#platform/port.ts';
import { checkStoreAddress, removePassword } from '../rules/store-address.ts';
import { recordFactsQuietly } from './shared/local-facts.ts';
import { shareRecords, unshareRecords } from './shared/move-records.ts';

const PlaceSchema = strictObject({ engine: picklist(['sqlite', 'postgres']), place: string() });

export const adminStoreMigrate = job({
  name: 'admin.store.migrate',
  summary: 'Move the store to PostgreSQL or to SQLite',
  params: strictObject({
    to: pipe(
      string(),
      description('PostgreSQL address of the new store, or sqlite for a file in .cleo'),
      metadata({ value: 'postgres://…|sqlite' }),
    ),
    dryRun: optional(pipe(boolean(), description('Only check the target and report what would be moved'))),
  }),
  result: strictObject({
    from: PlaceSchema,
    to: PlaceSchema,
    /** Rows of all tables. */
    rows: number(),
    /** The digest covers all rows of a table; the copy was read again and has the same. */
    tables: array(strictObject({ table: string(), rows: number(), digest: optional(string()) })),
    /** An earlier call had copied everything, and this one has completed the move. */
    isResumed: optional(boolean()),
    /** An earlier state of the store was at the target and got this name. */
    renamedTo: optional(string()),
    /** Steps that are left to people. */
    next: optional(string()),
  }),
  errors: [
    'E_VALIDATION',
    'E_CONFIG_ERROR',
    'E_CHECKSUM_MISMATCH',
    'E_STORE_UNREACHABLE',
    'E_STORE_MOVED',
    'E_LOCK_TIMEOUT',
    'E_FILE_ERROR',
  ],
  tier: 1,
  needs: 'project',
  scope: 'admin',
  subject: 'to',
  usesHost: true,
  progress: async () => (await import('../rules/move-progress.ts')).moveProgress,
  cli: { command: 'store migrate', view: async () => (await import('../view/store-migrate.ts')).storeMigrateView },
  example: { call: { to: 'sqlite' }, exit: 102 },
  async run(ctx, { to, dryRun = false }) {
    const { project, now, storeAdmin, observe } = ctx;
    const address = to === 'sqlite' ? '' : to;
    if (address !== '') checkStoreAddress(address, 'to', (clean) => ctx.commandWith({ to: clean }));
    checkAddressSource(ctx);
    const present = ctx.config()['store.url'];
    const from = toPlace(project, present);
    const target = toPlace(project, address);
    if (present === address) return answer({ from, to: target, rows: 0, tables: [] }, { exit: 102 });
    const moved = await (await storeAdmin(project)).moveTo(await storeAdmin(project, address), {
      at: now,
      places: { from: from.place, to: target.place },
      isDryRun: dryRun,
      onProgress: (progress) => observe?.('move_progress', { ...progress }, {}),
    });
    if (!dryRun) {
      await moveRecords(ctx, project, address);
      await switchStore(ctx, project, address);
    }
    const { tables, aside, isResumed } = moved;
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return answer(
      { from, to: target, rows, tables, ...defined({ isResumed, renamedTo: aside, next: dryRun ? undefined : formatNext(address) }) },
      dryRun ? { dryRun, isUnlogged: true } : {},
    );
  },
});

const toPlace = ({ folder }: Project, address: string): { engine: 'sqlite' | 'postgres'; place: string } =>
  address === '' ? { engine: 'sqlite', place: join(folder, 'cleo.db') } : { engine: 'postgres', place: removePassword(address) };

/** The address is new to colleagues, so each of them has to trust it. */
const formatNext = (address: string): string =>
  `Commit .cleo/config.json and restart cleo serve${address === '' ? '' : '; each colleague pulls it and runs cleo trust once'}`;

/** The variable has priority over the configuration, so that the project would stay at the old store. */
function checkAddressSource({ platform: { databaseUrl } }: JobContext): void {
  if (databaseUrl === undefined) return;
  throw new CleoError('E_CONFIG_ERROR', {
    path: 'CLEO_DATABASE_URL',
    problem:
      'has priority over store.url, so that the project could not be switched to another store; ' +
      'set store.url to the address of the present store, then unset the variable and move',
    fix: `cleo config set store.url ${quote(removePassword(databaseUrl))}`,
  });
}

/** What is in files on SQLite is in the store on a server. A process that ends in between is repeated like the rest of the move. */
async function moveRecords(ctx: JobContext, project: Project, address: string): Promise<void> {
  const store = await (await ctx.storeAdmin(project, address)).open('write');
  try {
    await (address === '' ? unshareRecords : shareRecords)(ctx, project, store);
  } finally {
    await store.close();
  }
}

/** Makes the project use the store at `address`. A process that ends in between leaves the address of the old store, which names the
 *  new one. */
async function switchStore({ platform, closeStores, storeAdmin }: JobContext, project: Project, address: string): Promise<void> {
  const { config } = platform;
  const file = config.projectFile(project);
  if (address === '') {
    await config.set(file, 'store.engine', undefined);
    await config.set(file, 'store.url', undefined);
    // The user's own configuration may have an address, too.
    if (config.load(project)['store.url'] !== '') await config.set(file, 'store.url', '');
  } else {
    await config.set(file, 'store.url', address);
    await config.set(file, 'store.engine', 'postgres');
  }
  await (await platform.loadTrust()).recordSettings(project, ['store.url', 'store.engine', 'project.key']);
  await closeStores();
  const store = await (await storeAdmin(project)).open('read');
  try {
    await store.read((reads) => recordFactsQuietly(platform, project, reads));
  } finally {
    await store.close();
  }
}
