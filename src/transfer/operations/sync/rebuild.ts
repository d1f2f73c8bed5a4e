import { join } from 'node:path';
import { number, optional, strictObject, string } from 'valibot';
import { answer, job, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { buildStore, hasPlanFiles } from '../shared/build-store.ts';
import { listWarnings } from '../shared/sync-result.ts';

export const syncRebuild = job({
  name: 'sync.rebuild',
  summary: 'Rebuild a lost or damaged store from .cleo/plan',
  params: strictObject({}),
  result: strictObject({ rebuilt: number(), movedTo: optional(string()) }),
  errors: ['E_FILE_ERROR', 'E_LOCK_TIMEOUT', 'E_CONFIG_ERROR', 'E_NOT_INITIALIZED', 'E_DEPENDENCY_ERROR'],
  tier: 2,
  runsOn: 'both',
  needs: 'project',
  scope: 'admin',
  usesHost: true,
  cli: { command: 'sync', select: 'rebuild' },
  example: { call: {}, exit: 102 },
  async run(ctx) {
    const { platform, project, now, caller, gateway } = ctx;
    const config = ctx.config();
    const admin = await ctx.storeAdmin(project);
    const { exists, problems } = await admin.inspect();
    // Rebuilding a sound store would lose its log, claims and tokens.
    if (exists && problems.length === 0) return noChange({ rebuilt: 0 });
    if (!(await hasPlanFiles(platform, project)))
      throw new CleoError('E_CONFIG_ERROR', {
        path: '.cleo/plan',
        problem: 'has no records to rebuild the store from',
        fix: platform.backups.list(project).length > 0 ? 'cleo backup list' : 'cleo init',
      });
    await ctx.closeStores();
    const movedTo = await admin.moveAside(now);
    const facts = parseJson(platform.files.readText(join(project.folder, 'local.json')) ?? '');
    const { auditHead, replica, taskNumber } = isPlainObject(facts) ? facts : {};
    const lost = defined({ head: auditHead, replica, taskNumber }) as { head?: unknown; replica?: string; taskNumber?: number };
    const report = await buildStore({ platform, project, admin, config, now, caller, gateway, lost });
    return answer(
      { rebuilt: report?.records ?? 0, ...defined({ movedTo }) },
      { warnings: listWarnings({ problems: report?.problems ?? [] }) },
    );
  },
});
