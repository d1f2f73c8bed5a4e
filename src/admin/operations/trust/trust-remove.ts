import { resolve } from 'node:path';
import { description, optional, pipe, strictObject, string } from 'valibot';
import { job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';

export const adminTrustRemove = job({
  name: 'admin.trust.remove',
  summary: 'Forget what was trusted in a project',
  params: strictObject({ path: optional(pipe(string(), description('Folder of the project; default: this project'))) }),
  result: strictObject({ path: string() }),
  errors: ['E_NOT_INITIALIZED', 'E_FILE_ERROR'],
  tier: 2,
  needs: 'nothing',
  acceptsUntrusted: true,
  scope: 'admin',
  synonyms: ['revoke', 'deny', 'forget'],
  cli: { command: 'trust remove', args: ['path'] },
  example: { call: { path: 'old-project' }, exit: 102 },
  async run({ platform }, { path }) {
    const project = path === undefined ? platform.getProject() : { root: resolve(platform.folder, path), folder: '' };
    if (!project) throw new CleoError('E_NOT_INITIALIZED', { folder: platform.folder, root: platform.root });
    const trust = await platform.loadTrust();
    const root = trust.resolveRoot(project);
    return trust.remove(root) ? { path: root } : noChange({ path: root });
  },
});
