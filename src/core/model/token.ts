import { type InferOutput, picklist } from 'valibot';

/** What a token allows: to ask, to write as well, or everything. */
export const TokenScope = picklist(['query', 'mutate', 'admin']);
export type TokenScope = InferOutput<typeof TokenScope>;

/** 256 random bits behind a word that tells what they are: to people, and to what hides secrets. */
export const tokenPrefix = 'cleo_';
export const isTokenSecret = (text: string): boolean => /^cleo_[A-Za-z0-9_-]{43}$/.test(text);

/** A token as the store keeps it: the hash of its secret, never the secret. */
export interface Token {
  name: string;
  hash: string;
  scope: TokenScope;
  createdAt: string;
  createdBy: string;
  revokedAt?: string;
}
