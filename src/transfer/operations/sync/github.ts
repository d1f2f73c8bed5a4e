import { array, boolean, description, maxLength, minLength, number, optional, picklist, pipe, regex, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { limitParam } from '#core/page.ts';
import { checkAncestryInScope } from '#tasks/operations/shared/scope.ts';
import '../../errors.ts';
import { conflictPolicies } from '../../rules/three-way.ts';

const Repository = pipe(
  string(),
  maxLength(140, 'must have at most 140 characters'),
  regex(/^[A-Za-z\d](?:[A-Za-z\d-]{0,38})\/(?!\.{1,2}$)[\w.-]{1,100}$/, 'must be owner/name'),
);

const Count = strictObject({ created: number(), updated: number(), unchanged: optional(number()) });

export const syncGithub = job({
  name: 'sync.github',
  summary: 'Synchronize tasks with the issues of a repository',
  params: strictObject({
    repo: pipe(Repository, description('Repository on GitHub, as owner/name')),
    push: optional(
      pipe(
        array(TaskIdSchema),
        minLength(1, 'must not be empty'),
        maxLength(1000, 'must have at most 1000 ids'),
        description('Create issues for these tasks; without it only tasks that have an issue are written'),
      ),
    ),
    pushAll: optional(pipe(boolean(), description('Create issues for all open tasks that have none'))),
    pullOnly: optional(pipe(boolean(), description('Write nothing to GitHub'))),
    onConflict: optional(
      pipe(picklist(conflictPolicies), description('Value that wins if it changed here and on GitHub; newer: the later one')),
      'newer',
    ),
    dryRun: optional(pipe(boolean(), description('Only report what would be written, here and on GitHub'))),
    limit: limitParam(50, 'Maximum number of changes, losses and conflicts to report'),
  }),
  result: strictObject({
    sync: strictObject({ repo: string(), issues: number(), pulled: Count, pushed: Count }),
    changes: optional(
      array(
        strictObject({
          side: picklist(['here', 'github']),
          action: picklist(['create', 'update', 'close', 'reopen']),
          id: optional(string()),
          taskId: string(),
          title: optional(string()),
          fields: optional(array(string())),
        }),
      ),
    ),
    changeCount: optional(number()),
    conflicts: optional(array(strictObject({ id: string(), taskId: string(), field: string(), kept: picklist(['ours', 'theirs']) }))),
    conflictCount: optional(number()),
    losses: optional(array(strictObject({ id: string(), field: string(), why: string() }))),
    lossCount: optional(number()),
  }),
  errors: [
    'E_GITHUB_BUSY',
    'E_GITHUB_DENIED',
    'E_GITHUB_RATE_LIMIT',
    'E_GITHUB_UNREACHABLE',
    'E_NOT_FOUND',
    'E_INVALID_INPUT',
    'E_CONFIG_ERROR',
    'E_TASK_NOT_IN_SCOPE',
  ],
  tier: 1,
  runsOn: 'both',
  usesHost: true,
  progress: async () => (await import('../../rules/import-progress.ts')).importProgress,
  cli: { command: 'sync github', view: async () => (await import('../../view.ts')).githubView },
  example: { call: { repo: 'octo/plan', dryRun: true }, exit: 8 },
  async run(ctx, { repo, push, pushAll = false, pullOnly = false, onConflict, dryRun = false, limit }) {
    checkAncestryInScope(ctx.session, []);
    if (pullOnly && (push || pushAll))
      throw new CleoError('E_INVALID_INPUT', {
        problem: 'pullOnly writes nothing to GitHub, so that it excludes push and pushAll',
        fix: ctx.commandWith({ pullOnly: undefined }),
        field: 'pullOnly',
      });
    const connection = await ctx.platform.connectGithub();
    if (!connection.isSafe)
      throw new CleoError('E_CONFIG_ERROR', {
        path: 'GITHUB_API_URL',
        problem: 'must be an https address, so that the token is not sent in clear text',
        fix: 'cleo help sync github',
      });
    if (!(await connection.hasToken()))
      throw new CleoError('E_GITHUB_DENIED', {
        problem: 'There is no token for GitHub',
        fix: ctx.commandWith({}),
        manual: 'Set GITHUB_TOKEN, or run: gh auth login',
      });
    const { syncRepository } = await import('../shared/github-sync.ts');
    const report = await syncRepository(ctx, connection, {
      repo,
      newIds: push ?? [],
      pushesAll: pushAll,
      isPullOnly: pullOnly,
      policy: onConflict,
      isDryRun: dryRun,
    });
    const limitList = <K extends string, T>(key: K, countKey: string, list: T[]) =>
      list.length === 0 ? {} : { [key]: list.slice(0, limit), ...(list.length > limit ? { [countKey]: list.length } : {}) };
    const { changes, conflicts, losses, warnings, preview, ...sync } = report;
    return answer(
      {
        sync,
        ...limitList('changes', 'changeCount', changes),
        ...limitList('conflicts', 'conflictCount', conflicts),
        ...limitList('losses', 'lossCount', losses),
      },
      {
        warnings,
        ...(dryRun ? { preview } : {}),
        ...(dryRun ? { dryRun: true as const } : {}),
        ...(changes.length === 0 ? { exit: 102 as const } : {}),
      },
    );
  },
});
