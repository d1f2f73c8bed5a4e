import { array, optional, strictObject, string } from 'valibot';
import { noData, query } from '#core/define.ts';
import { FolderProblems, readTrustState, TrustEntrySchema } from '../shared/trust-items.ts';
import { TrustPath } from './trust.ts';

export const adminTrustStatus = query({
  name: 'admin.trust.status',
  summary: 'Show what needs trust in this project',
  params: strictObject({ path: TrustPath }),
  result: strictObject({
    entries: array(TrustEntrySchema),
    root: string(),
    folder: optional(FolderProblems),
    /** Other settings that were changed by other means than config set. */
    changed: optional(array(TrustEntrySchema)),
  }),
  errors: ['E_NOT_INITIALIZED', 'E_NOT_FOUND', 'E_SKILL'],
  tier: 2,
  needs: 'project',
  acceptsUntrusted: true,
  cli: { command: 'trust status', args: ['path'], view: async () => (await import('../../view/trust.ts')).trustView },
  example: { call: {}, exit: 100 },
  async run(ctx, { path }) {
    const { platform, project } = ctx;
    const trust = await platform.loadTrust();
    const { entries, folder } = await readTrustState(ctx, trust, path);
    const changed = trust.listPolicyChanges(project).map(({ kind: _, ...change }) => change);
    const result = {
      entries,
      root: project.root,
      ...(folder.length > 0 ? { folder } : {}),
      ...(changed.length > 0 ? { changed } : {}),
    };
    return entries.length + folder.length + changed.length > 0 ? result : noData(result);
  },
});
