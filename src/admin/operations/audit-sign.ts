import { answer, query, readStep } from '#core/define.ts';
import { defined } from '#lib/collections.ts';
import '../errors.ts';
import { boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { SignedHeadSchema } from '../model/signed-head.ts';
import { toProjectIdentity } from '../rules/audit-chain.ts';
import { headsFile } from '../rules/audit-heads.ts';
import { HeadNumbers, readHashes, readOwnHeads, requireSameLog } from './shared/own-heads.ts';
import { inspectLog, requireIntact } from './shared/prove-log.ts';
import { findRecordSigner, signHead } from './shared/sign-head.ts';

/** A log that contradicts an earlier head is not signed again. */
const headStep = readStep({
  name: 'head',
  params: strictObject({ numbers: HeadNumbers }),
  run: async ({ store, platform, project, config }, { numbers }) => ({
    proof: requireIntact(await inspectLog({ platform, project, config }, store)),
    hashes: await readHashes(store, numbers),
    projectKey: config['project.key'],
  }),
});

export const adminAuditSign = query({
  name: 'admin.audit.sign',
  summary: 'Sign the last entry of the audit log',
  params: strictObject({ ssh: optional(pipe(boolean(), description('Sign with your SSH key of audit.signers'))) }),
  result: strictObject({
    signedHead: SignedHeadSchema,
    /** The file that the head was appended to. */
    file: pipe(string(), description('File below .cleo that holds the signed heads')),
    createdKey: optional(pipe(boolean(), description('True if this call created the key'))),
  }),
  errors: ['E_CHECKSUM_MISMATCH', 'E_FILE_ERROR', 'E_VALIDATION', 'E_NOT_FOUND', 'E_DEPENDENCY_ERROR'],
  usesHost: true,
  tier: 2,
  steps: [headStep],
  cli: { command: 'audit sign' },
  example: { call: {} },
  async run({ runStep, platform, project, config, now }, { ssh }) {
    const { key, isNew } = await findRecordSigner(platform, config, ssh);
    const heads = await readOwnHeads(platform, project, key);
    const { proof, hashes, projectKey } = await runStep(headStep, { numbers: heads.map(({ seq }) => seq) });
    requireSameLog(proof, heads, hashes);
    const identity = toProjectIdentity(projectKey, proof.replica);
    const signedHead = await signHead(key, { ...proof, project: identity, at: now });
    return answer(
      { signedHead, file: headsFile, ...defined({ createdKey: isNew || undefined }) },
      {
        appendLine: { file: headsFile, line: JSON.stringify(signedHead) },
        ...(isNew
          ? {
              warnings: [`created the key ${key.source}; others trust it after: cleo config set audit.signers '["NAME ${key.publicKey}"]'`],
            }
          : {}),
      },
    );
  },
});
