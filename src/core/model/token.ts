import { type InferOutput, picklist } from 'valibot';

/** The permissions of a token: read, read and write, or everything. */
export const TokenScopeSchema = picklist(['query', 'mutate', 'admin']);
export type TokenScope = InferOutput<typeof TokenScopeSchema>;

/** The prefix of token secrets, by which people and secret scanners recognize them. 256 random bits follow. */
export const tokenPrefix = 'cleo_';
/** Secrets of tokens and of spawned validators, which have the same form. */
export const secretsInText = /cleo_[A-Za-z0-9_-]{43}/g;
export const isTokenSecret = (text: string): boolean => /^cleo_[A-Za-z0-9_-]{43}$/.test(text);

/** A stored token. Only the hash of its secret is stored. */
export interface Token {
  name: string;
  hash: string;
  scope: TokenScope;
  createdAt: string;
  createdBy: string;
  revokedAt?: string;
}
