import { boolean, description, optional, picklist, pipe, strictObject } from 'valibot';
import { answer, mutation } from '#core/define.ts';
import { TaskId } from '#core/model/scalars.ts';
import { protocolNames } from '#skills/model/protocol.ts';
import { SkillName } from '#skills/operations/show.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { SpawnRole } from '../model/spawn.ts';
import { Budget } from './shared/budget.ts';
import { handOut, overBudget, purseOf, Spawn, Tier } from './shared/hand-out.ts';
import { prepare, shelfOf } from './shared/prepare.ts';

export const orchestrateSpawn = mutation({
  name: 'orchestrate.spawn',
  summary: 'Make the whole prompt with which a subagent does a task',
  params: strictObject({
    taskId: pipe(TaskId, description('The task')),
    tier: optional(Tier, 0),
    protocol: optional(pipe(picklist(protocolNames), description('The protocol to follow, whatever the task says'))),
    skill: optional(pipe(SkillName, description('The skill to use, whatever the dispatch says'))),
    role: optional(pipe(SpawnRole, description('worker does the task, validator judges what another did')), 'worker'),
    promptFile: optional(pipe(boolean(), description('Put the prompt into the output folder, and answer the sentence that leads to it'))),
    budget: optional(Budget),
  }),
  result: strictObject({ spawn: Spawn }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE', 'E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED', 'E_FILE_ERROR'],
  tier: 2,
  cli: { command: ['orchestrate spawn', 'orchestrator spawn'], args: ['taskId'] },
  dryRun: true,
  example: {
    world: ['T001 epic', 'T002 in T001: Investigate slow starts'],
    call: { taskId: 'T002' },
  },
  async run(ctx, { taskId, budget, promptFile = false, ...asked }) {
    const task = await requireTask(ctx.store, taskId);
    const prepared = await prepare(ctx, await shelfOf(ctx), task, asked);
    const purse = await purseOf(ctx, budget);
    const spawn = await handOut(ctx, prepared, purse, promptFile);
    return answer({ spawn }, { warnings: [...prepared.warnings, ...overBudget(purse)] });
  },
});
