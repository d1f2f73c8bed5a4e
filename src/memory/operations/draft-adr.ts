import { description, optional, pipe, strictObject } from 'valibot';
import { alreadyThere, mutation } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { DocSlug } from '#documents/model/doc.ts';
import { DocReceipt, receiptOf } from '#documents/operations/shared/documents.ts';
import { adrOf } from '../rules/memory-adr.ts';
import { idNames, idParam } from './fetch.ts';
import { requireMemory } from './shared/require.ts';

export const memoryDraftAdr = mutation({
  name: 'memory.draft-adr',
  summary: 'Draft a decision record, a document of type adr, from an accepted decision',
  params: strictObject({ id: idParam, slug: optional(pipe(DocSlug, description('The name of the document; left out, adr-d-001'))) }),
  paramAliases: idNames,
  result: strictObject({ doc: DocReceipt }),
  errors: ['E_NOT_FOUND', 'E_VALIDATION'],
  tier: 1,
  cli: { command: 'memory draft-adr', args: ['id'] },
  example: { world: ['T001', 'memory decision accepted about T001: Tokens are structs'], call: { id: 'D-001' } },
  async run({ store, platform, now, caller }, { id, slug = `adr-${id.toLowerCase()}` }) {
    const entry = await requireMemory(store, id);
    if (entry.type !== 'decision' || entry.state !== 'accepted')
      throw new CleoError('E_VALIDATION', {
        field: 'state',
        problem:
          entry.type === 'decision'
            ? `of ${id} is ${entry.state}; a record is drafted from what was accepted`
            : `of ${id}: it is no decision`,
        fix:
          entry.state === 'proposed' && entry.type === 'decision'
            ? `cleo memory confirm ${id}`
            : 'cleo memory find --type decision --state accepted',
      });
    const supersedes = (await store.memory.supersededBy(id)).map((old) => old.id);
    const content = adrOf(entry, supersedes);
    const text = { content, encoding: 'utf8' as const, digest: platform.sha256(content), size: Buffer.byteLength(content) };
    const doc = { slug, kind: 'adr', title: entry.title };
    const there = await store.docs.get(slug);
    const version = (there?.version ?? 0) + 1;
    if (there?.digest === text.digest) return alreadyThere({ doc: receiptOf(there) });
    if (there && there.kind !== 'adr')
      throw new CleoError('E_VALIDATION', {
        field: 'slug',
        problem: `${slug} is a document of another type`,
        fix: `cleo docs fetch ${slug}`,
      });
    const made = { ...text, version, at: now, agentId: caller.agent };
    await (there ? store.docs.addVersion(slug, made) : store.docs.insert(doc, made));
    const without = [...(await store.tasks.missing(entry.tasks)), ...((await store.docs.tasks([slug])).get(slug) ?? [])];
    for (const taskId of entry.tasks) if (!without.includes(taskId)) await store.docs.attach(slug, taskId);
    // What it took the place of it names as well, and rightly so: only when the decision itself is superseded is it stale.
    await store.memory.cite('doc', slug, [id]);
    return { doc: receiptOf({ ...doc, ...text, version }) };
  },
});
