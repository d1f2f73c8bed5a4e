import { CleoError } from '#core/errors/error.ts';
import type { ReadStore } from '#store/port.ts';
import type { Release, ReleaseRecord, ReleaseRow } from '../../model/release.ts';

export async function requireRelease(store: ReadStore, version: string): Promise<ReleaseRecord> {
  const release = await store.releases.get(version);
  if (release) return release;
  throw new CleoError('E_NOT_FOUND', { id: version, what: 'release', fix: `cleo release create ${version}` });
}

/** A release as it is shown, with its tasks by their titles; one that was deleted since has none. */
export async function releaseView(store: ReadStore, release: ReleaseRecord): Promise<Release> {
  const { changelog: _, ...rest } = release;
  const ids = await store.releases.tasks(release.version);
  const known = new Map((await store.tasks.hits(ids)).map((hit) => [hit.id, hit]));
  const tasks = ids.map((id) => {
    const hit = known.get(id);
    return { id, ...(hit ? { title: hit.title, type: hit.type } : {}) };
  });
  return { ...rest, tasks };
}

export function rowOf({ changelog: _, steps: __, provenance: ___, ...row }: ReleaseRecord & { taskCount: number }): ReleaseRow {
  return row;
}
