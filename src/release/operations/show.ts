import { strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { ReleaseSchema } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { readReleaseView, requireRelease } from './shared/releases.ts';

export const releaseShow = query({
  name: 'release.show',
  summary: 'Show a release with its tasks, steps and provenance',
  params: strictObject({ version: Version }),
  result: strictObject({ release: ReleaseSchema }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'release show', args: ['version'], view: async () => (await import('../view.ts')).releaseView },
  example: { world: ['T001 done', 'release v1.0.0 T001'], call: { version: 'v1.0.0' } },
  async run({ store }, { version }) {
    return { release: await readReleaseView(store, await requireRelease(store, version)) };
  },
});
