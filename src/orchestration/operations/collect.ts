import { answer, type QueryContext, query } from '#core/define.ts';
import { commandLine } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import '#research/errors.ts';
import { array, boolean, description, optional, pipe, strictObject, string } from 'valibot';
import { type ResearchStatus, ResearchStatusSchema, ReturnMessage } from '#research/model/manifest.ts';
import { createMissingEntryError, newestOutput, outputState } from '#research/operations/shared/entry-output.ts';
import { formatManifestWarnings, openManifest } from '#research/operations/shared/manifest.ts';
import { findTaskEntry } from '#research/rules/manifest.ts';
import { formatReturnMessage, parseReturnMessage } from '#research/rules/return-message.ts';
import { isProtocol, protocolTable } from '#skills/model/protocol.ts';
import { StageReadySchema } from '#tasks/model/task.ts';
import { findReadyStage } from '#tasks/operations/shared/ready-stage.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { SpawnRecord } from '../model/spawn.ts';

export const orchestrateCollect = query({
  name: 'orchestrate.collect',
  summary: 'Check the result of a subagent and print its summary',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('The spawned task')),
    message: optional(pipe(ReturnMessage, description('Exact message that the subagent returned'))),
  }),
  result: strictObject({
    collected: strictObject({
      taskId: string(),
      status: ResearchStatusSchema,
      /** True if the task itself is done. */
      done: boolean(),
      agentId: string(),
      entryId: string(),
      title: string(),
      file: string(),
      keyFindings: array(string()),
      needsFollowup: optional(array(string())),
      actionable: optional(boolean()),
    }),
    /** The active stage of the epic whose last open task this was, and the command that completes it. */
    stageReady: optional(StageReadySchema),
  }),
  errors: ['E_NOT_FOUND', 'E_PROTOCOL_MISSING', 'E_INVALID_RETURN_MESSAGE', 'E_MANIFEST_ENTRY_MISSING', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  observes: [outputState, newestOutput],
  shares: ['research', 'researchArchive', 'prompts'],
  cli: { command: ['orchestrate collect', 'orchestrator collect'], args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' }, exit: 60 },
  async run(ctx, { taskId, message }) {
    const { store, project, config } = ctx;
    const task = await requireTask(store, taskId);
    const [spawn] = await store.spawns.listLatest([taskId]);
    if (!spawn?.hasProtocol)
      throw new CleoError('E_PROTOCOL_MISSING', {
        taskId,
        problem: 'was never spawned, so no agent received its protocol',
        fix: task.status === 'done' ? `cleo reopen ${taskId}` : `cleo orchestrate spawn ${taskId}`,
      });
    const returned = message === undefined ? undefined : parseReturnMessage(message);
    if (message !== undefined && !returned) throw createReturnError(ctx, spawn, 'does not match any of the three forms', 'complete');
    const manifest = await openManifest(project, config);
    const content = manifest.read();
    const entry = findTaskEntry(content, taskId) ?? findTaskEntry(manifest.archived(), taskId);
    if (!entry) throw await createMissingEntryError(ctx, taskId, { protocol: spawn.protocol });
    if (returned && returned.status !== entry.status)
      throw createReturnError(ctx, spawn, `says ${returned.status}; its entry says ${entry.status}`, entry.status);
    const { state } = await ctx.getFacts(outputState, { file: entry.file });
    if (state !== 'present')
      throw new CleoError('E_VALIDATION', {
        field: 'file',
        problem: `${entry.file} of ${entry.id} is ${state}`,
        fix: commandLine(['cleo', 'research', 'show', entry.id]),
      });
    if (entry.status === 'complete' && task.status !== 'done')
      throw new CleoError('E_VALIDATION', {
        field: 'status',
        problem: `of ${taskId} is ${task.status}; its entry says complete (BASE-003)`,
        // Only the holder of a task can complete it.
        fix: commandLine(['cleo', 'complete', taskId, '--agent', spawn.agent, ...(spawn.session ? ['--session', spawn.session] : [])]),
      });
    return answer(
      {
        collected: {
          taskId,
          status: entry.status,
          done: task.status === 'done',
          agentId: spawn.agent,
          entryId: entry.id,
          title: entry.title,
          file: entry.file,
          keyFindings: entry.key_findings,
          ...omitEmpty({ needsFollowup: entry.needs_followup, actionable: entry.actionable || undefined }),
        },
        ...defined({ stageReady: task.status === 'done' ? await findReadyStage(ctx, taskId) : undefined }),
      },
      { warnings: formatManifestWarnings(manifest.name, content.problems) },
    );
  },
});

function createReturnError(
  { commandWith }: QueryContext,
  { taskId, protocol }: SpawnRecord,
  problem: string,
  status: ResearchStatus,
): CleoError {
  const title = isProtocol(protocol) ? protocolTable[protocol].title : 'Implementation';
  return new CleoError('E_INVALID_RETURN_MESSAGE', { taskId, problem, fix: commandWith({ message: formatReturnMessage(title, status) }) });
}
