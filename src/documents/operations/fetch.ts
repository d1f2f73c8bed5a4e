import { optional, picklist, strictObject, string } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { defined } from '#lib/collections.ts';
import type { Platform } from '#platform/port.ts';
import type { ReadStore } from '#store/port/store.ts';
import { type DocRecord, DocSlugParam, DocVersionNumber, docEncodings } from '../model/doc.ts';
import { DocView, requireDoc } from './shared/documents.ts';

export const docsFetch = query({
  name: 'docs.fetch',
  summary: 'Print a document',
  params: strictObject({ slug: DocSlugParam, version: optional(DocVersionNumber) }),
  synonyms: ['show', 'get', 'read', 'view', 'cat'],
  result: strictObject({ doc: DocView, content: string(), encoding: picklist(docEncodings) }),
  errors: ['E_NOT_FOUND', 'E_CHECKSUM_MISMATCH'],
  tier: 1,
  cli: { command: 'docs fetch', args: ['slug'], raw: 'content', isExact: true },
  example: { world: ['T001', 'doc parsers T001: Which parsers there are'], call: { slug: 'parsers' } },
  async run({ store, platform }, { slug, version }) {
    const doc = await requireDoc(store, slug, 'fetch');
    const { content, encoding, digest, size, path, at, agentId, version: n } = await requireVersion(store, platform, doc, version);
    const tasks = (await store.docs.getTaskIds([slug])).get(slug) ?? [];
    const stale = (await store.docs.getStaleCitations([slug])).get(slug);
    return {
      doc: {
        slug,
        type: doc.kind,
        title: doc.title,
        version: n,
        versions: doc.version,
        sha256: digest,
        encoding,
        size,
        ...defined({ file: path }),
        tasks,
        at,
        by: agentId,
        createdAt: doc.createdAt,
        createdBy: doc.createdBy,
        ...defined({ stale }),
      },
      content,
      encoding,
    };
  },
});

/** Reads one version and checks its digest. */
export async function requireVersion(store: ReadStore, platform: Platform, { slug, version: latest }: DocRecord, requested = latest) {
  const content = await store.docs.getVersion(slug, requested);
  if (!content)
    throw new CleoError('E_NOT_FOUND', {
      what: 'version',
      id: `${requested} of ${slug}`,
      fix: `cleo docs fetch ${slug} --version ${latest}`,
    });
  const bytes = Buffer.from(content.content, content.encoding);
  if (platform.sha256(bytes) !== content.digest)
    throw new CleoError('E_CHECKSUM_MISMATCH', {
      what: `${slug}, version ${content.version}`,
      problem: 'the stored content does not match its digest',
      fix: hasBackup(platform) ? 'cleo backup list' : 'cleo doctor',
    });
  return { ...content, bytes };
}

const hasBackup = (platform: Platform): boolean => {
  const project = platform.getProject();
  return project !== undefined && platform.backups.list(project).length > 0;
};
