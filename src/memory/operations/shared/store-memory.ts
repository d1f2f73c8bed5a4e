import { array, description, optional, pipe } from 'valibot';
import { alreadyExists, answer, type MutationContext } from '#core/define.ts';
import { Label, Line, TaskIdSchema } from '#core/model/scalars.ts';
import { defined } from '#lib/defined.ts';
import type { WriteStore } from '#store/port/store.ts';
import { createNotFoundError } from '#tasks/operations/shared/require.ts';
import type { MemoryRecord, MemoryType } from '../../model/memory.ts';
import { MemoryContent } from '../../model/memory.ts';
import { findCitations } from '../../rules/find-citations.ts';
import { deriveTitle, hashMemory, toMemorySummary } from '../../rules/memory-view.ts';
import { type MemorySource, requireSource, SourceParam } from './memory-source.ts';

export const memoryContentParam = pipe(
  MemoryContent,
  description('Text (at most 32,000 characters); ids such as D-001 in it become citations'),
);

/** Optional parameters of a new entry. */
export const memoryParams = {
  title: optional(pipe(Line, description('Title (1-200 characters); the start of the content by default'))),
  task: optional(pipe(TaskIdSchema, description('Task that the entry is about'))),
  epic: optional(pipe(TaskIdSchema, description('Epic that the entry is about'))),
  tags: optional(pipe(array(Label), description('Search terms, each of a-z 0-9 . _ : / - and at most 50 characters'))),
  source: optional(SourceParam),
};

export interface MemoryInput {
  content: string;
  title?: string | undefined;
  task?: string | undefined;
  epic?: string | undefined;
  tags?: string[] | undefined;
  source?: MemorySource | undefined;
}

/** Stores an entry as proposed. An entry with the same type and content already exists (exit 101). */
export async function storeMemory(ctx: MutationContext, type: MemoryType, input: MemoryInput) {
  const { store } = ctx;
  const tasks = [...new Set([input.task, input.epic].filter((id) => id !== undefined))];
  const [missing] = await store.tasks.findMissing(tasks);
  if (missing) throw await createNotFoundError(store, missing);
  const source = input.source && (await requireSource(ctx, input.source));
  const digest = hashMemory(type, input.content);
  const existing = await store.memory.getByDigest(digest);
  if (existing) return alreadyExists({ memory: toMemorySummary(existing) });
  const [id = ''] = await store.memory.nextIds(type, 1);
  const entry = createMemoryRecord(ctx, {
    id,
    type,
    title: input.title ?? deriveTitle(input.content),
    content: input.content,
    digest,
    tags: [...new Set(input.tags ?? [])],
    tasks,
    ...defined({ source }),
  });
  await store.memory.insertMany([entry]);
  return answer({ memory: toMemorySummary(entry) }, { warnings: await saveMemoryCitations(store, entry) });
}

export const createMemoryRecord = (
  { now, caller }: Pick<MutationContext, 'now' | 'caller'>,
  fields: Omit<MemoryRecord, 'state' | 'agentId' | 'createdAt' | 'sessionId'>,
): MemoryRecord => ({
  ...fields,
  state: 'proposed',
  ...defined({ sessionId: caller.session }),
  agentId: caller.agent,
  createdAt: now,
});

/** Stores the citations of an entry and returns a warning for each superseded one. */
export async function saveMemoryCitations(store: WriteStore, { id, title, content }: MemoryRecord): Promise<string[]> {
  const cited = findCitations(`${title}\n${content}`);
  if (cited.length === 0) return [];
  await store.memory.saveCitations('memory', id, cited);
  return (await store.memory.listStaleCitations('memory', id)).map(
    ({ cites, supersededBy }) => `${cites} was superseded by ${supersededBy}`,
  );
}
