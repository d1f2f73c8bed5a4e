import { array, description, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { isStorable } from '#core/model/storable.ts';
import { FilePath } from '#core/model/texts.ts';
import { requestFacts } from '#core/observation.ts';
import { defined, omitEmpty } from '#lib/collections.ts';
import { type MemoryHit, type MemoryRecord, MemorySummary, maxMemoryLength } from '../model/memory.ts';
import { isReferenceTo, type ParsedDecision } from '../rules/memory-adr.ts';
import { hashMemory, toMemorySummary } from '../rules/memory-view.ts';
import { saveTaskCitations } from './shared/citations.ts';
import { toStoredProof } from './shared/decide-memory.ts';
import { type LedgerContents, ledgerContents } from './shared/read-ledgers.ts';
import { createMemoryRecord, saveMemoryCitations } from './shared/store-memory.ts';

export const memoryImport = mutation({
  name: 'memory.import',
  summary: 'Import decisions from ADRs and from output of agents',
  params: strictObject({
    adr: optional(
      pipe(
        FilePath,
        description('Folder, relative to the project folder; .cleo/adrs and .cleo/agent-outputs by default'),
        metadata({ value: 'FOLDER' }),
      ),
    ),
  }),
  paramAliases: { dir: 'adr', folder: 'adr' },
  result: strictObject({
    memories: array(MemorySummary),
    unchanged: number(),
    skipped: optional(array(strictObject({ file: string(), why: string() }))),
  }),
  errors: ['E_NOT_FOUND', 'E_FILE_ERROR', 'E_FORBIDDEN'],
  tier: 1,
  observes: [ledgerContents],
  observeFirst: ({ adr }) => [requestFacts(ledgerContents, defined({ folder: adr }))],
  maxBodyBytes: 64 << 20,
  scope: { scope: 'decide', when: 'to accept or reject the decisions as their files say; without it they are proposed' },
  cli: { command: 'memory import', args: ['adr'], view: async () => (await import('../view.ts')).memoryView },
  dryRun: true,
  example: { call: {}, exit: 100 },
  async run(ctx, { adr }) {
    const { store } = ctx;
    const { files, skipped } = await ctx.getFacts(ledgerContents, defined({ folder: adr }));
    // The facts are used again if the operation runs again.
    const ledgers = { files, skipped: [...skipped] };
    const imported = await matchEntries(ctx, ledgers);
    const newEntries = imported.filter(({ isNew }) => isNew).map(({ entry }) => entry as MemoryRecord);
    await store.memory.insertMany(newEntries);
    const warnings = (await Promise.all(newEntries.map((entry) => saveMemoryCitations(store, entry)))).flat();
    for (const item of imported) warnings.push(...(await applyFileState(ctx, item, imported)));
    const after = await store.memory.getHits(imported.map(({ entry }) => entry.id));
    const touched = new Set([...store.changes.created, ...store.changes.updated]);
    const memories = after.filter(({ id }, i) => touched.has(id) && after.findIndex((hit) => hit.id === id) === i).map(toMemorySummary);
    const exit = memories.length > 0 ? {} : { exit: imported.length > 0 ? (101 as const) : (100 as const) };
    return answer(
      { memories, unchanged: imported.length - memories.length, ...omitEmpty({ skipped: ledgers.skipped }) },
      { ...exit, warnings },
    );
  },
});

interface ImportedDecision {
  file: string;
  decision: ParsedDecision;
  entry: MemoryHit;
  isNew: boolean;
  /** Entry from an earlier import of the same file, whose content has changed. */
  previous?: MemoryHit;
}

/** Matches decisions with existing entries and creates proposed entries for the others. */
async function matchEntries({ store, ...ctx }: MutationContext, { files, skipped }: LedgerContents): Promise<ImportedDecision[]> {
  const byDigest = new Map<string, MemoryHit>();
  const imported: ImportedDecision[] = [];
  for (const { file, decisions } of files)
    for (const decision of decisions) {
      const { title, content } = decision;
      if (content.length > maxMemoryLength || title.length > 200 || !isStorable(content + title)) {
        skipped.push({ file, why: 'has a title over 200 characters, a text over 32,000 characters, or characters that cannot be stored' });
        continue;
      }
      const digest = hashMemory('decision', content);
      const existing = byDigest.get(digest) ?? (await store.memory.getByDigest(digest));
      if (existing) {
        imported.push({ file, decision, entry: existing, isNew: false });
        byDigest.set(digest, existing);
        continue;
      }
      const source = { table: decisions.length === 1 && file.endsWith('.md') ? 'adr' : 'ledger', rowid: file };
      const [previous] = source.table === 'adr' ? await store.memory.listForSource('adr', file) : [];
      const [id = ''] = await store.memory.nextIds('decision', 1);
      const missing = await store.tasks.findMissing(decision.tasks);
      const tasks = decision.tasks.filter((task) => !missing.includes(task));
      const entry = createMemoryRecord(ctx, { id, type: 'decision', title, content, digest, tags: [], tasks, source });
      byDigest.set(digest, entry);
      imported.push({ file, decision, entry, isNew: true, ...defined({ previous }) });
    }
  return imported;
}

/** Sets an entry to the state in its file if the caller may: only a person may accept or reject a decision. An entry that was already
 *  decided keeps its state. */
async function applyFileState(
  ctx: MutationContext,
  { file, decision, entry, previous }: ImportedDecision,
  all: ImportedDecision[],
): Promise<string[]> {
  const { store } = ctx;
  const isPerson = await ctx.mayHaveScope('decide');
  const requirePerson = (): void => ctx.requireScope('decide', { subject: 'import', action: `Deciding as ${file} says` });
  const successor =
    decision.supersededBy && all.find((one) => one.entry.id !== entry.id && isReferenceTo(decision.supersededBy!, one.file))?.entry;
  const warnings: string[] = [];
  const supersede = async (old: MemoryHit, by: MemoryHit): Promise<void> => {
    if (old.state === 'superseded') return;
    const isSafe = !(await store.memory.listSuccessors(by.id)).includes(old.id);
    if (isSafe && (isPerson || old.state === 'proposed')) {
      if (old.state !== 'proposed') requirePerson();
      await store.memory.decide(old.id, 'superseded', { reason: `As ${file} says`, by: by.id, proof: toStoredProof(ctx, 'memory.import') });
      await saveTaskCitations(store, old.id);
    } else
      warnings.push(
        `${file} says that ${by.id} supersedes ${old.id}; a person must confirm it: cleo memory supersede ${old.id} --by ${by.id}`,
      );
  };
  if (previous) await supersede(previous, entry);
  if (successor) await supersede(entry, successor);
  const { state } = decision;
  if (isPerson && entry.state === 'proposed' && (state === 'accepted' || state === 'rejected')) {
    requirePerson();
    await store.memory.decide(entry.id, state, { reason: `As ${file} says`, proof: toStoredProof(ctx, 'memory.import') });
  }
  return warnings;
}
