import { type QueryContext, query } from '#core/define.ts';
import { commandLine, quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { type TaskId, TaskIdSchema } from '#core/model/scalars.ts';
import { observation } from '#core/observation.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import { isProtocol, type ProtocolName, protocolNames, protocolTable } from '#skills/model/protocol.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import '../../errors.ts';
import { array, custom, description, object, optional, picklist, pipe, strictObject, string } from 'valibot';
import { ReturnMessage } from '../../model/manifest.ts';
import { findTaskEntry, listLinks } from '../../rules/manifest.ts';
import { checkProtocol, findWorst, isIncomplete, type ProtocolFacts, type ProtocolFinding } from '../../rules/protocol-check.ts';
import { formatReturnMessage } from '../../rules/return-message.ts';
import { createMissingEntryError, findEpicId, newestOutput, readOutputFile } from '../shared/entry-output.ts';
import { openManifest } from '../shared/manifest.ts';

const FindingSchema = strictObject({ rule: string(), result: picklist(['pass', 'fail', 'warn']), message: string() });

/** What the store and the manifest know about the work on a task. */
type StoredFacts = Omit<ProtocolFacts, 'getEpic' | 'output' | 'writtenAt'> & { epicId?: TaskId };

/** The findings about the output file of an entry in the checkout of the caller, but not its content. */
const protocolFindings = observation({
  name: 'checkout.protocol-findings',
  isQuick: true,
  request: object({ facts: custom<StoredFacts>(isPlainObject) }),
  facts: object({ findings: array(FindingSchema) }),
  async observe({ platform, project }, { facts: { epicId, ...stored } }) {
    const { task, entry } = stored;
    const outputFile = entry && (await readOutputFile(platform, project, entry));
    const getEpic = (id: TaskId): TaskId | undefined => (id === task.id ? epicId : undefined);
    return { findings: checkProtocol({ ...stored, ...outputFile, getEpic }) };
  },
});

export const validateProtocol = query({
  name: 'validate.protocol',
  summary: 'Check the work on a task against its protocol',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('A task that a subagent worked on')),
    message: optional(pipe(ReturnMessage, description('Message that the subagent returned, to check it too'))),
  }),
  result: strictObject({
    findings: array(FindingSchema),
    taskId: string(),
    protocol: optional(picklist(protocolNames)),
    agentId: optional(string()),
    entryId: optional(string()),
  }),
  errors: ['E_NOT_FOUND', 'E_PROTOCOL_MISSING', 'E_INVALID_RETURN_MESSAGE', 'E_MANIFEST_ENTRY_MISSING', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  observes: [protocolFindings, newestOutput],
  maxBodyBytes: 8 << 20,
  shares: ['research', 'researchArchive'],
  cli: { command: 'validate protocol', args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001 done'], call: { taskId: 'T002' }, exit: 60 },
  async run(ctx, { taskId, message }) {
    const task = await requireTask(ctx.store, taskId);
    const facts = await readProtocolFacts(ctx, task, message);
    const { findings } = await ctx.getFacts(protocolFindings, { facts });
    const { protocol, spawn, entry } = facts;
    const identity = { taskId, ...defined({ protocol, agentId: spawn?.agent, entryId: entry?.id }) };
    const worst = findWorst(findings);
    if (!worst) return { findings, ...identity };
    throw await toProtocolError(ctx, facts, worst, { ...identity, findings });
  },
});

