import { type InferOutput, picklist } from 'valibot';

/** The scopes of callers, from the lowest: read; also write; also decide what people decide; also administer the project. */
export const TokenScopeSchema = picklist(['query', 'mutate', 'decide', 'admin']);
export type TokenScope = InferOutput<typeof TokenScopeSchema>;
/** The scopes that need a person, or a token that a person created. */
export type PersonScope = Extract<TokenScope, 'decide' | 'admin'>;

/** The prefix of token secrets, by which people and secret scanners recognize them. 256 random bits follow. */
export const tokenPrefix = 'cleo_';
/** The name of callers over HTTP without a token. */
export const anonymousToken = 'http';

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

/** The token of a call. */
export interface CallToken {
  name: string;
  scope: TokenScope;
  /** A cleo client sent the call. The platform of the call describes the caller on its own machine, and `name` is not the caller. */
  isClient?: true;
  /** The mark of an agent in the environment of the client, which limits the scope to `mutate`. */
  mark?: string;
}
