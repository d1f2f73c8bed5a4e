import { array, description, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TrustChange } from '#core/model/trust.ts';
import { requireReader } from '#core/require-reader.ts';
import { formatTrustPreview } from '../../rules/trust-preview.ts';
import { FolderProblems, readTrustState, TrustEntrySchema } from '../shared/trust-items.ts';

export const TrustPath = optional(
  pipe(
    string(),
    maxLength(4096, 'must have at most 4096 characters'),
    description('A construct or skill folder in another place than the usual ones'),
    metadata({ value: 'PATH' }),
  ),
);

export const adminTrust = job({
  name: 'admin.trust',
  summary: 'Trust what this project runs and connects to',
  params: strictObject({ path: TrustPath }),
  result: strictObject({ trusted: array(TrustEntrySchema), root: string(), folder: optional(FolderProblems) }),
  errors: ['E_NOT_INITIALIZED', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_SKILL'],
  tier: 2,
  needs: 'project',
  acceptsUntrusted: true,
  usesHost: true,
  scope: {
    scope: 'admin',
    when: 'unless everything is trusted, or `CLEO_TRUST` is the digest of the content',
    // An error offers it only for content that is not trusted.
    isNeeded: () => true,
  },
  synonyms: ['allow'],
  cli: { command: 'trust', args: ['path'], view: async () => (await import('../../view/trust.ts')).trustView },
  example: { call: {}, exit: 102 },
  async run(ctx, params) {
    const { platform, project } = ctx;
    const trust = await platform.loadTrust();
    const state = await readTrustState(ctx, trust, params.path);
    const result = { trusted: state.entries, root: project.root, ...(state.folder.length > 0 ? { folder: state.folder } : {}) };
    const policyChanges = trust.listPolicyChanges(project);
    const preview = formatTrustPreview(
      project.root,
      [...state.entries.filter(isNotTrusted), ...policyChanges] as Omit<TrustChange, 'kind'>[],
      state.folder.filter(isNotTrusted).map(({ problem }) => problem),
    );
    if (preview.length === 1) return noChange(result);
    // The digest does not cover the settings that a clone may bring.
    if (policyChanges.length > 0 || !(await trust.isTrustedByDigest(project, state.files))) {
      if (!requireReader(ctx, 'admin', { subject: 'trust', content: preview, preview }))
        throw new CleoError('E_PROJECT_UNTRUSTED', {
          problem: 'The project has changed while it was confirmed; nothing is trusted',
          root: project.root,
          fix: ctx.commandWith({}),
        });
    }
    await trust.trustAll(project, state.files);
    return result;
  },
});

const isNotTrusted = ({ state }: { state: string }): boolean => state !== 'trusted';
