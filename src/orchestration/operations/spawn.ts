import { boolean, description, metadata, optional, picklist, pipe, strictObject, string } from 'valibot';
import { answer, mutation } from '#core/define.ts';
import { SkillName } from '#core/model/texts.ts';
import { protocolNames } from '#skills/model/protocol.ts';
import { TaskParam } from '#tasks/operations/shared/params.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { SpawnBudgetParam, SpawnRoleSchema } from '../model/spawn.ts';
import { prepareSpawn, readSpawnInputs } from './shared/prepare-spawn.ts';
import { observeSkillsFirst, spawnObservations } from './shared/spawn-inputs.ts';
import { InlineParam, isLongPrompt, readSpawnBudget, SpawnSchema, SpawnTier, spawnTask, warnOverBudget } from './shared/spawn-task.ts';
import { type SpawnFiles, writeSpawnFiles } from './shared/write-prompts.ts';

export const orchestrateSpawn = mutation({
  name: 'orchestrate.spawn',
  summary: 'Create the complete prompt for a subagent',
  params: strictObject({
    taskId: TaskParam,
    tier: optional(SpawnTier, 0),
    protocol: optional(pipe(picklist(protocolNames), description('Protocol to follow instead of the one that matches the task'))),
    skill: optional(pipe(SkillName, description('Skill to use instead of the one that matches the task'))),
    role: optional(pipe(SpawnRoleSchema, description('worker does the task, validator judges the work of another agent')), 'worker'),
    promptFile: optional(
      pipe(
        boolean(),
        description('Write the prompt to a file even if it is short, and return a sentence that names it'),
        metadata({ isRare: true }),
      ),
    ),
    inline: optional(InlineParam),
    folder: optional(
      pipe(string(), description('The checkout that the agent works in, instead of the project folder'), metadata({ isRare: true })),
    ),
    budget: optional(SpawnBudgetParam),
  }),
  result: strictObject({ spawn: SpawnSchema }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE', 'E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED', 'E_FILE_ERROR'],
  secretResult: 'spawn',
  tier: 0,
  observes: spawnObservations,
  observeFirst: observeSkillsFirst,
  maxBodyBytes: 8 << 20,
  apply: (ctx, _, data) => writeSpawnFiles(ctx, data),
  shares: ['prompts'],
  cli: {
    command: ['orchestrate spawn', 'orchestrator spawn'],
    args: ['taskId'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  dryRun: true,
  example: {
    world: ['T001 epic', 'T002 in T001: Investigate slow starts'],
    call: { taskId: 'T002' },
  },
  async run(ctx, { taskId, budget, promptFile = false, inline = false, ...options }) {
    const task = await requireTask(ctx.store, taskId);
    const prepared = await prepareSpawn(ctx, await readSpawnInputs(ctx), task, options);
    const spawnBudget = await readSpawnBudget(ctx, budget);
    const files: SpawnFiles = { tasks: [], prompts: [] };
    const isToFile = promptFile || isLongPrompt(prepared, inline);
    const spawn = await spawnTask(ctx, prepared, { budget: spawnBudget, files, isToFile });
    return answer({ spawn }, { apply: files, warnings: [...prepared.warnings, ...warnOverBudget(spawnBudget)] });
  },
});
