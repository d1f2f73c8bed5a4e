import '#admin/errors.ts';
import { CleoError } from '#core/errors/error.ts';
import { anonymousToken } from '#core/model/anonymous-token.ts';
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
  /** The web page of a server that needs no token. */
  page?: PageAccess;
}

/** A browser without a token writes only with the secret of the page, which is new with every start of the server, so that no other site and
 *  no other local page can write. It acts as the principal that started the server. */
export interface PageAccess {
  secret: string;
  agent: string;
  isPerson: boolean;
}

/** The headers of a request that decide about access. */
export interface Visitor {
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Dest`, which browsers send and pages cannot change. */
  fetchSite: string | undefined;
  fetchDest: string | undefined;
  pageSecret: string | undefined;
  /** A proxy forwarded the request. */
  isForwarded: boolean;
  address: string;
}

/** The identity of a caller. `page` is set for a browser without a token: whether it has the secret of the page. */
export interface Visit {
  token: TokenIdentity;
  page?: 'writer' | 'reader';
}

interface AccessControl {
  /** Rejects unknown host names and pages of unknown origins. */
  checkOrigin(visitor: Visitor): void;
  /** Identifies the caller. Rejects a missing or invalid token and callers above the rate limit. */
  identify(visitor: Visitor, nowMs: number): Promise<Visit>;
  /** Rejects a token that was revoked since the request was identified. */
  checkToken(visitor: Visitor): Promise<void>;
  /** Applies the rate limit to the further calls of a request that contains several. */
  checkFurtherCalls(visitor: Visitor, identity: TokenIdentity, count: number, nowMs: number): void;
  /** Applies the rate limit to a request that needs no token. */
  checkRate(visitor: Visitor, nowMs: number): void;
}

/** Local callers may do what agents do, but not administer the project. */
const localAccess: TokenIdentity = { name: anonymousToken, scope: 'mutate' };

/** Wrong tokens have a limit of their own per address, so that a guesser does not lock out valid tokens behind the same address. */
const maxWrongPerMinute = 60;

/** Checks for a request of a browser. Only a browser can be made to send requests by a page of another site. */
export const isFromBrowser = ({ origin, fetchSite }: Pick<Visitor, 'origin' | 'fetchSite'>): boolean =>
  origin !== undefined || fetchSite !== undefined;

/** Checks for a request that a page of another site caused and that has no `Origin`: an image, a script, a frame. A link to the web page is
 *  no such request, because the other site does not see its answer. */
const isForeignLoad = ({ origin, fetchSite, fetchDest }: Visitor): boolean =>
  origin === undefined && (fetchSite === 'cross-site' || fetchSite === 'same-site') && fetchDest !== 'document';

export function createAccessControl(
  app: App,
  { bound, hosts, origins, requireToken, callsPerMinute, anonymous = localAccess, page }: AccessOptions,
): AccessControl {
  const toVisit = (visitor: Visitor): Visit => {
    if (!isFromBrowser(visitor)) return { token: anonymous };
    const given = visitor.pageSecret;
    const isPage = given !== undefined && page !== undefined && app.platform.isSameSecret(given, page.secret);
    return isPage ? { token: anonymous, page: 'writer' } : { token: { ...anonymous, scope: 'query' }, page: 'reader' };
  };
  const rate = createRateLimiter(callsPerMinute);
  const wrong = createRateLimiter(maxWrongPerMinute);
  const isOpen = ({ host, isForwarded }: Visitor): boolean =>
    !requireToken && isLoopback(bound) && !isForwarded && isLoopback(splitHost(host ?? '')?.name ?? '');
  const readToken = async (authorization: string | undefined): Promise<TokenIdentity | undefined> => {
    const secret = /^Bearer ([^\s]{1,200})$/i.exec(authorization ?? '')?.[1];
    return secret === undefined ? undefined : authenticate(app, secret);
  };
  const checkWait = (seconds: number): void => {
    if (seconds > 0) throw new CleoError('E_TOO_MANY_REQUESTS', { retryAfterSeconds: seconds });
  };
  const toRateKey = ({ address }: Visitor, identity: TokenIdentity): string =>
    identity.name === anonymous.name ? `address ${address}` : `token ${identity.name}`;
  return {
    checkOrigin(visitor) {
      const { host, origin } = visitor;
      const target = splitHost(host ?? '');
      if (!target || !isServedHost(target.name, bound, hosts))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer under that host name',
          fix: 'cleo config get serve.hosts',
          manual: 'Ask the person who runs the server to add the host name to serve.hosts',
        });
      if (isForeignLoad(visitor) || (origin !== undefined && !isOwnOrigin(origin, target) && !origins.includes(origin.toLowerCase())))
        throw new CleoError('E_FORBIDDEN', {
          problem: 'This server does not answer to pages of that origin',
          fix: 'cleo config get serve.origins',
          manual: 'Ask the person who runs the server to add the origin to serve.origins',
        });
    },
    checkRate: ({ address }, nowMs) => checkWait(rate.take(`address ${address}`, nowMs)),
    checkFurtherCalls(visitor, identity, count, nowMs) {
      const limit = Math.min(...[callsPerMinute, identity.callsPerMinute ?? 0].filter((most) => most > 0));
      if (count >= limit)
        throw new CleoError('E_VALIDATION', {
          field: 'body',
          problem: `has ${count + 1} messages; a batch may have at most ${limit}`,
          fix: 'cleo help serve',
        });
      checkWait(rate.take(toRateKey(visitor, identity), nowMs, count, identity.callsPerMinute));
    },
    async checkToken({ authorization }) {
      if (authorization !== undefined && !(await readToken(authorization))) throw new CleoError('E_UNAUTHORIZED', {});
    },
    async identify(visitor, nowMs) {
      const { address, authorization } = visitor;
      if (authorization === undefined && isOpen(visitor)) {
        checkWait(rate.take(toRateKey(visitor, anonymous), nowMs));
        return toVisit(visitor);
      }
      const identity = await readToken(authorization);
      if (!identity) {
        checkWait(wrong.take(address, nowMs));
        throw new CleoError('E_UNAUTHORIZED', {});
      }
      checkWait(rate.take(toRateKey(visitor, identity), nowMs, 1, identity.callsPerMinute));
      return { token: identity };
    },
  };
}
