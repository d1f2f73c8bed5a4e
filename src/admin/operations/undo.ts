import '../errors.ts';
import { array, number, optional, strictObject, string } from 'valibot';
import { listCommandNames } from '#core/command-line.ts';
import { answer, type MutationContext, mutation, noChange, type Operation, type Registry } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { AuditEntry } from '#core/model/audit.ts';
import { parseTaskId } from '#core/model/scalars.ts';
import type { ChangedItem } from '#store/port/undo.ts';
import { undoTaskChanges } from '#tasks/operations/shared/undo-changes.ts';
import { createUndoSearch, findLaterWrite, listChangedIds, searchEntries, type UndoSearch, undoneParam } from '../rules/undo.ts';

const maxAgeMs = 60 * 60_000;
const pageSize = 200;
/** Namespaces whose writes can be taken back. */
const namespaces = ['tasks', 'saga', 'workgraph', 'memory', 'docs'];
/** Writes of these namespaces that cannot, and why. */
const finalWrites: Record<string, string> = {
  'tasks.import': 'it also recorded what it imported; delete the tasks or restore a backup',
  'workgraph.apply': 'it also recorded the document; apply another one',
};

const Undone = strictObject({
  /** The number of the entry in the log. */
  entry: optional(number()),
  operation: optional(string()),
  at: optional(string()),
  ids: optional(array(string())),
  summary: optional(string()),
});

export const adminUndo = mutation({
  name: 'admin.undo',
  summary: 'Take back your last write of the last hour',
  params: strictObject({}),
  result: strictObject({ undone: Undone }),
  errors: ['E_UNDO_BLOCKED', 'E_TASK_NOT_IN_SCOPE'],
  tier: 1,
  scope: { scope: 'decide', when: 'to take back a decision, or to remove criteria that are bound to evidence' },
  cli: { command: 'undo', asks: 'confirmation', view: async () => (await import('../view/undo.ts')).undoView },
  dryRun: true,
  example: { world: ['T001'], call: {}, exit: 102 },
  async run(ctx) {
    const { store, registry } = ctx;
    const search = await findLastWrite(ctx);
    const entry = search.found;
    if (!entry) return noChange({ undone: {} });
    const operation = await registry.load(resolveOperation(registry, entry));
    const summary = await summarize(ctx, operation, entry);
    const reject = (problem: string): CleoError =>
      new CleoError('E_UNDO_BLOCKED', { entry: entry.seq, what: summary.replace(/^Take back /, ''), problem });
    const final = finalWrites[operation.name];
    if (final) throw reject(final);
    if (search.restore) throw reject(`a backup was restored after that (entry ${search.restore.seq})`);
    const later = findLaterWrite(search);
    if (later) throw reject(`${later.entry.agent} changed ${later.id} after that (${toName(later.entry)})`);
    const changes = await store.undo.listTaskChanges(entry.seq);
    if (!changes) throw reject('an older version of cleo wrote it');
    const items = await store.undo.listChangedItems(entry.seq);
    if (changes.length + items.length === 0) throw reject('it changed only claims or evidence');
    await checkItems(ctx, items, reject);
    await withRejection(() => undoTaskChanges(ctx, changes, reject), reject);
    await store.undo.restoreItems(entry.seq);
    const undone = {
      entry: entry.seq,
      operation: toName(entry),
      at: entry.timestamp,
      ids: listChangedIds(entry),
      summary: ctx.isDryRun ? summary : summary.replace('Take', 'Took'),
    };
    return answer({ undone }, { logParams: { [undoneParam]: entry.seq } });
  },
});

const toName = ({ domain, operation }: AuditEntry): string => `${domain}.${operation}`;

/** The log stores the name that was called, which may be an alias. */
const resolveOperation = (registry: Registry, entry: AuditEntry): string => registry.find(toName(entry))?.name ?? toName(entry);

/** Searches the last hour of the log for the last write of the caller. */
async function findLastWrite({ store, registry, caller, now }: MutationContext): Promise<UndoSearch> {
  const since = new Date(Date.parse(now) - maxAgeMs).toISOString();
  const isCandidate = (entry: AuditEntry): boolean =>
    entry.agent === caller.agent && namespaces.includes(resolveOperation(registry, entry).split('.', 1)[0]!);
  const isRestore = (entry: AuditEntry): boolean => resolveOperation(registry, entry) === 'admin.backup.restore';
  const search = createUndoSearch();
  for (let offset = 0; ; offset += pageSize) {
    const entries = await store.audit.list({}, { limit: pageSize, offset });
    const recent = entries.filter(({ timestamp }) => timestamp >= since);
    if (searchEntries(search, recent, isCandidate, isRestore).found || recent.length < pageSize) return search;
  }
}

async function summarize({ store }: MutationContext, operation: Operation, entry: AuditEntry): Promise<string> {
  const ids = listChangedIds(entry);
  const more = ids.length > 3 ? ` and ${ids.length - 3} more` : '';
  const title = await findTitle(store, entry);
  return `Take back ${listCommandNames(operation)[0]} ${ids.slice(0, 3).join(', ')}${more}${title === undefined ? '' : ` "${title}"`}`;
}

/** Finds the title of the first task that the entry names; a deleted one has it in its history. */
async function findTitle({ tasks }: MutationContext['store'], entry: AuditEntry): Promise<string | undefined> {
  const [id] = listChangedIds(entry);
  if (id === undefined || parseTaskId(id) === undefined) return undefined;
  return ((await tasks.getHit(id)) ?? (await tasks.getLastDeleted(id))?.record)?.title;
}

/** Rejects the removal of a memory entry or a document that something refers to. Only a person takes back a decision. */
async function checkItems(ctx: MutationContext, items: ChangedItem[], reject: (problem: string) => CleoError): Promise<void> {
  const { store } = ctx;
  const ids = new Set(items.map(({ id }) => id));
  for (const { kind, id, isNew } of items) {
    const entry = kind === 'memory' ? await store.memory.get(id) : undefined;
    if (entry?.type === 'decision' && !isNew) ctx.requireScope('decide', { subject: id, action: `Taking back the decision about ${id}` });
    if (!isNew) continue;
    const citing = kind === 'memory' ? (await store.memory.listCiting(id)).find((each) => !ids.has(each.id)) : undefined;
    if (citing) throw reject(`${citing.id} cites ${id}`);
    const superseded = kind === 'memory' ? (await store.memory.listSupersededBy(id)).find((each) => !ids.has(each.id)) : undefined;
    if (superseded) throw reject(`${id} superseded ${superseded.id}`);
    const [source] = kind === 'doc' ? await store.memory.listForSource('doc', id) : [];
    if (source) throw reject(`${source.id} has ${id} as its source`);
  }
}

/** Reports an error of the plan, such as a cycle, as the reason why the write cannot be taken back. */
async function withRejection(work: () => Promise<void>, reject: (problem: string) => CleoError): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CleoError) || ['E_UNDO_BLOCKED', 'E_TASK_NOT_IN_SCOPE'].includes(error.row)) throw error;
    throw reject(error.message);
  }
}
