import { CleoError } from '#core/errors/error.ts';
import type { EntryHash } from '../port/admin.ts';
import type { MoveRequest, StoreMove } from '../port/store.ts';
import { type Db, sql } from '../sql/sql.ts';
import type { StoreLocation } from '../store-admin.ts';
import { createMovedError } from './check-marker.ts';
import { type CopiedTable, copyTables, verifyCopy } from './copy-tables.ts';
import type { MoveMarker } from './marker.ts';
import { createSqliteTarget, dumpToSqlite, lockSqlite } from './sqlite-move.ts';
import { listCopiedTables, type Tables } from './tables.ts';

/** The id of a store, the last entry of its log, and its part in a move. */
export interface StoreIdentity {
  replica: string;
  head?: EntryHash;
  marker?: MoveMarker;
}

/** The present store with its write lock held. */
export interface LockedStore {
  tables: Tables;
  identity: StoreIdentity;
  /** Makes the store read-only. */
  commitMoved(marker: MoveMarker): Promise<void>;
  /** Releases the lock, without any change unless it was committed. */
  end(): Promise<void>;
}

/** The place that a store is moved to. */
export interface MoveTarget {
  /** Reads what is there; undefined if nothing is. */
  inspect(): Promise<StoreIdentity | undefined>;
  /** Creates the copy with its marker, all at once. `present` is what is there: an unfinished copy is removed, and an earlier state of
   *  the store is renamed to the name that is returned. */
  build(
    present: StoreIdentity | undefined,
    marker: MoveMarker,
    work: { copy(tables: Tables): Promise<void>; verify(tables: Tables): Promise<void> },
  ): Promise<string | undefined>;
  /** Removes the marker, so that the store can be used. */
  activate(): Promise<void>;
}

/** Moves a store. The steps, and what a call finds that runs the move again after a crash:
 *  1. The copy is committed as `incoming`. Before, nothing is there; after, the copy is replaced.
 *  2. The present store is marked as `moved`, which no writer can miss: it has waited for the lock.
 *  3. The copy is activated. After step 2 a second call only repeats this one.
 *  The caller then changes the configuration; until it does, the old store names the new one. */
export async function moveStore(from: StoreLocation, to: StoreLocation, request: MoveRequest): Promise<StoreMove> {
  const target = await openTarget(to);
  const source = await lockStore(from);
  try {
    const { marker } = source.identity;
    if (marker) return await resumeMove(target, source.identity, marker, request);
    const present = await target.inspect();
    await checkTarget(present, source, request);
    if (request.isDryRun) return { tables: await measureTables(source.tables) };
    const { at, places, onProgress } = request;
    let copied: CopiedTable[] = [];
    const aside = await target.build(
      present,
      { state: 'incoming', place: places.from, at },
      {
        copy: async (tables) => {
          copied = await copyTables(source.tables, tables, onProgress);
        },
        verify: (tables) => verifyCopy(tables, copied, onProgress),
      },
    );
    await source.commitMoved({ state: 'moved', place: places.to, at });
    await target.activate();
    return { tables: copied, ...(aside ? { aside } : {}) };
  } finally {
    await source.end();
  }
}

/** Copies a store into an empty file. It is in this file, because the build has one part for all of it. */
export const dumpStore: typeof dumpToSqlite = (source, dump, busyTimeoutMs) => dumpToSqlite(source, dump, busyTimeoutMs);

const lockStore = async ({ postgres, sqlite }: StoreLocation): Promise<LockedStore> =>
  postgres ? (await import('./postgres-move.ts')).lockPostgres(postgres) : lockSqlite(sqlite);

const openTarget = async ({ postgres, sqlite }: StoreLocation): Promise<MoveTarget> =>
  postgres ? (await import('./postgres-move.ts')).createPostgresTarget(postgres) : createSqliteTarget(sqlite);

/** Completes a move that was interrupted after the old store was marked. */
async function resumeMove(
  target: MoveTarget,
  { replica }: StoreIdentity,
  marker: MoveMarker,
  { places, isDryRun }: MoveRequest,
): Promise<StoreMove> {
  if (marker.state !== 'moved' || marker.place !== places.to) throw createMovedError(marker);
  const present = await target.inspect();
  if (!present || present.replica !== replica) throw createMovedError(marker);
  if (present.marker?.state === 'moved') throw createMovedError(present.marker);
  if (present.marker && !isDryRun) await target.activate();
  return { tables: [], isResumed: true };
}

/** Rejects a place that has a project, unless it is an unfinished copy or an earlier state of this store. */
async function checkTarget(present: StoreIdentity | undefined, source: LockedStore, { places }: MoveRequest): Promise<void> {
  if (!present) return;
  const isSame = present.replica === source.identity.replica;
  if (isSame && present.marker?.state === 'incoming') return;
  if (isSame && present.marker && (await isEarlierState(present, source.tables.db))) return;
  throw new CleoError('E_VALIDATION', {
    field: 'to',
    problem: `names a place in use: ${places.to} already has ${isSame ? 'a copy of this project that is in use' : 'another project'}; nothing was moved`,
    fix: 'cleo config get store.url',
  });
}

/** Checks that the log of the present store continues that of the other. */
async function isEarlierState({ head }: StoreIdentity, db: Db): Promise<boolean> {
  if (!head) return true;
  const [row] = await db.all(sql`select hash from audit_log where seq = ${head.seq}`);
  return row?.hash === head.hash;
}

async function measureTables(tables: Tables): Promise<StoreMove['tables']> {
  const sizes: StoreMove['tables'] = [];
  for (const table of await listCopiedTables(tables)) sizes.push({ table: table.name, rows: (await tables.measure(table)).rows });
  return sizes;
}
