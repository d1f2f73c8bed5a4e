import { array, boolean, description, metadata, number, optional, pipe, strictObject, string, unknown } from 'valibot';
import { query, type Registry } from '#core/define.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import { MomentSchema } from '#core/model/moment.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { answerPage, pageParams } from '#core/page.ts';
import { parseAgo } from '#lib/ago.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';

const Ids = optional(array(string()));

const Entry = strictObject({
  seq: number(),
  timestamp: string(),
  operation: string(),
  agent: string(),
  session: optional(string()),
  gateway: string(),
  success: boolean(),
  exitCode: optional(number()),
  errorCode: optional(string()),
  params: optional(unknown()),
  /** The caller: person or agent, and how it was authenticated. */
  principal: optional(unknown()),
  created: Ids,
  updated: Ids,
  deleted: Ids,
  durationMs: number(),
});

export const adminLog = query({
  name: 'admin.log',
  summary: 'Show the audit log, newest first',
  params: strictObject({
    ...pageParams(50),
    session: optional(pipe(string(), description('Only entries of this session'), metadata({ value: 'SESSION' }))),
    agent: optional(pipe(string(), description('Only entries of this agent'), metadata({ value: 'ID' }))),
    token: optional(pipe(string(), description('Only calls made with this token'), metadata({ value: 'NAME' }))),
    operation: optional(pipe(string(), description('Only this operation, under any of its names, e.g. tasks.add'))),
    task: optional(pipe(TaskIdSchema, description('Only entries that name or change this task'))),
    failed: optional(pipe(boolean(), description('Only calls that failed'))),
    after: optional(
      pipe(
        wholeNumber({ min: 0, max: 2_147_483_647 }),
        description('Only entries after this one, oldest first'),
        metadata({ value: 'SEQ' }),
      ),
    ),
    before: optional(
      pipe(wholeNumber({ min: 1, max: 2_147_483_647 }), description('Only entries before this one'), metadata({ value: 'SEQ' })),
    ),
    since: optional(pipe(MomentSchema, description('Only entries since, e.g. 2026-01-31, or 7d or 12h ago'))),
    until: optional(pipe(MomentSchema, description('Only entries until then'))),
    brief: optional(pipe(boolean(), description('Leave out the parameters, which can be long'))),
  }),
  result: strictObject({ entries: array(Entry) }),
  errors: [],
  tier: 1,
  cli: { command: ['log', 'audit log'], view: async () => (await import('../view.ts')).adminView },
  example: { world: ['T001'], call: { limit: 5 }, exit: 100 },
  async run(
    { store, registry, now },
    { limit, offset, budget, session, agent, token, operation, task, failed, after, before, since, until, brief = false },
  ) {
    const operations = operation ? listNames(registry, operation) : undefined;
    const times = { since: since && parseAgo(now, since), until: until && parseAgo(now, until) };
    const filter = defined({ session, agent, token, taskId: task, after, before, ...times, operations, failed: failed || undefined });
    const page = { limit, offset, budget };
    const found = (await store.audit.list(filter, page)).map(toLogEntry);
    const entries = brief ? found.map(({ params: _, ...entry }) => entry) : found;
    return answerPage({ entries }, entries.length, page, (atMost) => store.audit.count(filter, atMost));
  },
});

/** All names of an operation, because the log stores the name that was called. */
function listNames(registry: Registry, name: string): string[] {
  const entry = registry.find(name) ?? registry.findByFirstWord(name.split(' ', 1)[0]!).find(({ commands }) => commands.includes(name));
  return entry ? [entry.name, ...entry.aliases] : [name];
}

const toLogEntry = (entry: AuditEntry) => ({
  seq: entry.seq,
  timestamp: entry.timestamp,
  operation: `${entry.domain}.${entry.operation}`,
  agent: entry.agent,
  ...defined({ session: entry.session }),
  gateway: entry.gateway,
  success: entry.success,
  ...omitEmpty({
    exitCode: entry.exitCode || undefined,
    errorCode: entry.errorCode,
    principal: entry.principal === undefined ? undefined : parseJson(entry.principal),
    params: entry.params === '{}' ? undefined : (parseJson(entry.params) ?? entry.params),
    created: entry.created,
    updated: entry.updated,
    deleted: entry.deleted,
  }),
  durationMs: entry.durationMs,
});
