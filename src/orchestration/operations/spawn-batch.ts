import { array, description, type InferOutput, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { omitEmpty } from '#lib/collections.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { createClaimJudge } from '#tasks/operations/shared/claim-judge.ts';
import { rootAliases } from '#tasks/operations/shared/params.ts';
import { readReserved } from '#tasks/operations/shared/recommend.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { selectReadyTasks } from '#tasks/rules/next.ts';
import { SpawnBudgetParam } from '../model/spawn.ts';
import { formatOutstanding, prepareSpawn, readSpawnInputs } from './shared/prepare-spawn.ts';
import { findReadyConflicts } from './shared/ready-conflicts.ts';
import { observeSkillsFirst, spawnObservations } from './shared/spawn-inputs.ts';
import {
  InlineParam,
  isLongPrompt,
  readSpawnBudget,
  type Spawn,
  SpawnSchema,
  SpawnTier,
  spawnTask,
  warnOverBudget,
} from './shared/spawn-task.ts';
import { type SpawnFiles, writeSpawnFiles } from './shared/write-prompts.ts';

const FindingRow = strictObject({ code: string(), message: string(), fix: string() });
const SkippedTask = strictObject({ taskId: string(), findings: array(FindingRow) });
type SkippedTask = InferOutput<typeof SkippedTask>;

export const orchestrateSpawnBatch = mutation({
  name: 'orchestrate.spawn-batch',
  summary: 'Create a prompt for every ready task',
  params: strictObject({
    epic: pipe(TaskIdSchema, description('The epic or saga')),
    tier: optional(SpawnTier, 0),
    budget: optional(SpawnBudgetParam),
    inline: optional(InlineParam),
  }),
  paramAliases: rootAliases,
  result: strictObject({
    spawns: array(SpawnSchema),
    /** Files that several tasks touch; only the first task of each file is spawned. */
    conflicts: optional(array(strictObject({ file: string(), tasks: array(string()) }))),
    /** Ready tasks that were not spawned. */
    left: optional(array(SkippedTask)),
  }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE', 'E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED', 'E_FILE_ERROR'],
  tier: 2,
  observes: spawnObservations,
  observeFirst: observeSkillsFirst,
  maxBodyBytes: 8 << 20,
  apply: (ctx, _, data) => writeSpawnFiles(ctx, data),
  shares: ['prompts'],
  cli: {
    command: ['orchestrate spawn-batch', 'orchestrator spawn-batch'],
    args: ['epic'],
    view: async () => (await import('../view.ts')).orchestrationView,
  },
  dryRun: true,
  example: {
    world: [
      'T001 epic',
      'T002 in T001: Investigate slow starts',
      'T003 in T001: Explore caches',
      'T004 in T001 depends T002: Research more',
    ],
    call: { epic: 'T001' },
  },
  async run(ctx, { epic, tier, budget, inline = false }) {
    const { store } = ctx;
    await checkTaskExists(store, epic);
    await checkScope(ctx, epic);
    const candidates = await listReadyTasks(ctx, epic);
    const { conflicts, deferred, outstanding } = await findReadyConflicts(
      ctx,
      epic,
      candidates.map(({ id }) => id),
    );
    const inputs = await readSpawnInputs(ctx);
    const spawnBudget = await readSpawnBudget(ctx, budget);
    const files: SpawnFiles = { tasks: [], prompts: [] };
    const spawns: Spawn[] = [];
    const skipped: SkippedTask[] = [];
    const warnings: string[] = [];
    let firstError: CleoError | undefined;
    for (const task of candidates) {
      const agent = outstanding.get(task.id);
      if (agent || deferred.has(task.id)) {
        const reason = agent
          ? { code: 'SPAWNED', message: formatOutstanding(task.id, agent) }
          : { code: 'FILES_OVERLAP', message: `${task.id} touches files of a task that comes first` };
        skipped.push({ taskId: task.id, findings: [{ ...reason, fix: `cleo orchestrate spawn ${task.id}` }] });
        continue;
      }
      try {
        const prepared = await prepareSpawn(ctx, inputs, task, { role: 'worker', tier });
        // Every task is spawned; a prompt that exceeds the budget goes to a file.
        const isOverBudget = spawnBudget.used + prepared.promptTokens > spawnBudget.max;
        const isToFile = isOverBudget || isLongPrompt(prepared, inline);
        spawns.push(await spawnTask(ctx, prepared, { budget: spawnBudget, files, isToFile }));
        warnings.push(...prepared.warnings);
      } catch (error) {
        if (!(error instanceof CleoError) || !taskErrors.includes(error.row)) throw error;
        firstError ??= error;
        skipped.push({ taskId: task.id, findings: toFindings(error) });
      }
    }
    if (spawns.length === 0 && firstError) throw firstError;
    return answer(
      { spawns, ...omitEmpty({ conflicts, left: skipped }) },
      {
        apply: files,
        ...(spawns.length ? {} : { exit: 100 as const }),
        warnings: [...new Set([...warnings, ...warnOverBudget(spawnBudget)])],
      },
    );
  },
});

/** Errors that skip one task without stopping the batch. */
const taskErrors: string[] = ['E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED'];

const toFindings = (error: CleoError): SkippedTask['findings'] =>
  error.row === 'E_SPAWN_VALIDATION_FAILED'
    ? (error.details.findings as SkippedTask['findings'])
    : [{ code: error.code, message: error.message, fix: error.fix }];

async function listReadyTasks(ctx: MutationContext, root: string): Promise<TaskRecord[]> {
  const { store, caller, today } = ctx;
  const graph = await store.tasks.getOpenGraph();
  const { isLapsed } = await createClaimJudge(ctx, graph.claims);
  const reserved = await readReserved(ctx, graph);
  const ids = selectReadyTasks(graph, { isLapsed, caller, within: root, reserved, today }).map(({ id }) => id);
  const byId = new Map((await store.tasks.getMany(ids)).map((task) => [task.id, task]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
