import { description, optional, pipe, strictObject } from 'valibot';
import { alreadyExists, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { DocSlug } from '#documents/model/doc.ts';
import { DocReceipt, toDocReceipt } from '#documents/operations/shared/documents.ts';
import { formatAdr } from '../rules/memory-adr.ts';
import { memoryIdAliases, memoryIdParam, requireMemory } from './shared/require-memory.ts';

export const memoryDraftAdr = mutation({
  name: 'memory.draft-adr',
  summary: 'Draft a decision record from an accepted decision',
  params: strictObject({
    id: memoryIdParam,
    slug: optional(pipe(DocSlug, description('Slug of the document; for example adr-d-001 by default'))),
  }),
  paramAliases: memoryIdAliases,
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION'],
  tier: 1,
  cli: { command: 'memory draft-adr', args: ['id'], view: async () => (await import('#documents/view.ts')).documentView },
  example: { world: ['T001', 'memory decision accepted about T001: Tokens are structs'], call: { id: 'D-001' } },
  async run({ store, platform, now, caller }, { id, slug = `adr-${id.toLowerCase()}` }) {
    const entry = await requireMemory(store, id);
    if (entry.type !== 'decision' || entry.state !== 'accepted')
      throw new CleoError('E_VALIDATION', {
        field: 'state',
        problem:
          entry.type === 'decision'
            ? `of ${id} is ${entry.state}; only an accepted decision can be drafted`
            : `of ${id} does not apply: it is not a decision`,
        fix:
          entry.state === 'proposed' && entry.type === 'decision'
            ? `cleo memory confirm ${id}`
            : (await store.memory.count({ type: 'decision', state: 'accepted' }, 1)) > 0
              ? 'cleo memory find --type decision --state accepted'
              : 'cleo help memory draft-adr',
      });
    const supersedes = (await store.memory.listSupersededBy(id)).map((old) => old.id);
    const content = formatAdr(entry, supersedes);
    const text = { content, encoding: 'utf8' as const, digest: platform.sha256(content), size: Buffer.byteLength(content) };
    const doc = { slug, kind: 'adr', title: entry.title };
    const existing = await store.docs.get(slug);
    const version = (existing?.version ?? 0) + 1;
    if (existing?.digest === text.digest) return alreadyExists({ doc: toDocReceipt(existing) });
    if (existing && existing.kind !== 'adr')
      throw new CleoError('E_VALIDATION', {
        field: 'slug',
        problem: `${slug} is a document of another type`,
        fix: `cleo docs fetch ${slug}`,
      });
    const docVersion = { ...text, version, at: now, agentId: caller.agent };
    await (existing ? store.docs.addVersion(slug, docVersion) : store.docs.insert(doc, docVersion));
    const skippedTasks = [...(await store.tasks.findMissing(entry.tasks)), ...((await store.docs.getTaskIds([slug])).get(slug) ?? [])];
    for (const taskId of entry.tasks) if (!skippedTasks.includes(taskId)) await store.docs.attach(slug, taskId);
    // The record also names the decisions it supersedes. They are not stored as citations, which would make the record stale at once.
    await store.memory.saveCitations('doc', slug, [id]);
    return { doc: toDocReceipt({ ...doc, ...text, version }) };
  },
});
