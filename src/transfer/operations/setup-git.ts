import { array, boolean, description, optional, picklist, pipe, record, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { omitEmpty } from '#lib/collections.ts';
import { planGitSetup, writeGitSetup } from './shared/git-setup.ts';
import { hookedPlan } from './shared/plan-travel.ts';
import { confirmPublication, countPublished } from './shared/publication.ts';

const FileChangeSchema = strictObject({ file: string(), change: picklist(['created', 'updated', 'deleted']) });

export const adminSetupGit = job({
  name: 'admin.setup.git',
  summary: 'Let the plan travel with git: hooks and merge driver',
  params: strictObject({
    yes: optional(pipe(boolean(), description('Do not ask on a terminal'))),
    remove: optional(pipe(boolean(), description('Remove everything that setup git has written; the plan files stay'))),
    dryRun: optional(pipe(boolean(), description('Only report what would be written'))),
  }),
  result: strictObject({
    files: array(FileChangeSchema),
    settings: optional(pipe(array(string()), description('Keys of .git/config that were set or removed'))),
    publishes: optional(pipe(record(string(), wholeNumber({ min: 0 })), description('Records that commits will contain, by kind'))),
    plan: optional(pipe(string(), description('How the plan reaches other clones'))),
    steps: optional(pipe(array(string()), description('Lines that a person adds, where another tool manages the hooks'))),
    dryRun: optional(boolean()),
  }),
  errors: ['E_NOT_INITIALIZED', 'E_CONFIG_ERROR', 'E_FILE_ERROR', 'E_DEPENDENCY_ERROR', 'E_STORE_DAMAGED'],
  tier: 1,
  needs: 'project',
  usesHost: true,
  cli: { command: 'setup git' },
  example: { call: { dryRun: true }, exit: 8 },
  async run(ctx, { yes = false, remove = false, dryRun = false }) {
    const { platform, project } = ctx;
    const git = await platform.loadGit();
    const tree = await platform.findWorkingTree(project);
    const hooks = await git.findHooks(tree.top);
    if (!hooks)
      throw new CleoError('E_CONFIG_ERROR', {
        path: tree.top,
        problem: 'is not in a git repository, so there are no hooks to set up',
        fix: 'git init && cleo setup git',
      });
    const plan = await planGitSetup(platform, { tree, hooks, git, isRemoval: remove });
    const publishes = remove ? undefined : await ctx.read((store) => countPublished(store, ctx, ctx.config()));
    const isEmpty = plan.edits.length === 0 && Object.keys(plan.settings).length === 0;
    if (!dryRun && !isEmpty) {
      if (publishes && !yes && !(await confirmPublication(ctx, publishes)))
        throw new CleoError('E_CONFIG_ERROR', {
          path: tree.top,
          problem: 'was not changed: the answer was no',
          fix: 'cleo setup git --yes',
        });
      await writeGitSetup(platform, tree, git, plan);
    }
    const result = {
      files: plan.edits.map(({ file, change }) => ({ file, change })),
      ...omitEmpty({ settings: Object.keys(plan.settings), steps: plan.steps }),
      ...(publishes ? { publishes, plan: hookedPlan } : {}),
      ...(dryRun ? { dryRun } : {}),
    };
    return answer(result, { warnings: plan.warnings, ...(isEmpty ? { exit: remove ? (102 as const) : (101 as const) } : {}) });
  },
});
