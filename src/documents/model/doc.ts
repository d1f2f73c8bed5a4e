import { description, integer, maxLength, metadata, minLength, minValue, number, pipe, regex, string } from 'valibot';
import type { TaskId } from '#core/model/scalars.ts';

/** More than this is no document. */
export const largestDoc = 64 << 20;
export const docEncodings = ['utf8', 'base64'] as const;
export type DocEncoding = (typeof docEncodings)[number];

export const DocSlug = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(64, 'must have at most 64 characters'),
  regex(/^[a-z0-9][a-z0-9-]*$/, 'may hold only a-z 0-9 and hyphens, and begins with none'),
  metadata({ value: 'SLUG' }),
);
/** To ask for a document by: what is no slug is none that exists. */
export const AskedSlug = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  description('The document'),
  metadata({ value: 'SLUG' }),
);
export const DocVersionNumber = pipe(
  number(),
  integer('must be a whole number'),
  minValue(1, 'must be at least 1'),
  description('This version; without it the latest'),
);

/** A document as lists show it. */
export interface DocHit {
  slug: string;
  kind: string;
  title: string;
  version: number;
  updatedAt: string;
}

export interface DocRecord extends DocHit {
  createdAt: string;
  createdBy: string;
  /** Of the latest version. */
  digest: string;
  size: number;
}

/** Bytes as they are kept: as text where they are text that both databases keep to the byte. */
export interface DocContent {
  digest: string;
  encoding: DocEncoding;
  size: number;
  content: string;
}

export interface DocVersion {
  version: number;
  /** The file it was read from, as the project sees it. */
  path?: string;
  at: string;
  agentId: string;
}

/** A decision that a document cites and that is in force no longer. */
export interface StaleCitation {
  id: string;
  supersededBy?: string;
}

export interface DocFilter {
  task?: TaskId;
  kind?: string;
}

/** Bytes as text where that loses none of them, a byte order mark neither; else in base64. */
export function textOrBase64(bytes: Buffer): { content: string; encoding: DocEncoding } {
  if (!bytes.includes(0))
    try {
      return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf8' };
    } catch {
      // No text.
    }
  return { content: bytes.toString('base64'), encoding: 'base64' };
}
