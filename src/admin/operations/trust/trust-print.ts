import { strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { readTrustState } from '../shared/trust-items.ts';
import { TrustPath } from './trust.ts';

export const adminTrustPrint = query({
  name: 'admin.trust.print',
  summary: 'Print the digest that CLEO_TRUST accepts in CI',
  params: strictObject({ path: TrustPath }),
  result: strictObject({ digest: string() }),
  errors: ['E_NOT_INITIALIZED', 'E_NOT_FOUND', 'E_SKILL'],
  tier: 2,
  needs: 'project',
  acceptsUntrusted: true,
  cli: { command: 'trust', args: ['path'], select: 'print', raw: 'digest' },
  example: { call: {} },
  async run(ctx, { path }) {
    const trust = await ctx.platform.loadTrust();
    const { files } = await readTrustState(ctx, trust, path);
    const digests = [await trust.computeDigest(ctx.project), await trust.computeDigest(ctx.project, files)];
    // Calls that do not use the named files are checked against the digest without them.
    return { digest: [...new Set(digests)].join(',') };
  },
});
