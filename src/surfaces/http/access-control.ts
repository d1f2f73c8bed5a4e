import { CleoError } from '#core/errors/error.ts';
import { authenticate, type TokenIdentity } from '#dispatch/authenticate.ts';
import type { App } from '#dispatch/dispatch.ts';
import { isLoopback, isOwnOrigin, isServedHost, splitHost } from './host-names.ts';
import { createRateLimiter } from './rate-limit.ts';

export interface AccessOptions {
  /** The address it listens on. */
  bound: string;
  /** Further names it is called by, and further origins whose pages may call it. */
  hosts: string[];
  origins: string[];
  requireToken: boolean;
  callsPerMinute: number;
  /** Who a caller without a token is, where none is needed. */
  anonymous?: TokenIdentity;
}

/** What a request says of itself before its body is read. */
export interface Visitor {
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
  /** Whether somebody else handed it on. */
  isForwarded: boolean;
  address: string;
}

export interface AccessControl {
  /** Whether a page or a name that is not ours is behind it. */
  checkOrigin(visitor: Visitor): void;
  /** Who it is; refuses whoever should have a token and has none that counts, and whoever comes too often. */
  admit(visitor: Visitor, nowMs: number): Promise<TokenIdentity>;
  /** The same for what anyone may ask. */
  checkRate(visitor: Visitor, nowMs: number): void;
}

/** A caller on this machine may do what agents do, not what looks after the project. */
const localAccess: TokenIdentity = { name: 'http', scope: 'mutate' };

/** Guessing 256 bits is hopeless. Whoever guesses from an address does not shut out those there who have a token. */
const maxWrongPerMinute = 60;

export function createAccessControl(
  app: App,
  { bound, hosts, origins, requireToken, callsPerMinute, anonymous: anyone = localAccess }: AccessOptions,
): AccessControl {
  const rate = createRateLimiter(callsPerMinute);
  const wrong = createRateLimiter(maxWrongPerMinute);
  const isOpen = ({ host, isForwarded }: Visitor): boolean =>
    !requireToken && isLoopback(bound) && !isForwarded && isLoopback(splitHost(host ?? '')?.name ?? '');
  const pass = (seconds: number): void => {
    if (seconds > 0) throw new CleoError('E_TOO_MANY_REQUESTS', { retryAfterSeconds: seconds });
  };
  return {
    checkOrigin({ host, origin }) {
      const asked = splitHost(host ?? '');
      if (!asked || !isServedHost(asked.name, bound, hosts))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer under that host name',
          fix: 'cleo config get serve.hosts',
        });
      if (origin !== undefined && !isOwnOrigin(origin, asked) && !origins.includes(origin.toLowerCase()))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer to pages of that origin',
          fix: 'cleo config get serve.origins',
        });
    },
    checkRate: ({ address }, nowMs) => pass(rate.take(`address ${address}`, nowMs)),
    async admit(visitor, nowMs) {
      const { address, authorization } = visitor;
      if (authorization === undefined && isOpen(visitor)) {
        pass(rate.take(`address ${address}`, nowMs));
        return anyone;
      }
      const secret = /^Bearer ([^\s]{1,200})$/i.exec(authorization ?? '')?.[1];
      const admitted = secret === undefined ? undefined : await authenticate(app, secret);
      if (!admitted) {
        pass(wrong.take(address, nowMs));
        throw new CleoError('E_UNAUTHORIZED', {});
      }
      pass(rate.take(`token ${admitted.name}`, nowMs));
      return admitted;
    },
  };
}
