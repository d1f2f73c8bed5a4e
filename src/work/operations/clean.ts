import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, job } from '#core/define.ts';
import { pluralize } from '#lib/noun.ts';
import { isUnfinished } from '../rules/stored-work.ts';
import { listItems, listProcesses } from './shared/stored-items.ts';
import { listWorktreeNames, removeSpares, removeWorktree } from './shared/worktree.ts';

export const workClean = job({
  name: 'work.clean',
  summary: 'Remove the worktrees that cleo work left',
  params: strictObject({
    changed: optional(pipe(boolean(), description('Also worktrees with changes that are not committed; the changes are lost'))),
    dryRun: optional(pipe(boolean(), description('Only list what would be removed'))),
  }),
  result: strictObject({
    cleaned: strictObject({
      summary: string(),
      removed: array(string()),
      /** Worktrees that stay, and why. */
      kept: optional(array(strictObject({ worktree: string(), reason: string() }))),
    }),
  }),
  errors: ['E_DEPENDENCY_ERROR', 'E_FILE_ERROR'],
  tier: 2,
  needs: 'project',
  usesHost: true,
  cli: { command: 'work clean', asks: 'confirmation' },
  example: { world: ['T001'], call: { dryRun: true }, exit: 102 },
  async run(ctx, { changed = false, dryRun = false }) {
    const { platform, project } = ctx;
    const runner = await platform.createRunner(project);
    const git = await platform.loadGit();
    const work = { ctx, git: { ...git, ...(await git.loadWorktrees()) } };
    const isRepository = (await git.getPrefix(project.root)) !== undefined;
    const names = isRepository ? await listWorktreeNames(work) : [];
    const inUse = new Map(
      listItems(runner)
        .filter((item) => isUnfinished(item) && runner.isAlive(item))
        .map((item) => [item.worktree, item.taskId]),
    );
    const waiting = new Map(
      listItems(runner)
        .filter(({ state }) => state === 'waiting')
        .map((item) => [item.worktree, item.taskId]),
    );
    const isRunning = listProcesses(runner).length > 0;
    const removed: string[] = [];
    const kept: { worktree: string; reason: string }[] = [];
    for (const name of names) {
      const folder = `${project.folder}/worktrees/${name}`;
      const changes = changed ? [] : await work.git.listUncommitted(folder);
      const reason = inUse.has(name)
        ? `an agent works on ${inUse.get(name)} in it`
        : isRunning && ['integration'].includes(name)
          ? 'cleo work uses it'
          : waiting.has(name)
            ? `the work on ${waiting.get(name)} waits to be merged`
            : changes.length > 0
              ? `it has uncommitted changes: ${changes.slice(0, 3).join(', ')}; --changed removes it`
              : undefined;
      if (reason !== undefined) kept.push({ worktree: name, reason });
      else removed.push(name);
    }
    if (!dryRun) {
      for (const name of removed) await removeWorktree(work, name);
      removeSpares({ ...work, runner });
    }
    const summary = `Remove ${pluralize(removed.length, 'worktree')}${removed.length > 0 ? `: ${removed.join(', ')}` : ''}; branches stay`;
    const options = removed.length === 0 ? { exit: 102 as const } : dryRun ? { dryRun: true as const } : {};
    return answer({ cleaned: { summary, removed, ...(kept.length > 0 ? { kept } : {}) } }, { ...options, isUnlogged: true });
  },
});
