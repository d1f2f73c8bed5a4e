import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/token.ts';
import { authenticate, type TokenIdentity } from '#dispatch/authenticate.ts';
import type { App } from '#dispatch/dispatch.ts';
import { isLoopback, isOwnOrigin, isServedHost, splitHost } from './host-names.ts';
import { createRateLimiter } from './rate-limit.ts';

export interface AccessOptions {
  /** The address that the server listens on. */
  bound: string;
  /** Additional host names of the server, and additional origins whose pages may call it. */
  hosts: string[];
  origins: string[];
  requireToken: boolean;
  callsPerMinute: number;
  /** The identity of callers without a token, if none is required. */
  anonymous?: TokenIdentity;
}

/** The headers of a request that decide about access. */
export interface Visitor {
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
  /** A proxy forwarded the request. */
  isForwarded: boolean;
  address: string;
}

export interface AccessControl {
  /** Rejects unknown host names and pages of unknown origins. */
  checkOrigin(visitor: Visitor): void;
  /** Identifies the caller. Rejects a missing or invalid token and callers above the rate limit. */
  identify(visitor: Visitor, nowMs: number): Promise<TokenIdentity>;
  /** Applies the rate limit to the further calls of a request that contains several. */
  checkFurtherCalls(visitor: Visitor, identity: TokenIdentity, count: number, nowMs: number): void;
  /** Applies the rate limit to a request that needs no token. */
  checkRate(visitor: Visitor, nowMs: number): void;
}

/** Local callers may do what agents do, but not administer the project. */
const localAccess: TokenIdentity = { name: anonymousToken, scope: 'mutate' };

/** Wrong tokens have a limit of their own per address, so that a guesser does not lock out valid tokens behind the same address. */
const maxWrongPerMinute = 60;

export function createAccessControl(
  app: App,
  { bound, hosts, origins, requireToken, callsPerMinute, anonymous = localAccess }: AccessOptions,
): AccessControl {
  const rate = createRateLimiter(callsPerMinute);
  const wrong = createRateLimiter(maxWrongPerMinute);
  const isOpen = ({ host, isForwarded }: Visitor): boolean =>
    !requireToken && isLoopback(bound) && !isForwarded && isLoopback(splitHost(host ?? '')?.name ?? '');
  const checkWait = (seconds: number): void => {
    if (seconds > 0) throw new CleoError('E_TOO_MANY_REQUESTS', { retryAfterSeconds: seconds });
  };
  const toRateKey = ({ address }: Visitor, identity: TokenIdentity): string =>
    identity === anonymous ? `address ${address}` : `token ${identity.name}`;
  return {
    checkOrigin({ host, origin }) {
      const target = splitHost(host ?? '');
      if (!target || !isServedHost(target.name, bound, hosts))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer under that host name',
          fix: 'cleo config get serve.hosts',
          manual: 'Ask the person who runs the server to add the host name to serve.hosts',
        });
      if (origin !== undefined && !isOwnOrigin(origin, target) && !origins.includes(origin.toLowerCase()))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer to pages of that origin',
          fix: 'cleo config get serve.origins',
          manual: 'Ask the person who runs the server to add the origin to serve.origins',
        });
    },
    checkRate: ({ address }, nowMs) => checkWait(rate.take(`address ${address}`, nowMs)),
    checkFurtherCalls(visitor, identity, count, nowMs) {
      if (callsPerMinute > 0 && count >= callsPerMinute)
        throw new CleoError('E_VALIDATION', {
          field: 'body',
          problem: `has ${count + 1} messages; a batch may have at most ${callsPerMinute}`,
          fix: 'cleo help serve',
        });
      checkWait(rate.take(toRateKey(visitor, identity), nowMs, count));
    },
    async identify(visitor, nowMs) {
      const { address, authorization } = visitor;
      if (authorization === undefined && isOpen(visitor)) {
        checkWait(rate.take(toRateKey(visitor, anonymous), nowMs));
        return anonymous;
      }
      const secret = /^Bearer ([^\s]{1,200})$/i.exec(authorization ?? '')?.[1];
      const identity = secret === undefined ? undefined : await authenticate(app, secret);
      if (!identity) {
        checkWait(wrong.take(address, nowMs));
        throw new CleoError('E_UNAUTHORIZED', {});
      }
      checkWait(rate.take(toRateKey(visitor, identity), nowMs));
      return identity;
    },
  };
}
