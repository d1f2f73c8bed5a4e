import { is } from 'valibot';
import type { MutationContext } from '#core/define.ts';
import { Line } from '#core/model/texts.ts';
import { MemoryContent, maxMemoryLength } from '../../model/memory.ts';
import { deriveTitle, hashMemory } from '../../rules/memory-view.ts';
import { createMemoryRecord, saveMemoryCitations } from './store-memory.ts';

/** Stores a text that another tool remembers as a proposed observation. Returns false if it is stored already or cannot be. */
export async function storeForeignMemory(ctx: MutationContext, title: string, text: string, tool: string): Promise<boolean> {
  const { store } = ctx;
  const content = text.replaceAll('\0', '').toWellFormed().trim().slice(0, maxMemoryLength);
  if (!is(MemoryContent, content)) return false;
  const digest = hashMemory('observation', content);
  if (await store.memory.getByDigest(digest)) return false;
  const [id = ''] = await store.memory.nextIds('observation', 1);
  const entry = createMemoryRecord(ctx, {
    id,
    type: 'observation',
    title: is(Line, title) ? title : deriveTitle(content),
    content,
    digest,
    tags: [tool],
    tasks: [],
  });
  await store.memory.insertMany([entry]);
  await saveMemoryCitations(store, entry);
  return true;
}
