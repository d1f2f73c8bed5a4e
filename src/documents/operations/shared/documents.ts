import { array, number, optional, picklist, strictObject, string } from 'valibot';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { Config } from '#core/model/config.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { nearest } from '#lib/nearest.ts';
import { citedIn } from '#memory/rules/memory-cites.ts';
import type { ReadStore, WriteStore } from '#store/port.ts';
import { type DocRecord, docEncodings, type StaleCitation } from '../../model/doc.ts';
import { docKinds } from '../../rules/doc-kinds.ts';

/** Decisions that it cites although they were superseded. */
const Stale = optional(array(strictObject({ id: string(), supersededBy: optional(string()) })));

export const DocRow = strictObject({
  slug: string(),
  type: string(),
  title: string(),
  version: number(),
  size: number(),
  tasks: array(string()),
  updatedAt: string(),
  stale: Stale,
});

/** One version with what is known of it. */
export const DocView = strictObject({
  slug: string(),
  type: string(),
  title: string(),
  version: number(),
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

export const DocReceipt = strictObject({
  slug: string(),
  type: string(),
  title: string(),
  version: number(),
  sha256: string(),
  size: number(),
});

export const rowOf = (doc: DocRecord, tasks: TaskId[] = [], stale: StaleCitation[] = []) => ({
  slug: doc.slug,
  type: doc.kind,
  title: doc.title,
  version: doc.version,
  size: doc.size,
  tasks,
  updatedAt: doc.updatedAt,
  ...(stale.length > 0 ? { stale } : {}),
});

export const receiptOf = ({ slug, kind, title, version, digest, size }: Omit<DocRecord, 'createdAt' | 'createdBy' | 'updatedAt'>) => ({
  slug,
  type: kind,
  title,
  version,
  sha256: digest,
  size,
});

/** The document, or the refusal that leads to the nearest. */
export async function requireDoc(store: ReadStore, slug: string, verb: string): Promise<DocRecord> {
  // What is no slug would mean something else to the database.
  const doc = /^[a-z0-9-]+$/.test(slug) ? await store.docs.get(slug) : undefined;
  if (doc) return doc;
  const [near] = nearest(slug, await store.docs.slugs('', 5000));
  throw new CleoError('E_NOT_FOUND', {
    what: 'document',
    id: slug.slice(0, 100),
    fix: near && verb === 'fetch' ? `cleo docs fetch ${quote(near)}` : 'cleo docs list',
  });
}

/** Refuses (2) a kind that is none. */
export function checkKind(config: Config, type: string, again: (type: string) => string): void {
  const known = docKinds(config['docs.types']).map(({ name }) => name);
  if (known.includes(type)) return;
  const near = nearest(type, known);
  throw new CleoError('E_INVALID_INPUT', {
    problem: `type (--type): ${JSON.stringify(type.slice(0, 60))} is not one of ${known.join(', ')}`,
    fix: near.length === 1 ? again(near[0]!) : 'cleo docs list-types',
    field: 'type',
    ...(near.length > 0 ? { near } : {}),
  });
}

/** Which decisions and other memories it cites is read from its text; what is no text cites none. */
export async function noteCitations(store: WriteStore, slug: string, text: string | undefined): Promise<void> {
  await store.memory.cite('doc', slug, text === undefined ? [] : citedIn(text));
}
