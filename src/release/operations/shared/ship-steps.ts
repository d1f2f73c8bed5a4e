import { object, pick, strictObject, string } from 'valibot';
import { readStep, writeStep } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { ReleaseSchema } from '../../model/release.ts';
import { readReleaseView, requireRelease } from './releases.ts';

const versionOnly = strictObject({ version: string() });

/** What shipping changes in a stored release. The rest of it is decided when it is created. */
const Shipped = pick(object(ReleaseSchema.entries), ['version', 'status', 'steps', 'shippedAt', 'commit', 'tag', 'provenance']);

/** The reads and writes of `release ship`, which works in the checkout of its caller. */
export const shipSteps = {
  read: readStep({
    name: 'read',
    params: versionOnly,
    run: async ({ store }, { version }) => ({
      release: await requireRelease(store, version),
      tasks: await store.releases.listTaskIds(version),
    }),
  }),
  view: readStep({
    name: 'view',
    params: versionOnly,
    run: async ({ store }, { version }) => readReleaseView(store, await requireRelease(store, version)),
  }),
  save: writeStep({
    name: 'save',
    params: Shipped,
    isRepeatable: true,
    run: async ({ store }, change) => store.releases.save({ ...(await requireRelease(store, change.version)), ...defined(change) }),
  }),
};
