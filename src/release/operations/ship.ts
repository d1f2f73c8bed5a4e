import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, job, noChange } from '#core/define.ts';
import { FilePath } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import { Release } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { listRemainingSteps } from '../rules/release.ts';
import { readReleaseView } from './shared/releases.ts';
import { Shipment } from './shared/shipment.ts';

export const releaseShip = job({
  name: 'release.ship',
  summary: 'Ship a release: changelog, version, commit, tag and push',
  params: strictObject({
    version: Version,
    bumpVersion: optional(
      pipe(boolean(), description('Write the version to package.json, Cargo.toml, pyproject.toml and VERSION, if they exist')),
    ),
    createTag: optional(pipe(boolean(), description('Create an annotated tag'))),
    push: optional(pipe(boolean(), description('Push the branch, and the tag if there is one'))),
    artifacts: optional(pipe(array(FilePath), description('Built files whose hashes are stored with the release'))),
    provenance: optional(pipe(FilePath, description('Write an in-toto provenance statement to this file'))),
    dryRun: optional(pipe(boolean(), description('Only list the steps'))),
  }),
  result: strictObject({ release: Release, would: optional(array(string())), statement: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_DEPENDENCY_ERROR', 'E_FILE_ERROR'],
  tier: 1,
  scope: 'admin',
  cli: { command: 'release ship', args: ['version'], view: async () => (await import('../view.ts')).releaseView },
  // The example exits with 4, because its project has no release to ship.
  example: { world: ['T001 done'], call: { version: 'v1.0.0', bumpVersion: true, createTag: true, push: true }, exit: 4 },
  async run(ctx, { version, bumpVersion = false, createTag = false, push = false, artifacts = [], provenance, dryRun }) {
    const shipment = await Shipment.open(ctx, version, { bumpVersion, createTag, push });
    const shown = () => ctx.read((store) => readReleaseView(store, shipment.release));
    const left = listRemainingSteps(shipment.release, shipment.options, shipment.hasCommit);
    const files = await shipment.hashArtifacts(artifacts);
    if (left.length === 0 && !provenance && files.length === 0) return noChange({ release: await shown() });
    const warnings = await shipment.check(left, provenance);
    if (dryRun) {
      ctx.changes.updated.push(version);
      return answer({ release: await shown(), would: shipment.describeSteps(left) }, { dryRun: true, warnings });
    }
    for (const step of left.filter((name) => name !== 'push')) await shipment.runStep(step);
    await shipment.saveProvenance(files);
    // The statement describes the commit, so it is written before the push, which may fail.
    const statement = provenance && (await shipment.writeStatement(provenance));
    if (left.includes('push')) await shipment.runStep('push');
    await shipment.close();
    ctx.changes.updated.push(version);
    return answer({ release: await shown(), ...defined({ statement }) }, { warnings });
  },
});
