import { strictObject } from 'valibot';
import { alreadyThere, answer, mutation } from '#core/define.ts';
import { checkRoot, Root, rootNames } from '#tasks/operations/shared/root.ts';
import { Release, type ReleaseRecord } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { changelogEntries } from '../rules/changelog.ts';
import { releaseView } from './shared/releases.ts';

export const releaseCreate = mutation({
  name: 'release.create',
  summary: 'Collect what is done and in no release yet under a version, with its changelog',
  params: strictObject({ version: Version, epic: Root }),
  paramAliases: rootNames,
  result: strictObject({ release: Release }),
  errors: ['E_NOT_FOUND'],
  tier: 1,
  cli: { command: 'release create', args: ['version'] },
  dryRun: true,
  example: { world: ['T001 epic', 'T002 in T001 done: Write the parser', 'T003 in T001'], call: { version: 'v1.0.0', epic: 'T001' } },
  async run({ store, now, caller }, { version, epic }) {
    const present = await store.releases.get(version);
    if (present) return alreadyThere({ release: await releaseView(store, present) });
    await checkRoot(store, epic);
    const tasks = await store.tasks.many(await store.releases.unreleased(epic));
    const release: ReleaseRecord = {
      version,
      status: 'created',
      ...(epic ? { epicId: epic } : {}),
      changelog: changelogEntries(tasks),
      steps: [],
      createdAt: now,
      createdBy: caller.agent,
    };
    await store.releases.insert(
      release,
      tasks.map(({ id }) => id),
    );
    const warnings = tasks.length === 0 ? ['nothing is done that is not in a release already'] : [];
    return answer({ release: await releaseView(store, release) }, { warnings });
  },
});
