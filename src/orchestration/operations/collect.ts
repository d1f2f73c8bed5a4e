import { array, boolean, description, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '#research/errors.ts';
import { answer, type QueryContext, query } from '#core/define.ts';
import { commandLine } from '#core/errors/quote.ts';
import { TaskId } from '#core/model/scalars.ts';
import { ResearchStatus } from '#research/model/manifest.ts';
import { manifestOf, warningsOf } from '#research/operations/shared/manifest.ts';
import { missingEntry } from '#research/operations/shared/missing-entry.ts';
import { outputOf } from '#research/operations/shared/output.ts';
import { entryFor } from '#research/rules/manifest.ts';
import { readReturn, returnMessage } from '#research/rules/return-message.ts';
import { isProtocol, protocolTable } from '#skills/model/protocol.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import type { SpawnRecord } from '../model/spawn.ts';

export const orchestrateCollect = query({
  name: 'orchestrate.collect',
  summary: 'Check what a subagent returned, and get the summary of it',
  params: strictObject({
    taskId: pipe(TaskId, description('The task that was handed out')),
    message: optional(
      pipe(string(), maxLength(100_000, 'must have at most 100000 characters'), description('What the subagent returned, word for word')),
    ),
  }),
  result: strictObject({
    collected: strictObject({
      taskId: string(),
      status: ResearchStatus,
      /** The task itself is done. */
      done: boolean(),
      agentId: string(),
      entryId: string(),
      title: string(),
      file: string(),
      keyFindings: array(string()),
      needsFollowup: optional(array(string())),
      actionable: optional(boolean()),
    }),
  }),
  errors: ['E_NOT_FOUND', 'E_PROTOCOL_MISSING', 'E_INVALID_RETURN_MESSAGE', 'E_MANIFEST_ENTRY_MISSING', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  cli: { command: ['orchestrate collect', 'orchestrator collect'], args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001'], call: { taskId: 'T002' }, exit: 60 },
  async run(ctx, { taskId, message }) {
    const { store, project, config, platform } = ctx;
    const task = await requireTask(store, taskId);
    const [spawn] = await store.spawns.latest([taskId]);
    if (!spawn?.hasProtocol)
      throw new CleoError('E_PROTOCOL_MISSING', {
        taskId,
        problem: 'was never handed out: nobody was given its protocol',
        fix: task.status === 'done' ? `cleo reopen ${taskId}` : `cleo orchestrate spawn ${taskId}`,
      });
    const said = message === undefined ? undefined : readReturn(message);
    if (message !== undefined && !said) throw invalid(ctx, spawn, 'has none of the three forms', 'complete');
    const manifest = await manifestOf(project, config);
    const found = manifest.read();
    const entry = entryFor(found, taskId) ?? entryFor(manifest.archived(), taskId);
    if (!entry) throw await missingEntry(ctx, taskId, { protocol: spawn.protocol });
    if (said && said.status !== entry.status)
      throw invalid(ctx, spawn, `says ${said.status}; its entry says ${entry.status}`, entry.status);
    const output = await outputOf(platform, project, entry);
    if (!output || output.output.text.trim() === '')
      throw new CleoError('E_VALIDATION', {
        field: 'file',
        problem: `${entry.file}, which ${entry.id} names, is ${output ? 'empty' : 'not there'}`,
        fix: commandLine(['cleo', 'research', 'show', entry.id]),
      });
    if (entry.status === 'complete' && task.status !== 'done')
      throw new CleoError('E_VALIDATION', {
        field: 'status',
        problem: `of ${taskId} is ${task.status}; its entry says complete (BASE-003)`,
        // Whoever holds it completes it.
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
          ...(entry.needs_followup.length ? { needsFollowup: entry.needs_followup } : {}),
          ...(entry.actionable ? { actionable: true } : {}),
        },
      },
      { warnings: warningsOf(manifest.name, found.problems) },
    );
  },
});

function invalid(
  { commandWith }: QueryContext,
  { taskId, protocol }: SpawnRecord,
  problem: string,
  status: 'complete' | 'partial' | 'blocked',
): CleoError {
  const title = isProtocol(protocol) ? protocolTable[protocol].title : 'Implementation';
  return new CleoError('E_INVALID_RETURN_MESSAGE', { taskId, problem, fix: commandWith({ message: returnMessage(title, status) }) });
}
