import { resolve } from 'node:path';
import { array, boolean, description, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, mutation } from '#core/define.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { requestFacts } from '#core/observation.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { observeSkillsFirst, spawnObservations } from '#orchestration/operations/shared/spawn-inputs.ts';
import { spawnTask } from '#orchestration/operations/shared/spawn-task.ts';
import { type SpawnFiles, writeSpawnFiles } from '#orchestration/operations/shared/write-prompts.ts';
import { TakenOverFrom } from '#tasks/model/task.ts';
import { baselineObservations, observeHeadFirst } from '#tasks/operations/shared/baseline.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { Root, rootAliases } from '#tasks/operations/shared/params.ts';
import { startTask } from '#tasks/operations/shared/task-transitions.ts';
import { listFreeTasks } from '#tasks/rules/next.ts';
import { groupObstacles } from '../rules/selection.ts';
import { ownProfile } from './shared/own-profile.ts';
import { ProfileParam, RetryParam } from './shared/params.ts';
import { type Candidate, listCandidates, prepareCandidate } from './shared/select-task.ts';

const ClaimedTask = strictObject({
  taskId: string(),
  title: string(),
  agentId: string(),
  /** The name of the task's worktree in `.cleo/worktrees`; absent if the agent works in the project folder. */
  worktree: optional(string()),
  branch: optional(string()),
  promptFile: string(),
  outputDir: string(),
  promptTokens: number(),
  takenOverFrom: TakenOverFrom,
});

export const workClaim = mutation({
  name: 'work.claim',
  summary: 'Claim the next task and spawn an agent for it',
  params: strictObject({
    epic: Root,
    profile: ProfileParam,
    retry: RetryParam,
    inPlace: optional(pipe(boolean(), description('The agent works in the project folder'), metadata({ isRare: true }))),
    wait: optional(pipe(boolean(), description('Wait until there is a task to claim'))),
    timeout: optional(pipe(wholeNumber({ min: 0, max: 86_400 }), description('Wait for at most this many seconds, then exit with 100'))),
    process: optional(pipe(string(), description('The process that keeps the claim'), metadata({ isRare: true }))),
    unmerged: optional(pipe(array(string()), description('Tasks whose work is not in the base branch yet'), metadata({ isRare: true }))),
    except: optional(pipe(array(string()), description('Tasks that are not taken'), metadata({ isRare: true }))),
    worktrees: optional(pipe(array(string()), description('Names of the worktrees that exist'), metadata({ isRare: true }))),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    claimed: optional(ClaimedTask),
    /** Ready tasks that cannot be started now, by the reason. */
    obstacles: optional(array(strictObject({ reason: string(), tasks: array(string()) }))),
    /** The limit over all machines that leaves no room. */
    limit: optional(string()),
    /** In a dry run: the tasks that can be started, in this order. */
    ready: optional(array(strictObject({ taskId: string(), title: string() }))),
  }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE', 'E_CONFIG_ERROR', 'E_FILE_ERROR', 'E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED'],
  tier: 2,
  shares: ['prompts'],
  observes: [ownProfile, ...spawnObservations, ...baselineObservations],
  observeFirst: ({ profile }) => [requestFacts(ownProfile, defined({ profile })), ...observeSkillsFirst(), ...observeHeadFirst()],
  apply: (ctx, _, data) => writeSpawnFiles(ctx, data),
  dryRun: true,
  cli: { command: 'work claim', args: ['epic'] },
  example: { world: ['T001 epic', 'T002 in T001: Investigate slow starts'], call: { epic: 'T001' } },
  async peek(ctx, { epic, profile: name, ...params }) {
    const profile = await ctx.getFacts(ownProfile, defined({ profile: name }));
    const { candidates, obstacles, limit } = await listCandidates(ctx, epic, profile, params);
    if (candidates.length > 0) return { hint: undefined };
    return { answer: createEmptyAnswer(params, obstacles, limit) };
  },
  async findWork(ctx) {
    const graph = await ctx.store.tasks.getOpenGraph();
    const { isLapsed, getNextLapseMs } = await createClaimJudge(ctx, graph.claims);
    return { ids: listFreeTasks(graph, { isLapsed }).map(({ id }) => id), recheckAfterMs: getNextLapseMs() };
  },
  async run(ctx, { epic, inPlace = false, process, worktrees = [], ...params }) {
    const { store, caller, now } = ctx;
    const profile = await ctx.getFacts(ownProfile, defined({ profile: params.profile }));
    const { candidates, obstacles, limit } = await listCandidates(ctx, epic, profile, params);
    const ready: Candidate[] = [];
    for (const candidate of candidates) {
      const prepared = await prepareCandidate(ctx, candidate, { isInPlace: inPlace, worktrees, profile });
      if ('obstacle' in prepared) {
        obstacles.push(prepared.obstacle);
        continue;
      }
      ready.push(candidate);
      if (ctx.isDryRun) continue;
      const { spawn, worktree, branch } = prepared;
      const files: SpawnFiles = { tasks: [], prompts: [] };
      const started = await startTask(ctx, candidate.task, { isForAny: false });
      const {
        agentId,
        promptFile = '',
        outputDir,
        promptTokens,
      } = await spawnTask(ctx, spawn, { budget: { used: 0, max: 0 }, files, isToFile: true });
      // The claim belongs to the process that supervises the agent: when it is gone, others can take the task over.
      await store.claims.renew(defined({ agent: agentId, session: caller.session, process }), now);
      const { id: taskId, title } = candidate.task;
      const [prompt, output] = [resolve(profile.root, promptFile), resolve(profile.root, outputDir)];
      const claimed = defined({ taskId, title, agentId, worktree, branch, promptFile: prompt, outputDir: output, promptTokens });
      return answer(
        { claimed: { ...claimed, ...defined({ takenOverFrom: started.takenOverFrom }) } },
        { apply: files, warnings: started.takenOverFrom ? [`taken over from ${started.takenOverFrom}: ${started.takenReason}`] : [] },
      );
    }
    if (ready.length === 0) return createEmptyAnswer(params, obstacles, limit);
    return {
      ...omitEmpty({ obstacles: groupObstacles(obstacles) }),
      ready: ready.map(({ task: { id: taskId, title } }) => ({ taskId, title })),
    };
  },
});

interface WaitParams {
  wait?: boolean | undefined;
  timeout?: number | undefined;
}

const createEmptyAnswer = ({ wait, timeout }: WaitParams, obstacles: Parameters<typeof groupObstacles>[0], limit: string | undefined) =>
  answer(
    { ...omitEmpty({ obstacles: groupObstacles(obstacles) }), ...defined({ limit }) },
    {
      exit: 100,
      isUnlogged: true,
      ...(wait || timeout !== undefined ? { wait: { timeoutMs: timeout === undefined ? undefined : timeout * 1000 } } : {}),
    },
  );
