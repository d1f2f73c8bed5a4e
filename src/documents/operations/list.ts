import { array, description, optional, pipe, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { SearchText } from '#core/model/search-texts.ts';
import { answerPage, noLimit, pageParams } from '#core/page.ts';
import { defined } from '#lib/collections.ts';
import type { ReadStore } from '#store/port/store.ts';
import { checkTaskExists } from '#tasks/operations/shared/require.ts';
import type { DocFilter, DocRecord } from '../model/doc.ts';
import { DocTypeParam } from './add.ts';
import { checkKind, DocRow, toDocRow } from './shared/documents.ts';

export const docsList = query({
  name: 'docs.list',
  summary: 'List documents, last changed first',
  params: strictObject({
    term: optional(pipe(SearchText, description('Words in slug, title or kind; prefixes and typos match too'))),
    task: optional(pipe(TaskIdSchema, description('Only documents of this task'))),
    type: optional(pipe(DocTypeParam, description('Only documents of this kind'))),
    ...pageParams(50),
  }),
  paramAliases: { taskId: 'task', kind: 'type', query: 'term' },
  synonyms: ['ls'],
  result: strictObject({ docs: array(DocRow) }),
  errors: ['E_NOT_FOUND', 'E_INVALID_INPUT'],
  tier: 1,
  cli: { command: ['docs list', 'docs'], view: async () => (await import('../view.ts')).documentView },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { task: 'T001', type: 'note' } },
  async run({ store, config, commandWith }, { term, task, type, ...page }) {
    await checkTaskExists(store, task);
    const filter = defined({ task, kind: type });
    const found = term === undefined ? undefined : await findDocs(store, filter, term);
    const records = found?.slice(page.offset, page.offset + page.limit) ?? (await store.docs.list(filter, page));
    // A kind that was removed from the configuration stays valid while there are documents of it.
    if (records.length === 0 && type !== undefined && !(await store.docs.countByKind()).has(type))
      checkKind(config, type, (near) => commandWith({ type: near }));
    const slugs = records.map(({ slug }) => slug);
    const [tasks, stale] = [await store.docs.getTaskIds(slugs), await store.docs.getStaleCitations(slugs)];
    const docs = records.map((doc) => toDocRow(doc, tasks.get(doc.slug), stale.get(doc.slug)));
    return answerPage({ docs }, docs.length, page, async (atMost) => found?.length ?? store.docs.count(filter, atMost));
  },
});

/** Finds documents by the words of their names. The list has no contents, so that reading all of it is cheap. */
async function findDocs(store: ReadStore, filter: DocFilter, term: string): Promise<DocRecord[]> {
  const { matchNames } = await import('#core/rules/match-names.ts');
  const all = await store.docs.list(filter, { limit: noLimit, offset: 0 });
  return matchNames(all, term, ({ slug, title, kind }) => `${slug} ${title} ${kind}`);
}
