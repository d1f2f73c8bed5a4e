import { description, maxLength, optional, pipe, strictObject, string } from 'valibot';
import { alreadyThere, type MutationContext, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import { Line, TaskId } from '#core/model/scalars.ts';
import { requireTask } from '#tasks/operations/shared/require.ts';
import { DocSlug } from '../model/doc.ts';
import { baseName, freeSlug, slugFrom, stemOf, titleIn } from '../rules/doc-name.ts';
import { checkKind, DocReceipt, noteCitations, receiptOf } from './shared/documents.ts';
import { again, type Given, givenIn, givenParams, givenPipe } from './shared/given.ts';

const help = 'cleo help docs add';
export const typeParam = pipe(string(), maxLength(100, 'must have at most 100 characters'), description('Its kind; list-types has them'));

export const docsAdd = mutation({
  name: 'docs.add',
  summary: 'Keep a document in the store and attach it to a task',
  params: strictObject({
    taskId: pipe(TaskId, description('The task it belongs to')),
    ...givenParams,
    type: optional(typeParam),
    slug: optional(pipe(DocSlug, description('The name it is fetched by; without it made of the file name or the title'))),
    title: optional(pipe(Line, description('What it is about; without it its first heading'))),
  }),
  paramAliases: { task: 'taskId', kind: 'type' },
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_VALIDATION', 'E_FORBIDDEN'],
  tier: 1,
  cli: { command: 'docs add', args: ['taskId', 'file'], stdinParam: givenPipe },
  dryRun: true,
  example: {
    world: ['T001'],
    call: { taskId: 'T001', content: '# Which parsers there are\n', type: 'note', slug: 'parsers' },
  },
  async run(ctx, { taskId, type, slug: named, title, ...asked }) {
    const { store, config, now, caller } = ctx;
    if (type !== undefined) checkKind(config, type, (near) => again(ctx, { type: near }, help));
    await requireTask(store, taskId);
    const given = await givenIn(ctx, help, asked);
    if (!given) throw new CleoError('E_INVALID_INPUT', { problem: 'A file (or content) is required', fix: help, field: 'file' });
    const slug = named ?? slugFor(given, title, type);
    const there = await store.docs.get(slug);
    if (there) {
      const isSame = there.digest === given.digest && (type ?? there.kind) === there.kind && (title ?? there.title) === there.title;
      if (!isSame) throw await taken(ctx, slug, asked);
      if ((await store.docs.tasks([slug])).get(slug)?.includes(taskId)) return alreadyThere({ doc: receiptOf(there) });
      await store.docs.attach(slug, taskId);
      return { doc: receiptOf(there) };
    }
    const text = given.encoding === 'utf8' ? given.content : undefined;
    const doc = { slug, kind: type ?? 'note', title: title ?? (text && titleIn(text)) ?? nameOf(given, slug) };
    await store.docs.insert(doc, { ...given, version: 1, at: now, agentId: caller.agent });
    await store.docs.attach(slug, taskId);
    await noteCitations(store, slug, text);
    return { doc: receiptOf({ ...doc, ...given, version: 1 }) };
  },
});

/** A file name may hold nothing that could stand in a slug; then the kind has to do. */
function slugFor({ path }: Given, title: string | undefined, type = 'note'): string {
  if (path !== undefined) return slugFrom(baseName(path)) ?? type;
  if (title !== undefined) return slugFrom(title) ?? type;
  throw new CleoError('E_INVALID_INPUT', { problem: 'slug (--slug) is required where there is no file', fix: help, field: 'slug' });
}

const nameOf = ({ path }: Given, slug: string): string => (path === undefined ? slug : baseName(path).slice(0, 200).trim() || slug);

/** The slug stands for something else. What was piped in cannot be repeated in a command line, unless it is short. */
async function taken(ctx: MutationContext, slug: string, { file }: { file?: string | undefined }): Promise<CleoError> {
  const free = freeSlug(slug, await ctx.store.docs.slugs(stemOf(slug), 5000));
  const retry = again(ctx, { slug: free, dryRun: undefined }, help);
  const error = new CleoError('E_VALIDATION', {
    field: 'slug',
    problem: `${slug} is taken by another document; ${free} is free`,
    fix: retry === help ? `cleo docs fetch ${slug}` : retry,
    slug,
    free,
  });
  error.alternatives.push(
    ...(file === undefined ? [] : [{ action: `Make it a new version of ${slug}`, command: `cleo docs update ${slug} ${quote(file)}` }]),
    { action: `See what ${slug} is`, command: `cleo docs fetch ${slug}` },
  );
  return error;
}
