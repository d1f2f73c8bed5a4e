import { description, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { alreadyExists, type MutationContext, mutation } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatRetry } from '#core/errors/retry.ts';
import { TaskIdSchema } from '#core/model/scalars.ts';
import { Line } from '#core/model/texts.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { DocSlug } from '../model/doc.ts';
import { findFreeSlug, findTitle, getBaseName, getSlugStem, toDocSlug } from '../rules/doc-name.ts';
import { type DocInput, docInputParams, docInputStdin, observesDocument, readDocInput } from './shared/document-input.ts';
import { checkKind, DocReceipt, saveDocCitations, toDocReceipt } from './shared/documents.ts';

const help = 'cleo help docs add';
export const DocTypeParam = pipe(
  string(),
  maxLength(100, 'must have at most 100 characters'),
  description('Kind of the document; see docs list-types'),
);

export const docsAdd = mutation({
  name: 'docs.add',
  summary: 'Store a document and attach it to a task',
  params: strictObject({
    taskId: pipe(TaskIdSchema, description('Task that the document belongs to')),
    ...docInputParams,
    type: optional(DocTypeParam),
    slug: optional(pipe(DocSlug, description('Slug; derived from the file name or the title by default'))),
    title: optional(pipe(Line, description('Title; the first heading by default'))),
  }),
  paramAliases: { task: 'taskId', kind: 'type' },
  synonyms: ['create', 'new', 'attach'],
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_VALIDATION', 'E_FORBIDDEN'],
  tier: 1,
  ...observesDocument(help),
  cli: {
    command: 'docs add',
    args: ['taskId', 'file'],
    stdinParam: docInputStdin,
    view: async () => (await import('../view.ts')).documentView,
  },
  dryRun: true,
  example: {
    world: ['T001'],
    call: { taskId: 'T001', content: '# Which parsers there are\n', type: 'note', slug: 'parsers' },
  },
  async run(ctx, { taskId, type, slug: slugParam, title, ...inputParams }) {
    const { store, config, now, caller } = ctx;
    if (type !== undefined) checkKind(config, type, (near) => formatRetry(ctx, { type: near }, help));
    await requireTask(store, taskId);
    const input = await readDocInput(ctx, help, inputParams);
    const slug = slugParam ?? (input && chooseSlug(input, title, type));
    const existing = slug === undefined ? undefined : await store.docs.get(slug);
    if (slug !== undefined && existing) {
      const isSame =
        (input?.digest ?? existing.digest) === existing.digest &&
        (type ?? existing.kind) === existing.kind &&
        (title ?? existing.title) === existing.title;
      if (!isSame) throw await createSlugTakenError(ctx, slug, inputParams);
      if ((await store.docs.getTaskIds([slug])).get(slug)?.includes(taskId)) return alreadyExists({ doc: toDocReceipt(existing) });
      await store.docs.attach(slug, taskId);
      return { doc: toDocReceipt(existing) };
    }
    if (slug === undefined || !input)
      throw new CleoError('E_INVALID_INPUT', { problem: 'A file (or content) is required', fix: help, field: 'file' });
    const text = input.encoding === 'utf8' ? input.content : undefined;
    const doc = { slug, kind: type ?? 'note', title: title ?? (text && findTitle(text)) ?? chooseTitle(input, slug) };
    await store.docs.insert(doc, { ...input, version: 1, at: now, agentId: caller.agent });
    await store.docs.attach(slug, taskId);
    await saveDocCitations(store, slug, text);
    return { doc: toDocReceipt({ ...doc, ...input, version: 1 }) };
  },
});

/** Derives the slug from the file name or the title, or from the kind if they contain no usable character. */
function chooseSlug({ path }: DocInput, title: string | undefined, type = 'note'): string {
  if (path !== undefined) return toDocSlug(getBaseName(path)) ?? type;
  if (title !== undefined) return toDocSlug(title) ?? type;
  throw new CleoError('E_INVALID_INPUT', { problem: 'slug is required without a file', fix: help, field: 'slug' });
}

const chooseTitle = ({ path }: DocInput, slug: string): string =>
  path === undefined ? slug : getBaseName(path).slice(0, 200).trim() || slug;

/** Suggests a free slug. Piped content cannot be repeated in a command line unless it is short; the fix then shows the other document. */
async function createSlugTakenError(ctx: MutationContext, slug: string, { file }: { file?: string | undefined }): Promise<CleoError> {
  const free = findFreeSlug(slug, await ctx.store.docs.listSlugs(getSlugStem(slug), 5000));
  const retry = formatRetry(ctx, { slug: free, dryRun: undefined }, help);
  const error = new CleoError('E_VALIDATION', {
    field: 'slug',
    problem: `${slug} is used by another document; ${free} is free`,
    fix: retry === help ? `cleo docs fetch ${slug}` : retry,
    slug,
    free,
  });
  error.alternatives.push(
    ...(file === undefined ? [] : [{ action: `Store it as a new version of ${slug}`, command: `cleo docs update ${slug} ${quote(file)}` }]),
    { action: `Show ${slug}`, command: `cleo docs fetch ${slug}` },
  );
  return error;
}
