import type { JobContext } from '#core/define.ts';
import { askPerson } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { needsTrust } from '#core/rules/trust.ts';
import { defined } from '#lib/collections.ts';
import { noUsage } from '../../rules/agent-stream.ts';
import type { Budget } from '../../rules/budget.ts';
import { requireProfile } from './require-profile.ts';
import { saveProcess, type WorkRun } from './work-run.ts';
import { workSteps } from './work-steps.ts';
import { createWorktreesFolder } from './worktree.ts';

interface WorkOptions {
  scope: string | undefined;
  profile: string | undefined;
  parallel: number;
  isInPlace: boolean;
  isDryRun: boolean;
  budget: Omit<Budget, 'maxFailures'>;
}

/** Checks everything that a run needs, and creates its state. Call `stop` when it has ended. */
export async function openWork(ctx: JobContext, options: WorkOptions): Promise<{ work: WorkRun; root: TaskId | undefined; stop(): void }> {
  const { platform, project } = ctx;
  const config = ctx.config();
  const runner = await platform.createRunner(project);
  if (runner.env.CLEO_WORK_RUN)
    throw new CleoError('E_FORBIDDEN', {
      problem: 'cleo work cannot run inside an agent that cleo work started',
      fix: askPerson('cleo work'),
    });
  // Agents get the token, and must not get the scope of a person with it.
  if (ctx.isClient && (await ctx.mayHaveScope('decide')))
    throw new CleoError('E_FORBIDDEN', {
      problem: 'cleo work needs a token of scope mutate here, because its agents get it; this one may do what only people may',
      fix: askPerson('cleo token create --name work --role contributor'),
    });
  const scoped = options.scope === undefined ? undefined : await ctx.runStep(workSteps.scope, { scope: options.scope });
  const profile = requireProfile({ ...ctx, config }, options.profile);
  const validator = config['work.validator'] === '' ? profile : requireProfile({ ...ctx, config }, config['work.validator']);
  // Everything that a clone or a colleague could have brought along to decide what runs here. The settings are read once, so a value that
  // is replaced in the shared store later is checked here too.
  const { values } = platform.config.inspect(platform.config.projectFile(project));
  const keys = Object.keys({ ...values, ...platform.config.getShared(project) }).filter(
    (key) => needsTrust(key) && /^(work|profiles)\./.test(key),
  );
  if (keys.length > 0) await (await ctx.platform.loadTrust()).requireTrusted(ctx.project, { keys });
  const plain = await platform.loadGit();
  const git = { ...plain, ...(await plain.loadWorktrees()) };
  const base = await findBase(ctx, git, options.isInPlace, config['work.base']);
  const processes = await platform.loadProcesses();
  const drain = new AbortController();
  const kill = new AbortController();
  const workId = `${Date.parse(ctx.now).toString(36)}${platform.randomHex(4)}`;
  const work: WorkRun = {
    ...{ ctx, config, runner, git, profile, validator, base, drain, kill },
    budget: { ...options.budget, maxFailures: config['work.maxFailures'] },
    isInPlace: options.isInPlace,
    processKey: processes.getProcessKey(),
    process: {
      ...runner.identifyProcess(),
      ...{ workId, profile: profile.name, parallel: options.parallel, startedAt: ctx.now, tasks: 0, failures: 0, usage: noUsage },
      ...defined({ scope: scoped?.scope }),
    },
    except: new Set(),
    active: new Map(),
    results: [],
  };
  const root = scoped?.root;
  if (options.isDryRun) return { work, root, stop: () => {} };
  createWorktreesFolder(work);
  saveProcess(work);
  return { work, root, stop: listenForSignals(work, processes) };
}

/** Ctrl-C or SIGTERM once lets the running agents finish, twice ends them. */
function listenForSignals(work: WorkRun, processes: Awaited<ReturnType<JobContext['platform']['loadProcesses']>>): () => void {
  const { ctx, drain, kill } = work;
  const end = (): void => {
    if (drain.signal.aborted) return;
    saveProcess(work, { ending: 'interrupted' });
    ctx.observe?.('work_draining', { running: work.active.size }, {});
    drain.abort();
  };
  const callEnded = ctx.signal;
  callEnded?.addEventListener('abort', end, { once: true });
  if (ctx.gateway !== 'cli') return () => callEnded?.removeEventListener('abort', end);
  const interrupts = processes.listenForInterrupts(() => kill.abort());
  interrupts.signal.addEventListener('abort', end, { once: true });
  return () => {
    interrupts.stop();
    callEnded?.removeEventListener('abort', end);
  };
}

/** The branch that worktrees start from. */
async function findBase(
  { project, commandWith }: JobContext,
  git: WorkRun['git'],
  isInPlace: boolean,
  configured: string,
): Promise<string> {
  const { root } = project;
  if (isInPlace) return 'HEAD';
  const createError = (problem: string, fix: string): CleoError => new CleoError('E_DEPENDENCY_ERROR', { tool: 'git', problem, fix });
  if ((await git.getPrefix(root)) === undefined)
    throw createError(`${root} is not in a git repository, so agents cannot get worktrees`, commandWith({ inPlace: true }));
  const base = configured || (await git.getBranch(root));
  if (base === undefined) throw createError('no branch is checked out; set work.base', 'cleo config set work.base main');
  if (!(await git.hasRef(root, `refs/heads/${base}`)) || !git.isRef(base))
    throw createError(`the base branch ${base} does not exist or has no commit`, 'cleo config get work.base');
  return base;
}
