import { CleoError } from '#core/errors/error.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import { redactText } from '#lib/redact.ts';
import '../../errors.ts';
import type { GithubConnection, GithubRequest, GithubResponse } from '../../model/github-connection.ts';
import { computeWaitMs, parseNextLink } from '../../rules/github-sync/responses.ts';

export interface GithubClient {
  /** Sends a request. Waits for a short limit and repeats what may be repeated; throws if GitHub denies it or cannot be reached. Statuses
   *  for which it does not throw: 2xx, 301, 304, 404, 410 and 422. */
  send(request: GithubRequest): Promise<GithubResponse>;
  /** Pauses between writes, as GitHub asks of programs that write a lot. */
  pause(): Promise<void>;
  findNext(response: GithubResponse): string | undefined;
  identifyToken(): Promise<string>;
}

interface ClientOptions {
  repo: string;
  /** The command that continues the sync. */
  command: string;
  signal?: AbortSignal | undefined;
}

const maxAttempts = 4;
/** A longer wait ends the call with an error; the next one continues. */
const maxWaitMs = 65_000;
const freeWrites = 20;

export function createGithubClient(connection: GithubConnection, { repo, command, signal }: ClientOptions): GithubClient {
  let writes = 0;
  const wait = async (ms: number): Promise<void> => {
    await connection.wait(ms, signal);
    checkNotStopped(signal, command);
  };
  return {
    async send(request) {
      for (let attempt = 1; ; attempt += 1) {
        checkNotStopped(signal, command);
        const response = await connection.send(request);
        const { status } = response;
        const isOutage = status === 0 || status >= 500;
        // A POST that got no answer may have been executed. The next sync finds out by the marker.
        if (isOutage && attempt < maxAttempts && request.method !== 'POST') {
          await wait(250 * 4 ** attempt);
          continue;
        }
        if (isOutage) throw createOutageError(connection.url, response, command);
        const waitMs = computeWaitMs(response, Date.now());
        if (waitMs === undefined) return checkAllowed(response, repo, command);
        if (waitMs > maxWaitMs || attempt >= maxAttempts) throw createLimitError(waitMs, command);
        await wait(waitMs);
      }
    },
    async pause() {
      writes += 1;
      if (writes > freeWrites) await wait(1000);
    },
    findNext: ({ headers }) => parseNextLink(headers.link, connection.url),
    identifyToken: () => connection.identifyToken(),
  };
}

function checkNotStopped(signal: AbortSignal | undefined, command: string): void {
  if (signal?.aborted) throw createOutageError('GitHub', { problem: 'the sync was stopped' }, command);
}

const createOutageError = (address: string, { status, problem }: Partial<GithubResponse>, fix: string): CleoError =>
  new CleoError('E_GITHUB_UNREACHABLE', {
    address,
    problem: problem ?? `it answered with status ${status}`,
    fix,
    manual: 'Check the network and https://www.githubstatus.com, then run the command again; it continues',
  });

const createLimitError = (waitMs: number, fix: string): CleoError => {
  const until = new Date(Date.now() + waitMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return new CleoError('E_GITHUB_RATE_LIMIT', { until, fix, manual: `Run the command again after ${until}; it continues` });
};

/** Throws for a response that says that the token is not enough. */
function checkAllowed(response: GithubResponse, repo: string, fix: string): GithubResponse {
  const { status, headers } = response;
  if (status < 400 || [404, 410, 422].includes(status)) return response;
  const sso = /url=(\S+)/.exec(headers['x-github-sso'] ?? '')?.[1];
  const deny = (problem: string, manual: string): CleoError => new CleoError('E_GITHUB_DENIED', { problem, fix, manual });
  if (status === 401) throw deny('GitHub does not accept the token', 'Set GITHUB_TOKEN to a valid token, or run: gh auth login');
  if (sso) throw deny(`The organization of ${repo} requires single sign-on for the token`, `Authorize the token: ${redactText(sso)}`);
  throw deny(
    `GitHub denies the request for ${repo}: ${readMessage(response)}`,
    'Use a token with the permission Issues: read and write for this repository (classic: repo, or public_repo)',
  );
}

export function readMessage({ body, status }: GithubResponse): string {
  const value = parseJson(body);
  const message = isPlainObject(value) && typeof value.message === 'string' ? value.message : `status ${status}`;
  return redactText(message).slice(0, 200);
}
