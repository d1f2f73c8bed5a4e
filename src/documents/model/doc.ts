import { description, maxLength, metadata, minLength, pipe, regex, string } from 'valibot';
import type { TaskId } from '#core/model/scalars.ts';
import { wholeNumber } from '#core/model/whole-number.ts';

export const maxDocBytes = 64 << 20;
export const docEncodings = ['utf8', 'base64'] as const;
export type DocEncoding = (typeof docEncodings)[number];

export const DocSlug = pipe(
  string(),
  minLength(1, 'must not be empty'),
  maxLength(64, 'must have at most 64 characters'),
  regex(/^[a-z0-9][a-z0-9-]*$/, 'may contain only a-z, 0-9 and hyphens, and must not start with a hyphen'),
  metadata({ value: 'SLUG' }),
);
/** Slug of an existing document. Any text is accepted, so that an invalid slug is reported as not found, with a suggestion. */
export const DocSlugParam = pipe(
  string(),
  maxLength(200, 'must have at most 200 characters'),
  description('Slug of the document'),
  metadata({ value: 'SLUG' }),
);
export const DocVersionNumber = pipe(wholeNumber({ min: 1 }), description('Version number; the latest by default'));

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
  /** Digest of the latest version. */
  digest: string;
  size: number;
}

/** Stored content: as text if both databases return it byte for byte, otherwise as base64. */
export interface DocContent {
  digest: string;
  encoding: DocEncoding;
  size: number;
  content: string;
}

export interface DocVersion {
  version: number;
  /** File it was read from, relative to the project folder. */
  path?: string;
  at: string;
  agentId: string;
}

/** A superseded decision that a document cites. */
export interface StaleCitation {
  id: string;
  supersededBy?: string;
}

export interface DocFilter {
  task?: TaskId;
  kind?: string;
}

/** Encodes bytes as text if that is lossless, byte order mark included; otherwise as base64. */
export function encodeDocBytes(bytes: Buffer): { content: string; encoding: DocEncoding } {
  if (!bytes.includes(0))
    try {
      return { content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf8' };
    } catch {
      // Not UTF-8: encoded as base64 below.
    }
  return { content: bytes.toString('base64'), encoding: 'base64' };
}
