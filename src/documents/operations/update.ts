import { description, optional, pipe, strictObject } from 'valibot';
import { mutation, noChange } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { formatRetry } from '#core/errors/retry.ts';
import { Line } from '#core/model/texts.ts';
import { DocSlugParam } from '../model/doc.ts';
import { DocTypeParam } from './add.ts';
import { docInputParams, docInputStdin, observesDocument, readDocInput } from './shared/document-input.ts';
import { checkKind, DocReceipt, requireDoc, saveDocCitations, toDocReceipt } from './shared/documents.ts';

const help = 'cleo help docs update';

export const docsUpdate = mutation({
  name: 'docs.update',
  summary: 'Store a new version of a document',
  params: strictObject({
    slug: DocSlugParam,
    ...docInputParams,
    type: optional(DocTypeParam),
    title: optional(pipe(Line, description('Title'))),
  }),
  paramAliases: { kind: 'type' },
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_INVALID_INPUT', 'E_NOT_FOUND', 'E_FILE_ERROR', 'E_VALIDATION', 'E_FORBIDDEN'],
  tier: 1,
  ...observesDocument(help),
  cli: {
    command: 'docs update',
    args: ['slug', 'file'],
    stdinParam: docInputStdin,
    view: async () => (await import('../view.ts')).documentView,
  },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers', content: '# There are four\n' } },
  async run(ctx, { slug, type, title, ...inputParams }) {
    const { store, config, now, caller } = ctx;
    if (type !== undefined) checkKind(config, type, (near) => formatRetry(ctx, { type: near }, help));
    const doc = await requireDoc(store, slug, 'update');
    const input = await readDocInput(ctx, help, inputParams);
    if (!input && type === undefined && title === undefined)
      throw new CleoError('E_INVALID_INPUT', { problem: 'A file, content, a title or a type is required', fix: help, field: 'file' });
    const updated = { ...doc, kind: type ?? doc.kind, title: title ?? doc.title };
    const isNew = input !== undefined && input.digest !== doc.digest;
    const isRenamed = updated.kind !== doc.kind || updated.title !== doc.title;
    if (!isNew && !isRenamed) return noChange({ doc: toDocReceipt(doc) });
    if (isRenamed) await store.docs.update(updated, now);
    if (!isNew) return { doc: toDocReceipt(updated) };
    const version = doc.version + 1;
    await store.docs.addVersion(slug, { ...input, version, at: now, agentId: caller.agent });
    await saveDocCitations(store, slug, input.encoding === 'utf8' ? input.content : undefined);
    return { doc: toDocReceipt({ ...updated, ...input, version }) };
  },
});
