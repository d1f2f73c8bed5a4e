import { CleoError } from '#core/errors/error.ts';
import { groupBy } from '#lib/collections.ts';
import { toCanonicalJson } from '#lib/digest.ts';
import { formatPlanRecord } from '#lib/plan-record.ts';
import type { PlanFiles } from '#platform/plan-port.ts';
import type { PlanDocumentVersion, PlanKey, PlanRow } from '#store/port/plan.ts';
import type { WriteStore } from '#store/port/store.ts';
import type { PlanIssue, PlanKind } from '../../model/plan.ts';
import { formatPlanFile } from '../../rules/plan/format.ts';
import { applyTasks } from './plan-apply.ts';
import { applyDocuments, applyHandoffs, applyMemory, type PlanRecordChange } from './plan-apply-records.ts';
import { collectTasks, toMemoryUid } from './plan-collect.ts';
import { type MergedRecord, memoryKinds, mergePlan, pickKind } from './plan-merge.ts';
import { type FileProblem, type PlanScan, type ReadPlanFile, type ReportProgress, scanPlanFiles } from './plan-scan.ts';
import { digestListing, type SyncOptions, staleMark, toFileName, toKnownStats } from './plan-stats.ts';

export interface SyncReport {
  /** Files that were written or would be. */
  written: string[];
  /** Records whose files changed the store. */
  read: number;
  issues: PlanIssue[];
  problems: FileProblem[];
  isChanged: boolean;
}

/** Documents that are larger are not published: git keeps every version for ever. */
const maxContentBytes = 1 << 20;

/** Brings the store and the plan files in step, in the transaction of the call. A file is written before the commit: if the process is
 *  killed in between, the next sync reads the file, which has what the store says or more. */
export async function syncPlan(store: WriteStore, planFiles: PlanFiles, options: SyncOptions): Promise<SyncReport> {
  const { folder, tree, now, include, project } = options;
  const { plan } = store;
  const { replica } = await store.audit.getStoreFacts();
  const since = await plan.getSyncedPosition();
  const stats = planFiles.list(folder);
  const listing = digestListing(stats, options);
  const isUnchanged = tree === undefined && since !== undefined && since.files === listing;
  const known = isUnchanged ? new Map<string, string | undefined>() : toKnownStats(await plan.listFileStats(tree));
  const scan: PlanScan = isUnchanged
    ? { stats, changed: [], problems: [] }
    : scanPlanFiles(planFiles, folder, stats, known, options.onProgress);
  requireKnownVersion(scan.problems);
  const { records, issues } = await mergePlan({ store, replica, project, now, include }, since, scan.changed);
  if (records.some(({ kind }) => kind === 'memory')) issues.push(...((await options.holdDecisions?.(store, records)) ?? []));
  const applied = await applyRecords(store, records, replica, {
    readContent: (version) => readContent(planFiles, options, version),
    onProgress: options.onProgress,
  });
  const sync: Sync = { store, planFiles, scan, options, known, replica, hasNewFiles: false, writtenCount: 0 };
  const { rows, written } = await writeRecords(sync, records, applied);
  const others = isUnchanged ? [] : await writeOthers(sync, new Set(records.map((record) => toFileName(record))));
  written.push(...others);
  await plan.saveRows(rows);
  await plan.forgetFiles(rows, tree);
  if (written.length > 0 && !options.isReadOnly && include.includes('tasks')) written.push(await writeHead(sync));
  if (!options.isDryRun) {
    const isComplete = !options.isReadOnly && scan.problems.length === 0;
    const digest = (): string =>
      written.length === 0 ? listing : digestListing(sync.hasNewFiles ? planFiles.list(folder) : stats, options);
    // A sync in a linked worktree that changed no record leaves the files of the main one in step.
    const files = tree !== undefined ? (rows.length === 0 ? since?.files : undefined) : isComplete ? digest() : undefined;
    await plan.setSyncedPosition({ ...(await plan.getPosition(now)), ...(files === undefined ? {} : { files }) });
  }
  return {
    written: written.map((name) => `.cleo/plan/${name}`),
    read: applied.size,
    issues,
    problems: scan.problems,
    isChanged: applied.size > 0 || written.length > 0,
  };
}

