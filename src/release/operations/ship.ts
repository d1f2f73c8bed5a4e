import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, job, noChange } from '#core/define.ts';
import { FilePath } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import { ReleaseSchema } from '../model/release.ts';
import { Version } from '../model/version.ts';
import { listRemainingSteps } from '../rules/release.ts';
import { shipSteps } from './shared/ship-steps.ts';
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
  result: strictObject({ release: ReleaseSchema, would: optional(array(string())), statement: optional(string()) }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION', 'E_DEPENDENCY_ERROR', 'E_FILE_ERROR'],
  tier: 1,
  steps: Object.values(shipSteps),
  usesHost: true,
  cli: { command: 'release ship', args: ['version'], view: async () => (await import('../view.ts')).releaseView },
  // The example exits with 4, because its project has no release to ship.
  example: { world: ['T001 done'], call: { version: 'v1.0.0', bumpVersion: true, createTag: true, push: true }, exit: 4 },
  async run(ctx, { version, bumpVersion = false, createTag = false, push = false, artifacts = [], provenance, dryRun }) {
    const shipment = await Shipment.open(ctx, version, { bumpVersion, createTag, push });
    const readView = () => ctx.runStep(shipSteps.view, { version });
    const remaining = listRemainingSteps(shipment.release, shipment.options, shipment.hasCommit);
    const files = await shipment.hashArtifacts(artifacts);
    if (remaining.length === 0 && !provenance && files.length === 0) return noChange({ release: await readView() });
    const warnings = await shipment.check(remaining, provenance);
    if (dryRun) {
      ctx.changes.updated.push(version);
      return answer({ release: await readView(), would: shipment.describeSteps(remaining) }, { dryRun: true, warnings });
    }
    for (const step of remaining.filter((name) => name !== 'push')) await shipment.runStep(step);
    await shipment.saveProvenance(files);
    // The statement describes the commit, so it is written before the push, which may fail.
    const statement = provenance && (await shipment.writeStatement(provenance));
    if (remaining.includes('push')) await shipment.runStep('push');
    await shipment.close();
    ctx.changes.updated.push(version);
    return answer({ release: await readView(), ...defined({ statement }) }, { warnings });
  },
});
