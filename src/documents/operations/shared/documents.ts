import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { omitEmpty } from '#lib/collections.ts';
import { findNearest } from '#lib/nearest.ts';
import { findCitations } from '#memory/rules/find-citations.ts';
import type { ReadStore, WriteStore } from '#store/port/store.ts';
import { type DocRecord, docEncodings, type StaleCitation } from '../../model/doc.ts';
import { listDocKinds } from '../../rules/doc-kinds.ts';

/** Superseded decisions that the document cites. */
const Stale = optional(array(strictObject({ id: string(), supersededBy: optional(string()) })));

const head = { slug: string(), type: string(), title: string(), version: number() };

export const DocRow = strictObject({
  ...head,
  size: number(),
  tasks: array(string()),
  updatedAt: string(),
  stale: Stale,
});

/** One version with its metadata. */
export const DocView = strictObject({
  ...head,
  versions: number(),
  sha256: string(),
  encoding: picklist(docEncodings),
  size: number(),
  file: optional(string()),
  tasks: array(string()),
  at: string(),
  by: string(),
  createdAt: string(),
  createdBy: string(),
  stale: Stale,
});

export const DocReceipt = strictObject({ ...head, sha256: string(), size: number() });

export const toDocRow = (doc: DocRecord, tasks: TaskId[] = [], stale: StaleCitation[] = []) => {
  const { slug, kind, title, version, size, updatedAt } = doc;
  return { slug, type: kind, title, version, size, tasks, updatedAt, ...omitEmpty({ stale }) };
};

export const toDocReceipt = ({ slug, kind, title, version, digest, size }: Omit<DocRecord, 'createdAt' | 'createdBy' | 'updatedAt'>) => ({
  slug,
  type: kind,
  title,
  version,
  sha256: digest,
  size,
});

/** Reads a document. Throws E_NOT_FOUND with the nearest slug. */
export async function requireDoc(store: ReadStore, slug: string, verb: string): Promise<DocRecord> {
  // Other characters could be wildcards in the query.
  const doc = /^[a-z0-9-]+$/.test(slug) ? await store.docs.get(slug) : undefined;
  if (doc) return doc;
  const slugs = await store.docs.listSlugs('', 5000);
  const [nearestSlug] = findNearest(slug, slugs);
  throw new CleoError('E_NOT_FOUND', {
    what: 'document',
    id: slug.slice(0, 100),
    fix:
      nearestSlug && verb === 'fetch'
        ? `cleo docs fetch ${quote(nearestSlug)}`
        : slugs.length > 0
          ? 'cleo docs list'
          : 'cleo help docs add',
  });
}

/** Throws E_INVALID_INPUT for an unknown kind. */
export function checkKind(config: Config, type: string, formatRetryFor: (type: string) => string): void {
  const kinds = listDocKinds(config['docs.types']).map(({ name }) => name);
  if (kinds.includes(type)) return;
  const suggestions = findNearest(type, kinds);
  throw new CleoError('E_INVALID_INPUT', {
    problem: `type: ${JSON.stringify(type.slice(0, 60))} is not one of ${kinds.join(', ')}`,
    fix: suggestions.length === 1 ? formatRetryFor(suggestions[0]!) : 'cleo docs list-types',
    field: 'type',
    ...omitEmpty({ suggestions }),
  });
}

/** Stores which memory entries the document cites. Content that is not text cites none. */
export async function saveDocCitations(store: WriteStore, slug: string, text: string | undefined): Promise<void> {
  await store.memory.saveCitations('doc', slug, text === undefined ? [] : findCitations(text));
}