/** Rejects files of a newer version, which this one would write with less than they have. */
export function requireKnownVersion(problems: FileProblem[]): void {
  const newer = problems.find(({ kind }) => kind === 'newer-version');
  if (newer)
    throw new CleoError('E_CONFIG_ERROR', {
      path: newer.file,
      problem: newer.message,
      fix: 'cleo version',
      manual: 'Install the newest version of cleo, then repeat the call',
    });
}

interface Sync {
  store: WriteStore;
  planFiles: PlanFiles;
  scan: PlanScan;
  options: SyncOptions;
  known: Map<string, string | undefined>;
  replica: string;
  /** A file was written that did not exist, so that the order of the listing is not known. */
  hasNewFiles: boolean;
  writtenCount: number;
}

/** Writes a file and remembers its size and time. */
function writeFile(sync: Sync, name: string, text: string | Uint8Array): string {
  const { planFiles, scan, options } = sync;
  const stat = planFiles.write(options.folder, name, text);
  if (!scan.stats.has(name)) sync.hasNewFiles = true;
  scan.stats.set(name, stat);
  return stat;
}

/** Writes the states that differ from those of the store. Returns the names of their files. */
async function applyRecords(
  store: WriteStore,
  records: MergedRecord[],
  replica: string,
  {
    readContent: read,
    onProgress,
  }: { readContent(version: PlanDocumentVersion): string | undefined; onProgress: ReportProgress | undefined },
): Promise<Set<string>> {
  const isDifferent = ({ state, current }: MergedRecord): boolean =>
    state === undefined || current === undefined
      ? state !== current
      : toCanonicalJson([state.id, state.fields, state.sets, state.updatedAt]) !==
        toCanonicalJson([current.id, current.fields, current.sets, current.updatedAt]);
  const tasks = pickKind(records, 'task').filter(isDifferent);
  const toChange = ({ uid, current, state }: MergedRecord): PlanRecordChange => ({
    uid,
    ...(current?.id === undefined ? {} : { id: current.id }),
    ...(state ? { state } : {}),
  });
  if (tasks.length > 0) await applyTasks(store, tasks.map(toChange), replica, onProgress);
  const memory = pickKind(records, 'memory').filter(isDifferent);
  if (memory.length > 0) {
    const all = await store.plan.listMemory(memoryKinds.map(([, type]) => type));
    const ids = new Map(all.map(({ id, digest }) => [toMemoryUid(digest), id]));
    await applyMemory(
      store,
      memory.map((record) => ({ ...toChange(record), ...(ids.has(record.uid) ? { id: ids.get(record.uid)! } : {}) })),
    );
  }
  const documents = pickKind(records, 'document').filter(isDifferent);
  if (documents.length > 0) {
    const changes: PlanRecordChange[] = [];
    for (const record of documents)
      changes.push({ ...toChange(record), ...((await store.docs.get(record.uid)) ? { id: record.uid } : {}) });
    await applyDocuments(store, changes, read);
  }
  const handoffs = pickKind(records, 'handoff').filter(isDifferent);
  if (handoffs.length > 0) await applyHandoffs(store, handoffs.map(toChange));
  return new Set([...tasks, ...memory, ...documents, ...handoffs].map(toFileName));
}

