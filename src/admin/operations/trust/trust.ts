import { array, description, maxLength, metadata, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { FolderProblems, readTrustState, TrustEntrySchema, type TrustState } from '../shared/trust-items.ts';

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
  scope: 'admin',
  synonyms: ['allow'],
  cli: { command: 'trust', args: ['path'], view: async () => (await import('../../view/trust.ts')).trustView },
  example: { call: {}, exit: 102 },
  async run(ctx, { path }) {
    const { platform, project } = ctx;
    const trust = await platform.loadTrust();
    const state = await readTrustState(ctx, trust, path);
    const result = { trusted: state.entries, root: project.root, ...(state.folder.length > 0 ? { folder: state.folder } : {}) };
    const hasPolicyChange = trust.listPolicyChanges(project).length > 0;
    if (isTrusted(state) && !hasPolicyChange) return noChange(result);
    await trust.trustAll(project, state.files);
    return result;
  },
});

const isTrusted = ({ entries, folder }: TrustState): boolean => [...entries, ...folder].every(({ state }) => state === 'trusted');
