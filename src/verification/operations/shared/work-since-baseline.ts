import { relative } from 'node:path';
import type { Git, Platform, Project, TreeFile, WorkingTree } from '#platform/port.ts';
import type { TaskBaseline } from '#tasks/model/baseline.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { type BaselineMoment, findCommitProblem, findFileProblem, formatMissingBaseline, isChangedSince } from '../../rules/gate-policy.ts';

/** Tells work on a task from what was there before: the baseline of its first claim, or its creation if it was never claimed. */
export interface WorkSinceBaseline {
  findCommitProblem(commit: string): Promise<string | undefined>;
  /** The reason why one of the files is not work on the task. */
  findFilesProblem(files: TreeFile[]): Promise<string | undefined>;
}

interface WorkContext {
  platform: Platform;
  project: Project;
  task: Pick<TaskRecord, 'id' | 'createdAt'>;
  baseline: TaskBaseline | undefined;
}

export async function compareWithBaseline(ctx: WorkContext, tree: WorkingTree): Promise<WorkSinceBaseline> {
  const { platform, task, baseline } = ctx;
  const moment: BaselineMoment = { taskId: task.id, isClaim: baseline !== undefined };
  const at = baseline?.at ?? task.createdAt;
  const git = await platform.loadGit();
  const isRepository = (await git.getPrefix(tree.top).catch(() => undefined)) !== undefined;
  const base = isRepository ? await findBaseCommit(git, tree.top, baseline?.head, at) : undefined;
  // A branch that was cut before the baseline differs from it without any work. What it started from counts as well.
  const fork = base && (await git.findMergeBase(tree.top, base));
  // HEAD at the claim may have been an old commit. What the branch contained by then is not work either.
  const older = baseline?.head && base ? await git.findCommitBefore(tree.top, subtractClockSkew(at)) : undefined;
  const commits = [...new Set([base, fork, older])].filter((commit) => commit !== undefined);
  const missing = base === undefined && baseline?.head ? formatMissingBaseline(baseline.head, tree.top, moment) : undefined;

  const listChanged = async (files: TreeFile[]): Promise<Set<TreeFile>> => {
    if (!isRepository) return new Set(files.filter((file) => isChangedOutsideGit(ctx, file, at)));
    const names = new Map(files.map((file) => [relative(tree.top, file.path).replaceAll('\\', '/'), file] as const));
    const changed = new Set(files);
    for (const commit of commits)
      for (const name of await git.listUnchanged(tree.top, commit, [...names.keys()])) changed.delete(names.get(name)!);
    // An ignored file is in no commit, so only its time can show that it is new.
    for (const [name, file] of names)
      if (changed.has(file) && !isChangedSince(file, undefined, at) && (await git.isIgnored(tree.top, name))) changed.delete(file);
    return changed;
  };

  return {
    async findCommitProblem(commit) {
      if (missing) return missing;
      const isContained = await Promise.all(commits.map((known) => git.isAncestor(tree.top, commit, known)));
      const isInBaseline = isContained.includes(true);
      const isCopied = !isInBaseline && base !== undefined && (await git.isCopiedChange(tree.top, commit, base));
      return findCommitProblem(commit, { isInBaseline, isCopied, isEmpty: await git.isEmptyCommit(tree.top, commit) }, moment);
    },
    async findFilesProblem(files) {
      if (missing) return missing;
      const changed = await listChanged(files);
      for (const file of files) {
        const problem = findFileProblem(file.name, { isChanged: changed.has(file) }, moment);
        if (problem) return problem;
      }
      return undefined;
    },
  };
}

/** The clock of the machine that commits may be behind that of the one that recorded the claim. */
const maxClockSkewMs = 5 * 60_000;
const subtractClockSkew = (at: string): string => new Date(Date.parse(at) - maxClockSkewMs).toISOString();

/** Returns the commit of the baseline. The newest commit before it replaces one that this repository does not have, for example because
 *  the task was claimed in another clone. */
async function findBaseCommit(git: Git, top: string, head: string | undefined, at: string): Promise<string | undefined> {
  return (head && (await git.resolveCommit(top, head))) || git.findCommitBefore(top, at);
}

function isChangedOutsideGit({ platform, baseline }: WorkContext, file: TreeFile, at: string): boolean {
  const before = baseline?.files?.find(({ path }) => path === file.name);
  const sha256 = before?.sha256 === undefined ? {} : { sha256: platform.files.sha256(file.path) };
  return isChangedSince({ ...file, ...sha256 }, before, at);
}
