import { array, boolean, description, metadata, number, optional, pipe, strictObject, string, unknown } from 'valibot';
import { query, type Registry } from '#core/define.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import { TaskId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';
import { answerPage, pageParams } from '#core/page.ts';
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
  created: Ids,
  updated: Ids,
  deleted: Ids,
  durationMs: number(),
});

export const adminLog = query({
  name: 'admin.log',
  summary: 'Show what was done, newest first',
  params: strictObject({
    ...pageParams(50),
    session: optional(pipe(string(), description('Only of this session'), metadata({ value: 'SESSION' }))),
    agent: optional(pipe(string(), description('Only by this agent'), metadata({ value: 'ID' }))),
    operation: optional(pipe(string(), description('Only this operation, under whichever name it was called, e.g. tasks.add'))),
    task: optional(pipe(TaskId, description('Only what named or changed this task'))),
    failed: optional(pipe(boolean(), description('Only what was refused or failed'))),
    after: optional(
      pipe(
        wholeNumber({ min: 0, max: 2_147_483_647 }),
        description('Only what came after this entry, then oldest first'),
        metadata({ value: 'SEQ' }),
      ),
    ),
  }),
  result: strictObject({ entries: array(Entry) }),
  errors: [],
  tier: 1,
  cli: { command: ['log', 'audit log'], view: async () => (await import('../view.ts')).adminView },
  example: { world: ['T001'], call: { limit: 5 }, exit: 100 },
  async run({ store, registry }, { limit, offset, budget, session, agent, operation, task, failed, after }) {
    const filter = {
      ...(session ? { session } : {}),
      ...(agent ? { agent } : {}),
      ...(operation ? { operations: namesOf(registry, operation) } : {}),
      ...(task ? { taskId: task } : {}),
      ...(failed ? { failed } : {}),
      ...(after === undefined ? {} : { after }),
    };
    const page = { limit, offset, budget };
    const entries = (await store.audit.list(filter, page)).map(shown);
    return answerPage({ entries }, entries.length, page, (atMost) => store.audit.count(filter, atMost));
  },
});

/** The log keeps the name that was called; who asks for one of an operation's names means them all. */
function namesOf(catalog: Registry, name: string): string[] {
  const entry = catalog.find(name) ?? catalog.findByFirstWord(name.split(' ', 1)[0]!).find(({ commands }) => commands.includes(name));
  return entry ? [entry.name, ...entry.aliases] : [name];
}

const shown = (entry: AuditEntry) => ({
  seq: entry.seq,
  timestamp: entry.timestamp,
  operation: `${entry.domain}.${entry.operation}`,
  agent: entry.agent,
  ...(entry.session ? { session: entry.session } : {}),
  gateway: entry.gateway,
  success: entry.success,
  ...(entry.exitCode ? { exitCode: entry.exitCode } : {}),
  ...(entry.errorCode ? { errorCode: entry.errorCode } : {}),
  ...(entry.params === '{}' ? {} : { params: parseJson(entry.params) ?? entry.params }),
  ...some('created', entry.created),
  ...some('updated', entry.updated),
  ...some('deleted', entry.deleted),
  durationMs: entry.durationMs,
});

const some = (key: string, ids: string[]): Record<string, string[]> => (ids.length ? { [key]: ids } : {});
