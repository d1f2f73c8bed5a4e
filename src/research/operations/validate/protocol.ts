import { array, description, maxLength, optional, picklist, pipe, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import '../../errors.ts';
import { type QueryContext, query } from '#core/define.ts';
import { commandLine, quote } from '#core/errors/quote.ts';
import { TaskId } from '#core/model/scalars.ts';
import { isProtocol, type ProtocolName, protocolNames, protocolTable } from '#skills/model/protocol.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { entryFor, linksOf } from '../../rules/manifest.ts';
import { gravest, type ProtocolFacts, type ProtocolFinding, protocolFindings } from '../../rules/protocol-check.ts';
import { returnMessage } from '../../rules/return-message.ts';
import { manifestOf } from '../shared/manifest.ts';
import { missingEntry } from '../shared/missing-entry.ts';
import { epicAbove, outputOf } from '../shared/output.ts';

export const validateProtocol = query({
  name: 'validate.protocol',
  summary: 'Check how a task was done against its protocol, rule by rule',
  params: strictObject({
    taskId: pipe(TaskId, description('A task that a subagent has done')),
    message: optional(
      pipe(
        string(),
        maxLength(100_000, 'must have at most 100000 characters'),
        description('What the subagent returned, to be checked as well'),
      ),
    ),
  }),
  result: strictObject({
    findings: array(strictObject({ rule: string(), result: picklist(['pass', 'fail', 'warn']), message: string() })),
    taskId: string(),
    protocol: optional(picklist(protocolNames)),
    agentId: optional(string()),
    entryId: optional(string()),
  }),
  errors: ['E_NOT_FOUND', 'E_PROTOCOL_MISSING', 'E_INVALID_RETURN_MESSAGE', 'E_MANIFEST_ENTRY_MISSING', 'E_VALIDATION', 'E_FILE_ERROR'],
  tier: 2,
  cli: { command: 'validate protocol', args: ['taskId'] },
  example: { world: ['T001 epic', 'T002 in T001 done'], call: { taskId: 'T002' }, exit: 60 },
  async run(ctx, { taskId, message }) {
    const task = await requireTask(ctx.store, taskId);
    const facts = await factsOf(ctx, task, message);
    const findings = protocolFindings(facts);
    const { protocol, spawn, entry } = facts;
    const about = {
      taskId,
      ...(protocol ? { protocol } : {}),
      ...(spawn ? { agentId: spawn.agent } : {}),
      ...(entry ? { entryId: entry.id } : {}),
    };
    const worst = gravest(findings);
    if (!worst) return { findings, ...about };
    throw await refusalOf(ctx, facts, worst, { ...about, findings });
  },
});

async function factsOf(
  { store, platform, project, config, registry }: QueryContext,
  task: TaskRecord,
  message?: string,
): Promise<ProtocolFacts> {
  const manifest = await manifestOf(project, config);
  const now = manifest.read();
  const entry = entryFor(now, task.id) ?? entryFor(manifest.archived(), task.id);
  const found = entry && (await outputOf(platform, project, entry));
  const spawn = (await store.spawns.of(task.id)).findLast(({ role }) => role === 'worker');
  const links = entry ? linksOf(entry) : [];
  const inside = (await store.tasks.children(task.id)).map(({ id }) => id);
  const epicId = await epicAbove(store, task.id);
  const protocol = [spawn?.protocol, entry?.agent_type].find((name): name is ProtocolName => name !== undefined && isProtocol(name));
  const addedAt =
    entry && (await store.audit.newest({ operations: ['research.add'], taskId: entry.id }, { limit: 1, offset: 0 }))[0]?.timestamp;
  return {
    task,
    epicOf: (id) => (id === task.id ? epicId : undefined),
    ...(spawn ? { spawn } : {}),
    ...(protocol ? { protocol } : {}),
    ...(entry ? { entry } : {}),
    lines: 1 + now.problems.filter(({ problem }) => entry && problem.startsWith(`has the id ${entry.id},`)).length,
    unknown: await store.tasks.missing(links),
    ...(found ? found : {}),
    ...(addedAt ? { addedAt: Date.parse(addedAt) } : {}),
    ...(message === undefined ? {} : { message }),
    acts: await actsOn({ store, registry }, task.id),
    parts: (await store.tasks.many([...new Set([...links, ...inside])].filter((id) => id !== task.id))).map((part) => ({
      id: part.id,
      isDescribed: Boolean(part.description?.trim()),
      hasCriteria: part.acceptance.length > 0,
      files: part.files.length,
    })),
  };
}

const focusing = ['tasks.start', 'tasks.claim-next', 'tasks.reopen', 'session.start'];
const mostActs = 500;

/** Who took the task as its focus and who completed it, by the log, in its order. */
async function actsOn({ store, registry }: Pick<QueryContext, 'store' | 'registry'>, taskId: string): Promise<ProtocolFacts['acts']> {
  const calledBy = (names: string[]): string[] =>
    registry.entries.filter(({ name }) => names.includes(name)).flatMap(({ name, aliases }) => [name, ...aliases]);
  const completing = calledBy(['tasks.complete']);
  const operations = [...calledBy(focusing), ...completing];
  const entries = await store.audit.newest({ operations, taskId }, { limit: mostActs, offset: 0 });
  return entries
    .filter(({ success }) => success)
    .reverse()
    .map(({ domain, operation, agent, seq }) => ({
      act: completing.includes(`${domain}.${operation}`) ? ('complete' as const) : ('focus' as const),
      agent,
      seq,
    }));
}

async function refusalOf(
  ctx: QueryContext,
  { task, entry, protocol, spawn }: ProtocolFacts,
  { exit, finding }: { exit: number; finding: ProtocolFinding },
  details: Record<string, unknown>,
): Promise<CleoError> {
  const { id: taskId, status } = task;
  if (exit === 60) {
    const fix = status === 'done' ? `cleo reopen ${taskId}` : `cleo orchestrate spawn ${taskId}`;
    return new CleoError('E_PROTOCOL_MISSING', { ...details, taskId, problem: finding.message, fix });
  }
  if (exit === 62) return missingEntry(ctx, taskId, details);
  if (exit === 61) {
    const said = returnMessage(protocolTable[protocol ?? 'implementation'].title, entry?.status ?? 'complete');
    return new CleoError('E_INVALID_RETURN_MESSAGE', {
      ...details,
      taskId,
      problem: finding.message,
      fix: ctx.commandWith({ message: said }),
    });
  }
  return new CleoError('E_VALIDATION', {
    ...details,
    field: 'protocol',
    problem: `of ${taskId} is not kept: ${finding.rule}, ${finding.message}`,
    fix: wayOut(finding, taskId, { entryId: entry?.id, spawn }),
  });
}

/** What was never done can be done now; what was done otherwise can be looked at. */
function wayOut(
  { rule, message }: ProtocolFinding,
  taskId: string,
  { entryId, spawn }: { entryId: string | undefined; spawn: ProtocolFacts['spawn'] },
): string {
  // Whoever was given it completes it.
  const as = spawn ? ['--agent', spawn.agent, ...(spawn.session ? ['--session', spawn.session] : [])] : [];
  if (rule === 'BASE-003' && message.endsWith('not done')) return commandLine(['cleo', 'complete', taskId, ...as]);
  if (rule === 'BASE-003' && message.startsWith('is done')) return `cleo reopen ${taskId}`;
  if (rule === 'BASE-003' || rule === 'BASE-005') return `cleo history ${taskId}`;
  return entryId ? `cleo research show ${quote(entryId)}` : `cleo show ${taskId}`;
}
