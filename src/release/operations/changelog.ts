import { strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { Version } from '../model/version.ts';
import { formatChangelogSection } from '../rules/changelog.ts';
import { requireRelease } from './shared/releases.ts';

export const releaseChangelog = query({
  name: 'release.changelog',
  summary: 'Print the changelog section of a release',
  params: strictObject({ version: Version }),
  result: strictObject({ changelog: string() }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'release changelog', args: ['version'], raw: 'changelog' },
  example: { world: ['T001 done: Write the parser', 'release v1.0.0 T001'], call: { version: 'v1.0.0' } },
  async run({ store }, { version }) {
    const { changelog, shippedAt } = await requireRelease(store, version);
    return { changelog: formatChangelogSection(version.slice(1), shippedAt?.slice(0, 10), changelog) };
  },
});
