import { CleoError } from '#core/errors/error.ts';
import type { FileRecordKind, SharedContent, SharedRecord } from '#core/model/shared-records.ts';
import { findReplacedLines, getRecordLimit, planRecords, type RecordPlan } from '#core/rules/shared-records.ts';
import type { RecordFiles } from '#platform/records/port.ts';
import type { NewRecord, SharedRecordReads, SharedRecordWrites } from '#store/port/shared-records.ts';
import type { Stamp, Store } from '#store/port/store.ts';
import { type App, type CallContext, requireProject, toStamp } from './call-context.ts';
import { expiringKinds, openRecordFiles } from './record-kinds.ts';

/** The files of a kind, and what they were before the command. */
interface RecordCopy {
  kind: FileRecordKind;
  files: RecordFiles;
  base?: Map<string, string>;
}

/** The part of a store that has the records: that of the store itself, or of the server in front of it. */
interface RecordStore {
  read<T>(work: (reads: { records: SharedRecordReads }) => Promise<T>): Promise<T>;
  write<T>(stamp: Stamp, work: (writes: { records: SharedRecordReads & SharedRecordWrites }) => Promise<T>): Promise<T>;
}

/** Runs a command whose records are in the shared store. Before it, the files of this checkout become what the store has, and lines that
 *  were appended by hand are stored; after it, the store gets what the command has changed in the files. */
export async function withSharedRecords<T>(ctx: CallContext, kinds: readonly FileRecordKind[], work: () => Promise<T>): Promise<T> {
  const { app } = ctx;
  const problems: string[] = [];
  const copies = (await openCopies(app, kinds)).filter(({ files }) => isReadable(files, problems));
  const options = { stamp: toStamp(ctx), recordDays: loadConfig(app)['store.recordDays'], canSave: !app.isObserver };
  const open = await chooseStore(ctx);
  try {
    problems.push(
      ...(await syncCopies(
        () => open('read'),
        () => open('write'),
        copies,
        options,
      )),
    );
  } catch (error) {
    if (!isNotShared(error)) throw error;
    return work();
  }
  if (problems.length > 0) ctx.warnings = [...(ctx.warnings ?? []), ...problems];
  try {
    return await work();
  } finally {
    // A query changes no files, but for the line that it may append.
    if (ctx.operation.kind !== 'query' || ctx.hasAppendedLine) await storeChanges(ctx, copies, () => open('write'), options);
  }
}

/** Runs a command on the server that has the records. The files of this checkout are made equal to those records before and after it. */
export async function withRecordsOfServer<T>(ctx: CallContext, kinds: readonly FileRecordKind[], work: () => Promise<T>): Promise<T> {
  return withSharedRecords(ctx, kinds, async () => {
    const result = await work();
    if (ctx.operation.kind === 'query') return result;
    const open = await chooseStore(ctx);
    const copies = await openCopies(ctx.app, kinds);
    const options = { stamp: toStamp(ctx), recordDays: 0, canSave: false };
    // The command has run, and its answer is that of the server.
    await syncCopies(
      () => open('read'),
      () => open('read'),
      copies,
      options,
    ).catch(() => {});
    return result;
  });
}

async function chooseStore({ app, caller }: CallContext): Promise<(mode: 'read' | 'write') => Promise<RecordStore>> {
  if (!app.usesServer()) return app.openStore;
  const records = (await import('./remote/records.ts')).openServerRecords(app, caller.agent);
  return async () => ({ read: (work) => work({ records }), write: (_, work) => work({ records }) });
}

const isNotShared = (error: unknown): boolean => (error as Error)?.name === 'RecordsNotShared';

/** Files that cannot be read do not fail the command, which may not need them. */
function isReadable(files: RecordFiles, problems: string[]): boolean {
  try {
    files.list();
    return true;
  } catch (error) {
    if (!(error instanceof CleoError)) throw error;
    problems.push(error.message);
    return false;
  }
}

/** Makes the files of a project and the records of a store equal, in both directions. */
export async function syncRecords(app: App, store: Store, kinds: readonly FileRecordKind[], stamp: Stamp): Promise<void> {
  const open = async (): Promise<Store> => store;
  await syncCopies(open, open, await openCopies(app, kinds), { stamp, recordDays: 0, canSave: true });
}

const loadConfig = ({ platform }: App) => platform.config.load(requireProject(platform));

async function openCopies(app: App, kinds: readonly FileRecordKind[]): Promise<RecordCopy[]> {
  const context = { platform: app.platform, project: requireProject(app.platform), config: loadConfig(app) };
  return Promise.all(kinds.map(async (kind) => ({ kind, files: await openRecordFiles(kind, context) })));
}

/** Stores what the command has changed. Its answer is correct without that, so that a failure is a warning. */
async function storeChanges(ctx: CallContext, copies: RecordCopy[], open: OpenStore, options: SyncOptions): Promise<void> {
  const changed = copies.filter(({ files, base }) => base && !isSameMap(files.list(), base));
  if (changed.length === 0 || !options.canSave) return;
  try {
    const problems = await syncCopies(open, open, changed, options);
    if (problems.length > 0) ctx.warnings = [...(ctx.warnings ?? []), ...problems];
  } catch (error) {
    const names = changed.map(({ kind }) => kind).join(', ');
    const problem = `${names}: not in the shared store yet (${(error as Error).message}); the next command that uses them stores them`;
    ctx.warnings = [...(ctx.warnings ?? []), problem];
  }
}

