import { array, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { ReleaseRowSchema } from '../model/release.ts';

export const releaseList = query({
  name: 'release.list',
  summary: 'List releases, newest first',
  params: strictObject(pageParams(50)),
  result: strictObject({ releases: array(ReleaseRowSchema) }),
  errors: [],
  tier: 1,
  cli: { command: 'release list', view: async () => (await import('../view.ts')).releaseView },
  example: { world: ['T001 done', 'release v1.0.0 T001'], call: {} },
  async run({ store }, page) {
    const releases = (await store.releases.list(page)).map(({ changelog: _, steps: __, provenance: ___, ...row }) => row);
    return answerPage({ releases }, releases.length, page, () => store.releases.count());
  },
});
