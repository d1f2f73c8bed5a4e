import { strictObject } from 'valibot';
import { alreadyExists, answer, mutation } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { type ReleaseRecord, ReleaseSchema } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { formatChangelogEntries } from '../rules/changelog.ts';
import { readReleaseView } from './shared/releases.ts';

export const releaseCreate = mutation({
  name: 'release.create',
  summary: 'Create a release from done tasks without one',
  params: strictObject({ version: Version, epic: Root }),
  paramAliases: rootAliases,
  result: strictObject({ release: ReleaseSchema }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'release create', args: ['version'], view: async () => (await import('../view.ts')).releaseView },
  dryRun: true,
  example: { world: ['T001 epic', 'T002 in T001 done: Write the parser', 'T003 in T001'], call: { version: 'v1.0.0', epic: 'T001' } },
  async run({ store, now, caller }, { version, epic }) {
    const present = await store.releases.get(version);
    if (present) return alreadyExists({ release: await readReleaseView(store, present) });
    await checkTaskExists(store, epic);
    const tasks = await store.tasks.getMany(await store.releases.listUnreleased(epic));
    const release: ReleaseRecord = {
      version,
      status: 'created',
      ...defined({ epicId: epic }),
      changelog: formatChangelogEntries(tasks),
      steps: [],
      createdAt: now,
      createdBy: caller.agent,
    };
    await store.releases.insert(
      release,
      tasks.map(({ id }) => id),
    );
    const warnings = tasks.length === 0 ? ['there are no done tasks without a release'] : [];
    return answer({ release: await readReleaseView(store, release) }, { warnings });
  },
});