/** Writes the files of changed records, and returns the rows for the next sync. */
async function writeRecords(sync: Sync, records: MergedRecord[], applied: Set<string>): Promise<{ rows: PlanRow[]; written: string[] }> {
  const { store, scan, replica } = sync;
  const read = new Map(scan.changed.map((file) => [file.name, file]));
  const ids = await store.plan.getTaskIds(records.filter((record) => applied.has(toFileName(record))).map(({ uid }) => uid));
  // The store may not have taken everything as it is. What differs must not look like an edit the next time.
  const stored = new Map((await collectTasks(store, [...ids.values()], replica)).map((state) => [state.uid, state]));
  const rows: PlanRow[] = [];
  const written: string[] = [];
  const linked: (PlanKey & { fileStat: string })[] = [];
  for (const merged of records) {
    const { kind, uid, record, summary, outcome, state, current, row } = merged;
    const text = JSON.stringify(record);
    const name = toFileName(merged);
    const projected = !state ? undefined : applied.has(name) ? (kind === 'task' ? stored.get(uid) : state) : (current ?? state);
    const { fileStat, isWritten } = await writeRecordFile(sync, merged, read.get(name));
    if (isWritten) written.push(name);
    const { tree } = sync.options;
    if (tree !== undefined && fileStat !== undefined) linked.push({ kind, uid, fileStat });
    const known = row?.fileStat !== undefined && row.record !== text ? markStale(row.fileStat) : row?.fileStat;
    const mainStat = tree === undefined ? fileStat : known;
    rows.push({
      kind,
      uid,
      record: text,
      ...(projected ? { projected: JSON.stringify(projected) } : {}),
      summary: JSON.stringify(summary),
      outcome: JSON.stringify(outcome),
      ...(mainStat === undefined ? {} : { fileStat: mainStat }),
    });
  }
  if (!sync.options.isDryRun) await store.plan.setFileStats(linked, sync.options.tree);
  return { rows, written };
}

/** Writes the file of a record if it has to be. Returns the size and time to remember for this worktree. */
async function writeRecordFile(
  sync: Sync,
  { kind, uid, record, row }: Pick<MergedRecord, 'kind' | 'uid' | 'record' | 'row'>,
  file: ReadPlanFile | undefined,
): Promise<{ fileStat?: string; isWritten: boolean }> {
  const { scan, options, known } = sync;
  const name = toFileName({ kind, uid });
  const stat = scan.stats.get(name);
  const text = formatPlanFile(record);
  const remember = (value: string | undefined): { fileStat?: string } => (value === undefined ? {} : { fileStat: value });
  if (file?.text === text) return { ...remember(stat), isWritten: false };
  // Another record changed the outcome of this one, but not the record itself.
  const last = options.tree === undefined ? row?.fileStat : known.get(name);
  const isInStep = stat !== undefined && last === stat && row?.record === JSON.stringify(record);
  if (isInStep) return { fileStat: stat, isWritten: false };
  // The file has a problem that a person must look at, or its kind is not published.
  const hasProblem = scan.problems.some((problem) => problem.file === `.cleo/plan/${name}`);
  if (options.isReadOnly || hasProblem || !isIncluded(options, record.kind))
    return { ...remember(stat && markStale(stat)), isWritten: false };
  if (kind === 'document') await writeContents(sync, record.uid);
  if (options.isDryRun) return { ...remember(stat), isWritten: true };
  const fileStat = writeFile(sync, name, text);
  if (++sync.writtenCount % filesPerTurn === 0) await endTurn();
  return { fileStat, isWritten: true };
}

const filesPerTurn = 50;

/** Lets timers run, so that the store can keep the transaction while many files are written one after another. */
const endTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const markStale = (stat: string): string => (stat.endsWith(staleMark) ? stat : `${stat}${staleMark}`);

/** Memory of a type that is not published has no record of its own; one that came with the files stays in them. */
const isIncluded = ({ include }: SyncOptions, kind: PlanKind): boolean =>
  ({ task: include.includes('tasks'), memory: true, document: include.includes('documents'), handoff: include.includes('handoffs') })[kind];

