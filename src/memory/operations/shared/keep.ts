import { array, description, optional, pipe } from 'valibot';
import { alreadyThere, answer, type MutationContext } from '#core/define.ts';
import { Label, Line, TaskId } from '#core/model/scalars.ts';
import type { WriteStore } from '#store/port.ts';
import { notFound } from '#tasks/operations/shared/require.ts';
import type { MemoryRecord, MemoryType } from '../../model/memory.ts';
import { MemoryContent } from '../../model/memory.ts';
import { citedIn } from '../../rules/memory-cites.ts';
import { digestOf, summaryOf, titleOf } from '../../rules/memory-view.ts';
import { checkedSource, type Source, SourceParam } from './source.ts';

export const contentParam = pipe(
  MemoryContent,
  description('What is to be remembered (at most 32,000 characters); ids such as D-001 in it become citations'),
);

/** What every entry may say beside its content. */
export const aboutParams = {
  title: optional(pipe(Line, description('What it says in one line (1-200 characters); left out, the beginning of the content'))),
  task: optional(pipe(TaskId, description('The task it is about'))),
  epic: optional(pipe(TaskId, description('The epic it is about'))),
  tags: optional(pipe(array(Label), description('Words to find it by, each of a-z 0-9 . _ : / - and at most 50 long'))),
  source: optional(SourceParam),
};

export interface Given {
  content: string;
  title?: string | undefined;
  task?: string | undefined;
  epic?: string | undefined;
  tags?: string[] | undefined;
  source?: Source | undefined;
}

/** Stores an entry as proposed. The same words of the same type are there already. */
export async function keep(ctx: MutationContext, type: MemoryType, given: Given) {
  const { store } = ctx;
  const tasks = [...new Set([given.task, given.epic].filter((id) => id !== undefined))];
  const [missing] = await store.tasks.missing(tasks);
  if (missing) throw await notFound(store, missing);
  const source = given.source && (await checkedSource(ctx, given.source));
  const digest = digestOf(type, given.content);
  const known = await store.memory.withDigest(digest);
  if (known) return alreadyThere({ memory: summaryOf(known) });
  const [id = ''] = await store.memory.nextIds(type, 1);
  const entry = newEntry(ctx, {
    id,
    type,
    title: given.title ?? titleOf(given.content),
    content: given.content,
    digest,
    tags: [...new Set(given.tags ?? [])],
    tasks,
    ...(source ? { source } : {}),
  });
  await store.memory.insertMany([entry]);
  return answer({ memory: summaryOf(entry) }, { warnings: await citeAll(store, entry) });
}

export const newEntry = (
  { now, caller }: Pick<MutationContext, 'now' | 'caller'>,
  said: Omit<MemoryRecord, 'state' | 'agentId' | 'createdAt' | 'sessionId'>,
): MemoryRecord => ({
  ...said,
  state: 'proposed',
  ...(caller.session ? { sessionId: caller.session } : {}),
  agentId: caller.agent,
  createdAt: now,
});

/** Notes what an entry cites; what it had better not cite. */
export async function citeAll(store: WriteStore, { id, title, content }: MemoryRecord): Promise<string[]> {
  const cited = citedIn(`${title}\n${content}`);
  if (cited.length === 0) return [];
  await store.memory.cite('memory', id, cited);
  return (await store.memory.staleIn('memory', id)).map(({ cites, supersededBy }) => `${cites} was superseded by ${supersededBy}`);
}