const isSameMap = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([name, hash]) => other.get(name) === hash);

interface SyncOptions {
  stamp: Stamp;
  /** Contents of some kinds are removed from the store after this time; 0 is never. */
  recordDays: number;
  canSave: boolean;
}

type OpenStore = () => Promise<RecordStore>;

/** Returns warnings. */
async function syncCopies(openRead: OpenStore, openWrite: OpenStore, copies: RecordCopy[], options: SyncOptions): Promise<string[]> {
  let found = await (await openRead()).read((reads) => readPlans(reads, copies));
  // A first read without the write lock, because most commands have nothing to store.
  const outdated: string[] = [];
  if (options.canSave && found.some(({ plan }) => plan.save.length + plan.remove.length > 0))
    found = await (await openWrite()).write(options.stamp, async (writes) => {
      outdated.splice(0);
      for (const each of await readPlans(writes, copies)) outdated.push(...(await savePlan(writes.records, each, options)));
      return readPlans(writes, copies);
    });
  const replaced: string[] = [];
  for (const { copy, plan, stored, contents, local } of found) {
    copy.files.apply(stored, contents, plan.discard);
    const isChangedHere = (name: string): boolean => local.has(name) && (!copy.base || copy.base.get(name) !== local.get(name));
    for (const name of plan.write) if (isChangedHere(name) || outdated.includes(name)) replaced.push(name);
    copy.base = plan.write.length + plan.discard.length > 0 ? copy.files.list() : local;
  }
  return replaced.length === 0
    ? []
    : [`${replaced.slice(0, 3).join(', ')} differed from the shared store and ${replaced.length === 1 ? 'was' : 'were'} replaced`];
}

interface FoundRecords {
  copy: RecordCopy;
  stored: SharedRecord[];
  local: Map<string, string>;
  plan: RecordPlan;
  /** Contents for the files. */
  contents: Map<string, Uint8Array>;
}

/** All kinds are read at once, so that they cost one round trip. */
const readPlans = (reads: { records: SharedRecordReads }, copies: RecordCopy[]): Promise<FoundRecords[]> =>
  Promise.all(
    copies.map(async (copy): Promise<FoundRecords> => {
      const { kind, files, base } = copy;
      const local = files.list();
      const stored = (await reads.records.list(kind)).filter(({ name }) => !files.isBusy(name));
      const byName = new Map(stored.map((record) => [record.name, record]));
      const isContinued = (name: string): boolean => files.isContinued(byName.get(name)!, stored);
      const plan = planRecords({ local, stored, ...(base ? { base } : {}), isContinued });
      const found = plan.write.length === 0 ? [] : await reads.records.readContents(kind, plan.write);
      return { copy, stored, local, plan, contents: new Map(found.map((each) => [each.name, decodeContent(each)])) };
    }),
  );

/** Contents that are sent at once, so that the memory does not grow with the number of files. */
const maxPageBytes = 1 << 20;

/** Returns the names of records that another client has changed since they were compared. */
async function savePlan(
  records: SharedRecordWrites,
  { copy: { kind, files, base }, plan, stored }: FoundRecords,
  { stamp, recordDays }: SyncOptions,
): Promise<string[]> {
  const local = files.list();
  const replaced = base && files.isOrdered ? findReplacedLines(base, local) : undefined;
  const known = new Map(stored.map(({ name, hash }) => [name, hash]));
  const outdated: string[] = [];
  const savePage = async (): Promise<void> => {
    if (page.length > 0) outdated.push(...(await records.save(kind, page)));
  };
  let page: NewRecord[] = [];
  let pageBytes = 0;
  for (const name of plan.save) {
    const bytes = files.read(name);
    const hash = local.get(name);
    if (hash === undefined) continue;
    const expected = known.get(name) ?? null;
    page.push({ name, hash, size: bytes?.length ?? 0, stored: bytes && encodeContent(bytes), replaces: replaced?.get(name), expected });
    pageBytes += bytes?.length ?? 0;
    if (pageBytes < maxPageBytes) continue;
    await savePage();
    page = [];
    pageBytes = 0;
  }
  await savePage();
  if (plan.remove.length > 0) await records.remove(kind, plan.remove);
  const limit = plan.save.length > 0 && expiringKinds.includes(kind) ? getRecordLimit(stamp.at, recordDays) : undefined;
  if (limit !== undefined) await records.omitBefore(kind, limit);
  return outdated;
}

/** Text cannot contain NUL in PostgreSQL. */
function encodeContent(bytes: Uint8Array): SharedContent {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  const isText = !text.includes('\0') && Buffer.from(text).equals(buffer);
  return isText ? { encoding: 'utf8', content: text } : { encoding: 'base64', content: buffer.toString('base64') };
}

const decodeContent = ({ encoding, content }: SharedContent): Uint8Array => Buffer.from(content, encoding);
