import { type InferOutput, picklist } from 'valibot';

/** The scopes of callers, from the lowest: read; also write; also decide what people decide; also administer the project. */
export const TokenScopeSchema = picklist(['query', 'mutate', 'decide', 'admin']);
export type TokenScope = InferOutput<typeof TokenScopeSchema>;
/** The scopes that need a person, or a token that a person created. */
export type PersonScope = Extract<TokenScope, 'decide' | 'admin'>;

/** The roles of a project, from the lowest; see `roleScopes`. */
export const RoleSchema = picklist(['viewer', 'contributor', 'maintainer', 'owner']);
export type Role = InferOutput<typeof RoleSchema>;

/** The prefix of token secrets, by which people and secret scanners recognize them. 256 random bits follow. */
export const tokenPrefix = 'cleo_';

/** Secrets of tokens and of spawned validators, which have the same form. */
export const secretsInText = /cleo_[A-Za-z0-9_-]{43}/g;
export const isTokenSecret = (text: string): boolean => /^cleo_[A-Za-z0-9_-]{43}$/.test(text);

/** A token as it acts. */
export interface TokenIdentity {
  name: string;
  scope: TokenScope;
  /** The name that its calls act under, or a name below it; by default that of the token. */
  agent?: string;
  /** The person or service that the token belongs to; by default a person of its name. */
  owner?: string;
  ownerKind?: 'person' | 'service';
  /** Limit of the calls per minute, in addition to that of the server. */
  callsPerMinute?: number;
}

/** A stored token. Only the hash of its secret is stored. */
export interface Token extends TokenIdentity {
  hash: string;
  createdAt: string;
  createdBy: string;
  revokedAt?: string;
  /** Without it the token is valid until it is revoked. */
  expiresAt?: string;
  /** The key of the project that it is valid in. */
  project?: string;
}

/** The token of a call. */
export interface CallToken extends TokenIdentity {
  /** A cleo client sent the call. The platform of the call describes the caller on its own machine, and `name` is not the caller. */
  isClient?: true;
  /** The mark of an agent in the environment of the client, which limits the scope to `mutate`. */
  mark?: string;
}

/** Tokens that stay revoked on this machine whatever the store says. */
export interface RevokedTokens {
  path: string;
  /** Checks a token by the hash of its secret. */
  has(project: string, hash: string): boolean;
  add(project: string, tokens: { name: string; hash: string; revokedAt?: string | undefined }[]): void;
}