/** Writes the files of records that did not change, but whose files are missing or were only read. */
async function writeOthers(sync: Sync, done: Set<string>): Promise<string[]> {
  const { store, scan, options, known } = sync;
  if (options.isReadOnly) {
    await rememberRead(sync, done);
    return [];
  }
  const written: string[] = [];
  const stats: (PlanKey & { fileStat: string })[] = [];
  const read = new Map(scan.changed.map((file) => [file.name, file]));
  for (const kind of ['task', 'memory', 'document', 'handoff'] as const) {
    if (!isIncluded(options, kind)) continue;
    const uids: string[] = [];
    const prefix = toFileName({ kind, uid: '' }).slice(0, -'.json'.length);
    for (const [name, stat] of known)
      if (name.startsWith(prefix) && !done.has(name) && (!scan.stats.has(name) || read.has(name) || !stat || stat.endsWith(staleMark)))
        uids.push(name.slice(prefix.length, -'.json'.length));
    for (const row of await store.plan.getRows(kind, uids)) {
      const name = toFileName(row);
      const { fileStat, isWritten } = await writeRecordFile(
        sync,
        { kind, uid: row.uid, record: JSON.parse(row.record), row },
        read.get(name),
      );
      if (isWritten) written.push(name);
      if (fileStat !== undefined) stats.push({ kind, uid: row.uid, fileStat });
    }
  }
  if (!options.isDryRun) await store.plan.setFileStats(stats, options.tree);
  return written;
}

/** Remembers files that were read and changed nothing, so that the next sync does not read them again. Those that have less than their
 *  record, as in an older commit, have to be written by it. */
async function rememberRead({ store, scan, options }: Sync, done: Set<string>): Promise<void> {
  const stats: (PlanKey & { fileStat: string })[] = [];
  for (const [kind, files] of groupBy(
    scan.changed.filter(({ name }) => !done.has(name)),
    (file) => file.kind,
  )) {
    const rows = await store.plan.getRows(
      kind,
      files.map(({ uid }) => uid),
    );
    const texts = new Map(rows.map(({ uid, record }) => [uid, formatPlanFile(JSON.parse(record))]));
    for (const { uid, stat, text } of files) stats.push({ kind, uid, fileStat: texts.get(uid) === text ? stat : markStale(stat) });
  }
  await store.plan.setFileStats(stats, options.tree);
}

/** Writes the contents of a document that are not too large. They are named by their hash and never change. */
async function writeContents(sync: Sync, slug: string): Promise<void> {
  const { store, scan, options } = sync;
  const doc = (await store.plan.listDocuments()).find((each) => each.slug === slug);
  for (const { digest, size } of doc?.versions ?? []) {
    const name = `contents/${digest}`;
    if (size > maxContentBytes || scan.stats.has(name) || options.isDryRun) continue;
    const stored = await store.plan.getContent(digest);
    if (stored) writeFile(sync, name, Buffer.from(stored.content, stored.encoding));
  }
}

/** Returns the content of a version from its file, if it has the hash of its name. */
function readContent(planFiles: PlanFiles, { folder, sha256 }: SyncOptions, { digest, encoding }: PlanDocumentVersion): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  const bytes = planFiles.read(folder, `contents/${digest}`, maxContentBytes);
  if (!bytes) return undefined;
  return sha256(bytes) === digest ? Buffer.from(bytes).toString(encoding) : undefined;
}

/** Records the head of the audit log in the file of this replica. It changes only together with other files, because a sync appends to
 *  the log itself. */
async function writeHead(sync: Sync): Promise<string> {
  const { store, options, replica } = sync;
  // The sync itself may have raised the highest number.
  const { taskNumber } = await store.audit.getStoreFacts();
  const name = `replicas/${replica}.json`;
  const head = await store.audit.getHead();
  const text = formatPlanRecord({ version: 1, replica, project: options.project, taskNumber, at: options.now, ...(head ? { head } : {}) });
  if (!options.isDryRun) writeFile(sync, name, text);
  return name;
}
