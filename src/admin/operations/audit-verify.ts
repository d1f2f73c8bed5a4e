import { answer, query } from '#core/define.ts';
import { Line } from '#core/model/texts.ts';
import { defined } from '#lib/collections.ts';
import '../errors.ts';
import { array, description, literal, metadata, number, optional, picklist, pipe, strictObject, string } from 'valibot';
import { CoverageSchema, proofLevels } from '../model/signed-head.ts';
import { findHeadSources } from './shared/head-sources.ts';
import { inspectLog, type LogProof, requireIntact, requireLevel } from './shared/prove-log.ts';

/** A log whose chain and heads are intact, and the part of it that is signed or anchored. */
export const VerifiedChain = strictObject({
  ok: literal(true),
  entries: number(),
  head: string(),
  level: picklist(proofLevels),
  signed: optional(CoverageSchema),
  anchored: optional(CoverageSchema),
});

export const toVerifiedChain = ({ entries, head, level, signed, anchored }: LogProof) => ({
  ok: true as const,
  entries,
  head,
  level,
  ...defined({ signed, anchored }),
});

/** Parameters that say which signatures count and where anchors are looked up. */
export const proofParams = {
  heads: optional(
    pipe(string(), description('Signed heads that were stored elsewhere, one JSON object per line'), metadata({ value: 'FILE' })),
  ),
  remote: optional(pipe(Line, description('Git remote to look up anchors on'), metadata({ value: 'NAME' }))),
  signer: optional(
    pipe(array(string()), description('Public keys that count, instead of audit.signers and your own'), metadata({ value: 'KEY' })),
  ),
  require: optional(pipe(picklist(['signed', 'anchored']), description('Fail (exit 1) below this level of proof'))),
};

export const adminAuditVerify = query({
  name: 'admin.audit.verify',
  summary: 'Verify the audit log and its signed heads',
  params: strictObject(proofParams),
  result: strictObject({ chain: VerifiedChain }),
  errors: ['E_CHECKSUM_MISMATCH', 'E_LOG_UNPROVEN', 'E_VALIDATION', 'E_DEPENDENCY_ERROR'],
  tier: 1,
  runsOn: 'server',
  needs: 'project',
  cli: { command: 'audit verify', read: { heads: { as: 'text' } } },
  example: { call: {} },
  async run(ctx, params) {
    // Looked up before the transaction opens, because a remote can be slow.
    const { sources, warnings } = await findHeadSources(ctx, params);
    const proof = requireIntact(await ctx.read((store) => inspectLog(ctx, store, defined({ sources, signers: params.signer }))));
    requireLevel('the audit log', proof.level, params.require);
    return answer({ chain: toVerifiedChain(proof) }, { warnings: [...warnings, ...proof.warnings] });
  },
});