async function readProtocolFacts(
  { store, project, config, registry }: QueryContext,
  task: TaskRecord,
  message?: string,
): Promise<StoredFacts> {
  const manifest = await openManifest(project, config);
  const content = manifest.read();
  const entry = findTaskEntry(content, task.id) ?? findTaskEntry(manifest.archived(), task.id);
  const spawn = (await store.spawns.listForTask(task.id)).findLast(({ role }) => role === 'worker');
  const links = entry ? listLinks(entry) : [];
  const children = (await store.tasks.listChildren(task.id)).map(({ id }) => id);
  const epicId = await findEpicId(store, task.id);
  const protocol = [spawn?.protocol, entry?.agent_type].find((name): name is ProtocolName => name !== undefined && isProtocol(name));
  const addedAt =
    entry && (await store.audit.list({ operations: ['research.add'], taskId: entry.id }, { limit: 1, offset: 0 }))[0]?.timestamp;
  return {
    task,
    ...defined({ epicId, spawn, protocol, entry, message }),
    lines: content.entries.find((one) => one.entry === entry)?.lines ?? 1,
    unknownTasks: await store.tasks.findMissing(links),
    ...(addedAt ? { addedAt: Date.parse(addedAt) } : {}),
    acts: await listActs({ store, registry }, task.id),
    parts: (await store.tasks.getMany([...new Set([...links, ...children])].filter((id) => id !== task.id))).map((part) => ({
      id: part.id,
      isDescribed: Boolean(part.description?.trim()),
      hasCriteria: part.acceptance.length > 0,
      files: part.files.length,
    })),
  };
}

const focusOperations = ['tasks.start', 'tasks.claim-next', 'tasks.reopen', 'session.start'];
const maxActs = 500;

/** Lists which agents focused and completed the task, in log order. */
async function listActs({ store, registry }: Pick<QueryContext, 'store' | 'registry'>, taskId: string): Promise<ProtocolFacts['acts']> {
  const listNames = (names: string[]): string[] =>
    registry.entries.filter(({ name }) => names.includes(name)).flatMap(({ name, aliases }) => [name, ...aliases]);
  const completing = listNames(['tasks.complete']);
  const operations = [...listNames(focusOperations), ...completing];
  const entries = await store.audit.list({ operations, taskId }, { limit: maxActs, offset: 0 });
  return entries
    .filter(({ success }) => success)
    .reverse()
    .map(({ domain, operation, agent, seq }) => ({
      act: completing.includes(`${domain}.${operation}`) ? ('complete' as const) : ('focus' as const),
      agent,
      seq,
    }));
}

async function toProtocolError(
  ctx: QueryContext,
  facts: StoredFacts,
  { exit, finding }: { exit: number; finding: ProtocolFinding },
  details: Record<string, unknown>,
): Promise<CleoError> {
  const { task, entry, protocol } = facts;
  const { id: taskId, status } = task;
  const problem = finding.message;
  if (exit === 60) {
    const fix = status === 'done' ? `cleo reopen ${taskId}` : `cleo orchestrate spawn ${taskId}`;
    return new CleoError('E_PROTOCOL_MISSING', { ...details, taskId, problem, fix });
  }
  if (exit === 62) return createMissingEntryError(ctx, taskId, details);
  if (exit === 61) {
    const message = formatReturnMessage(protocolTable[protocol ?? 'implementation'].title, entry?.status ?? 'complete');
    return new CleoError('E_INVALID_RETURN_MESSAGE', { ...details, taskId, problem, fix: ctx.commandWith({ message }) });
  }
  return new CleoError('E_VALIDATION', {
    ...details,
    field: 'protocol',
    problem: `of ${taskId} is not followed: ${finding.rule} ${problem}`,
    fix: suggestFix(finding.rule, facts),
  });
}

/** Suggests the missing step if there is one, otherwise a command that shows what happened. */
function suggestFix(rule: string, { task: { id, status }, entry, spawn }: StoredFacts): string {
  // Only the spawned agent may complete the task.
  const flags = spawn ? ['--agent', spawn.agent, ...(spawn.session ? ['--session', spawn.session] : [])] : [];
  if (rule === 'BASE-003' && status !== 'done') return commandLine(['cleo', 'complete', id, ...flags]);
  if (rule === 'BASE-003' && isIncomplete(entry)) return `cleo reopen ${id}`;
  if (rule === 'BASE-003' || rule === 'BASE-005') return `cleo history ${id}`;
  return entry ? `cleo research show ${quote(entry.id)}` : `cleo show ${id}`;
}
