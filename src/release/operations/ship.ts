import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, job, noChange } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { Release } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { stepsLeft } from '../rules/release.ts';
import { releaseView } from './shared/releases.ts';
import { Shipment } from './shared/shipment.ts';

export const releaseShip = job({
  name: 'release.ship',
  summary: 'Check, write changelog and version, commit, tag and push; one that failed goes on where it was',
  params: strictObject({
    version: Version,
    bumpVersion: optional(
      pipe(boolean(), description('Write the version into package.json, Cargo.toml, pyproject.toml and VERSION, where they are')),
    ),
    createTag: optional(pipe(boolean(), description('Make an annotated tag'))),
    push: optional(pipe(boolean(), description('Push the branch, and the tag where there is one'))),
    artifacts: optional(pipe(array(FilePath), description('Built files whose digests are kept with the release'))),
    provenance: optional(pipe(FilePath, description('Write a statement of where the release comes from into this file'))),
    dryRun: optional(pipe(boolean(), description('Only say what would be done'))),
  }),
  result: strictObject({ release: Release, would: optional(array(string())), statement: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_DEPENDENCY_ERROR', 'E_FILE_ERROR'],
  tier: 1,
  scope: 'admin',
  cli: { command: 'release ship', args: ['version'] },
  // A world has neither a repository nor a remote.
  example: { world: ['T001 done'], call: { version: 'v1.0.0', bumpVersion: true, createTag: true, push: true }, exit: 4 },
  async run(ctx, { version, bumpVersion = false, createTag = false, push = false, artifacts = [], provenance, dryRun }) {
    const shipment = await Shipment.of(ctx, version, { bumpVersion, createTag, push });
    const shown = () => ctx.read((store) => releaseView(store, shipment.release));
    const left = stepsLeft(shipment.release, shipment.wanted, shipment.isCommitThere);
    const files = await shipment.digests(artifacts);
    if (left.length === 0 && !provenance && files.length === 0) return noChange({ release: await shown() });
    const warnings = await shipment.check(left, provenance);
    if (dryRun) {
      ctx.changes.updated.push(version);
      return answer({ release: await shown(), would: shipment.intentions(left) }, { dryRun: true, warnings });
    }
    for (const step of left.filter((name) => name !== 'push')) await shipment.take(step);
    await shipment.keepProvenance(files);
    // Before the push, which is what may fail: the statement is of the commit.
    const statement = provenance && (await shipment.writeStatement(provenance));
    if (left.includes('push')) await shipment.take('push');
    await shipment.close();
    ctx.changes.updated.push(version);
    return answer({ release: await shown(), ...(statement ? { statement } : {}) }, { warnings });
  },
});
