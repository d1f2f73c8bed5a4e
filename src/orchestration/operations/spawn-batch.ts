import { array, description, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskId } from '#core/model/scalars.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { checkRoot, rootNames } from '#tasks/operations/shared/root.ts';
import { checkScope } from '#tasks/operations/shared/scope.ts';
import { isExpired } from '#tasks/rules/claims.ts';
import { ready } from '#tasks/rules/next.ts';
import { fileConflicts } from '../rules/spawn-preflight.ts';
import { Budget } from './shared/budget.ts';
import { handOut, overBudget, purseOf, Spawn, Tier } from './shared/hand-out.ts';
import { isOutstanding, prepare, shelfOf } from './shared/prepare.ts';

const Finding = strictObject({ code: string(), message: string(), fix: string() });
type Left = { taskId: string; findings: { code: string; message: string; fix: string }[] };

export const orchestrateSpawnBatch = mutation({
  name: 'orchestrate.spawn-batch',
  summary: 'Make a prompt for every task that is ready, one for each, side by side',
  params: strictObject({
    epic: pipe(TaskId, description('The epic or saga')),
    tier: optional(Tier, 0),
    budget: optional(Budget),
  }),
  paramAliases: rootNames,
  result: strictObject({
    spawns: array(Spawn),
    /** Files that several of them touch: of those that meet in one the first is spawned. */
    conflicts: optional(array(strictObject({ file: string(), tasks: array(string()) }))),
    /** Ready, and not spawned. */
    left: optional(array(strictObject({ taskId: string(), findings: array(Finding) }))),
  }),
  errors: ['E_NOT_FOUND', 'E_TASK_NOT_IN_SCOPE', 'E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED', 'E_FILE_ERROR'],
  tier: 2,
  cli: { command: ['orchestrate spawn-batch', 'orchestrator spawn-batch'], args: ['epic'] },
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
  async run(ctx, { epic, tier, budget }) {
    const { store } = ctx;
    await checkRoot(store, epic);
    await checkScope(ctx, epic);
    const candidates = await readyIn(ctx, epic);
    const { conflicts, held, outstanding } = await order(ctx, epic, candidates);
    const shelf = await shelfOf(ctx);
    const purse = await purseOf(ctx, budget);
    const spawns: Spawn[] = [];
    const left: Left[] = [];
    const warnings: string[] = [];
    let refusal: CleoError | undefined;
    for (const task of candidates) {
      const agent = outstanding.get(task.id);
      const again = `cleo orchestrate spawn ${task.id}`;
      if (agent || held.has(task.id)) {
        const reason = agent
          ? { code: 'SPAWNED', message: `${task.id} was handed to ${agent}, and nothing has come of it yet`, fix: again }
          : { code: 'FILES_OVERLAP', message: `${task.id} touches files of a task that goes first`, fix: again };
        left.push({ taskId: task.id, findings: [reason] });
        continue;
      }
      try {
        const prepared = await prepare(ctx, shelf, task, { role: 'worker', tier });
        // Every task is handed out; what the budget has no room for goes by file.
        spawns.push(await handOut(ctx, prepared, purse, purse.used + prepared.promptTokens > purse.max));
        warnings.push(...prepared.warnings);
      } catch (error) {
        if (!(error instanceof CleoError) || !kept.includes(error.row)) throw error;
        refusal ??= error;
        left.push({ taskId: task.id, findings: findingsOf(error) });
      }
    }
    if (spawns.length === 0 && refusal) throw refusal;
    return answer(
      { spawns, ...(conflicts.length ? { conflicts } : {}), ...(left.length ? { left } : {}) },
      { ...(spawns.length ? {} : { exit: 100 as const }), warnings: [...new Set([...warnings, ...overBudget(purse)])] },
    );
  },
});

/** What keeps one task back and not the others. */
const kept: string[] = ['E_LIFECYCLE_GATE_FAILED', 'E_SPAWN_VALIDATION_FAILED'];

const findingsOf = (error: CleoError): Left['findings'] =>
  error.row === 'E_SPAWN_VALIDATION_FAILED'
    ? (error.details.findings as Left['findings'])
    : [{ code: error.code, message: error.message, fix: error.fix }];

/** The most urgent first. */
async function readyIn({ store, now, caller, config }: MutationContext, root: string): Promise<TaskRecord[]> {
  const asked = { now: await store.claims.moment(now), caller, ttlMinutes: config['claims.ttlMinutes'], within: root };
  const ids = ready(await store.tasks.openGraph(), asked).map(({ id }) => id);
  const found = new Map((await store.tasks.many(ids)).map((task) => [task.id, task]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Who goes before whom: what somebody is at, or was handed, is in nobody's way only if it touches other files. */
async function order({ store, now, config, caller }: MutationContext, root: string, candidates: TaskRecord[]) {
  const spawns = await store.spawns.latest(candidates.map(({ id }) => id));
  const outstanding = new Map<string, string>();
  for (const task of candidates) {
    const spawn = spawns.find(({ taskId }) => taskId === task.id);
    if (spawn && isOutstanding(spawn, task)) outstanding.set(task.id, spawn.agent);
  }
  const moment = await store.claims.moment(now);
  const claims = (await store.claims.all()).filter(
    (claim) => claim.agent !== caller.agent && !isExpired(claim, moment, config['claims.ttlMinutes']),
  );
  const busy = new Set([...claims.map(({ taskId }) => taskId), ...outstanding.keys()]);
  const filesOf = new Map<string, string[]>();
  for (const { path, taskId } of await store.tasks.filesInside(root)) filesOf.set(taskId, [...(filesOf.get(taskId) ?? []), path]);
  const first = [...filesOf.keys()].filter((id) => busy.has(id));
  const then = candidates.map(({ id }) => id).filter((id) => !busy.has(id));
  return { ...fileConflicts([...first, ...then].map((id) => ({ id, files: filesOf.get(id) ?? [] }))), outstanding };
}
