import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import type { Release, ReleaseRecord } from '../../model/release.ts';

export async function requireRelease(store: ReadStore, version: string): Promise<ReleaseRecord> {
  const release = await store.releases.get(version);
  if (release) return release;
  throw new CleoError('E_NOT_FOUND', { id: version, what: 'release', fix: `cleo release create ${version}` });
}

/** Reads a release with its tasks. A deleted task has only its id. */
export async function readReleaseView(store: ReadStore, release: ReleaseRecord): Promise<Release> {
  const { changelog: _, ...rest } = release;
  const ids = await store.releases.listTaskIds(release.version);
  const known = new Map((await store.tasks.getHits(ids)).map((hit) => [hit.id, hit]));
  const tasks = ids.map((id) => {
    const hit = known.get(id);
    return { id, ...defined({ title: hit?.title, type: hit?.type }) };
  });
  return { ...rest, tasks };
}
