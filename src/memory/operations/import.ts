import { array, description, metadata, number, optional, pipe, strictObject, string } from 'valibot';
import { answer, type MutationContext, mutation } from '#core/define.ts';
import { FilePath, isStorable } from '#core/model/scalars.ts';
import { isByPerson } from '#sessions/operations/shared/person.ts';
import { longestMemory, type MemoryHit, type MemoryRecord, MemorySummary } from '../model/memory.ts';
import { isMeant, type ToldDecision } from '../rules/memory-adr.ts';
import { digestOf, summaryOf } from '../rules/memory-view.ts';
import { citeTasks } from './shared/cite-tasks.ts';
import { citeAll, newEntry } from './shared/keep.ts';
import { type Read, readLedgers } from './shared/ledgers.ts';

export const memoryImport = mutation({
  name: 'memory.import',
  summary: 'Take decisions over from decision records (ADRs) and from what agents left in files',
  params: strictObject({
    adr: optional(
      pipe(
        FilePath,
        description('The folder with the files, from the project folder; left out, .cleo/adrs and .cleo/agent-outputs'),
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
  cli: { command: 'memory import', args: ['adr'] },
  dryRun: true,
  example: { call: {}, exit: 100 },
  async run(ctx, { adr }) {
    const { store } = ctx;
    const { told, skipped } = await readLedgers(ctx, adr);
    const found = await entered(ctx, told, skipped);
    const fresh = found.filter(({ isNew }) => isNew).map(({ entry }) => entry as MemoryRecord);
    await store.memory.insertMany(fresh);
    const warnings = (await Promise.all(fresh.map((entry) => citeAll(store, entry)))).flat();
    for (const one of found) warnings.push(...(await settle(ctx, one, found)));
    const after = await store.memory.hits(found.map(({ entry }) => entry.id));
    const touched = new Set([...store.changes.created, ...store.changes.updated]);
    const memories = after.filter(({ id }, i) => touched.has(id) && after.findIndex((hit) => hit.id === id) === i).map(summaryOf);
    const exit = memories.length > 0 ? {} : { exit: found.length > 0 ? (101 as const) : (100 as const) };
    return answer(
      { memories, unchanged: found.length - memories.length, ...(skipped.length > 0 ? { skipped } : {}) },
      { ...exit, warnings },
    );
  },
});

interface Entered {
  file: string;
  told: ToldDecision;
  entry: MemoryHit;
  isNew: boolean;
  /** What the same file told the last time, where it tells something else now. */
  before?: MemoryHit;
}

/** What is told, as entries: those that are there already, and new ones, which are proposed. */
async function entered({ store, ...ctx }: MutationContext, told: Read['told'], skipped: Read['skipped']): Promise<Entered[]> {
  const known = new Map<string, MemoryHit>();
  const found: Entered[] = [];
  for (const { file, decisions } of told)
    for (const one of decisions) {
      if (one.content.length > longestMemory || one.title.length > 200 || !isStorable(one.content + one.title)) {
        skipped.push({ file, why: 'has a title of more than 200 characters, or a text of more than 32,000, or one that no store keeps' });
        continue;
      }
      const digest = digestOf('decision', one.content);
      const there = known.get(digest) ?? (await store.memory.withDigest(digest));
      if (there) {
        found.push({ file, told: one, entry: there, isNew: false });
        known.set(digest, there);
        continue;
      }
      const source = { table: decisions.length === 1 && file.endsWith('.md') ? 'adr' : 'ledger', rowid: file };
      const [before] = source.table === 'adr' ? await store.memory.ofSource('adr', file) : [];
      const [id = ''] = await store.memory.nextIds('decision', 1);
      const missing = await store.tasks.missing(one.tasks);
      const tasks = one.tasks.filter((task) => !missing.includes(task));
      const entry = newEntry(ctx, { id, type: 'decision', title: one.title, content: one.content, digest, tags: [], tasks, source });
      known.set(digest, entry);
      found.push({ file, told: one, entry, isNew: true, ...(before ? { before } : {}) });
    }
  return found;
}

/** Gives an entry the state that its file tells, as far as the caller may: of a decision only a person says that it holds or does not.
 *  What was decided here stays so. */
async function settle(ctx: MutationContext, { file, told, entry, before }: Entered, all: Entered[]): Promise<string[]> {
  const { store } = ctx;
  const isPerson = isByPerson(ctx);
  const next = told.supersededBy && all.find((one) => one.entry.id !== entry.id && isMeant(told.supersededBy!, one.file))?.entry;
  const warnings: string[] = [];
  const supersede = async (old: MemoryHit, by: MemoryHit): Promise<void> => {
    if (old.state === 'superseded') return;
    const isSafe = !(await store.memory.successors(by.id)).includes(old.id);
    if (isSafe && (isPerson || old.state === 'proposed')) {
      await store.memory.decide(old.id, 'superseded', `As ${file} says`, by.id);
      await citeTasks(store, old.id);
    } else
      warnings.push(
        `${file} says that ${by.id} took the place of ${old.id}; that is for a person: cleo memory supersede ${old.id} --by ${by.id}`,
      );
  };
  if (before) await supersede(before, entry);
  if (next) await supersede(entry, next);
  const state = told.state === 'superseded' ? undefined : told.state;
  if (isPerson && entry.state === 'proposed' && state && state !== 'proposed')
    await store.memory.decide(entry.id, state, `As ${file} says`);
  return warnings;
}
