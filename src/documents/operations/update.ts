import { description, optional, pipe, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { Line } from '#core/model/scalars.ts';
import { AskedSlug } from '../model/doc.ts';
import { typeParam } from './add.ts';
import { checkKind, DocReceipt, noteCitations, receiptOf, requireDoc } from './shared/documents.ts';
import { again, givenIn, givenParams, givenPipe } from './shared/given.ts';

const help = 'cleo help docs update';

export const docsUpdate = mutation({
  name: 'docs.update',
  summary: 'Keep a new version of a document; the earlier ones stay',
  params: strictObject({
    slug: AskedSlug,
    ...givenParams,
    type: optional(typeParam),
    title: optional(pipe(Line, description('What it is about'))),
  }),
  paramAliases: { kind: 'type' },
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_VALIDATION', 'E_FORBIDDEN'],
  tier: 1,
  cli: { command: 'docs update', args: ['slug', 'file'], stdinParam: givenPipe },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers', content: '# There are four\n' } },
  async run(ctx, { slug, type, title, ...asked }) {
    const { store, config, now, caller } = ctx;
    if (type !== undefined) checkKind(config, type, (near) => again(ctx, { type: near }, help));
    const doc = await requireDoc(store, slug, 'update');
    const given = await givenIn(ctx, help, asked);
    if (!given && type === undefined && title === undefined)
      throw new CleoError('E_INVALID_INPUT', { problem: 'A file, content, a title or a type is required', fix: help, field: 'file' });
    const after = { ...doc, kind: type ?? doc.kind, title: title ?? doc.title };
    const isNew = given !== undefined && given.digest !== doc.digest;
    const isRenamed = after.kind !== doc.kind || after.title !== doc.title;
    if (!isNew && !isRenamed) return noChange({ doc: receiptOf(doc) });
    if (isRenamed) await store.docs.rename(after, now);
    if (!isNew) return { doc: receiptOf(after) };
    const version = doc.version + 1;
    await store.docs.addVersion(slug, { ...given, version, at: now, agentId: caller.agent });
    await noteCitations(store, slug, given.encoding === 'utf8' ? given.content : undefined);
    return { doc: receiptOf({ ...after, ...given, version }) };
  },
});
