import { description, picklist, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { pluralize } from '#lib/noun.ts';
import { gitHookNames } from '../../rules/git-hooks.ts';
import { findPlanChanges } from '../shared/plan-changes.ts';
import { needsSync } from '../shared/plan-pending.ts';

export const syncGitHook = job({
  name: 'sync.git-hook',
  summary: 'Synchronize the plan in a git hook',
  params: strictObject({ gitHook: pipe(picklist(gitHookNames), description('The hook that git runs')) }),
  result: strictObject({ report: pipe(string(), description('What people should know; empty if nothing happened')) }),
  errors: ['E_VALIDATION', 'E_CONFIG_ERROR', 'E_FILE_ERROR', 'E_DEPENDENCY_ERROR', 'E_NOT_INITIALIZED', 'E_STORE_DAMAGED'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  cli: { command: 'sync', select: 'gitHook', raw: 'report' },
  example: { call: { gitHook: 'post-merge' } },
  async run(ctx, { gitHook }) {
    const { platform, project, now, read, write } = ctx;
    const config = ctx.config();
    if (config['sync.mode'] === 'off') return answer({ report: '' }, { isUnlogged: true });
    const isReadOnly = gitHook !== 'pre-commit';
    const modes = { isReadOnly, isDryRun: false };
    // Git looks at the plan files while this process does. Most commits change none of them.
    const early = isReadOnly ? undefined : findPlanChanges(platform, project, config);
    early?.catch(() => {});
    const isPending = await read((store) => needsSync({ store, platform, project, now, config }, modes)).catch((error: unknown) => {
      // A commit must not wait for a server: its people run `cleo sync`.
      if (error instanceof CleoError && error.row === 'E_STORE_BEHIND_SERVER') return undefined;
      throw error;
    });
    if (isPending === undefined) return answer({ report: '' }, { isUnlogged: true });
    const found = await early;
    if (!isPending && !found) return answer({ report: '' }, { isUnlogged: true });
    const { syncCheckout } = await import('../shared/sync-checkout.ts');
    const { listWarnings } = await import('../shared/sync-result.ts');
    const synced = isPending ? await write((store) => syncCheckout({ store, platform, project, now, config }, modes)) : undefined;
    const lines = [...(synced?.issues ?? []).map(({ message }) => message), ...listWarnings({ problems: synced?.problems ?? [] })];
    const changes = isPending && !isReadOnly ? await findPlanChanges(platform, project, config) : found;
    const staged = changes ? await (await import('../shared/staged-secrets.ts')).stagePlanFiles(platform, changes) : 0;
    // Git looks for something to commit before it runs the hook.
    if (staged > 0) lines.push(`staged ${pluralize(staged, 'plan file')}; if git commits nothing, run the same command again`);
    const report = lines.map((line) => `cleo: ${line}\n`).join('');
    return answer({ report }, synced?.isChanged ? {} : { isUnlogged: true });
  },
});
