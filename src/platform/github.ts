import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '#lib/digest.ts';
import type { GithubConnection, GithubResponse } from '#transfer/model/github-connection.ts';
import type { ProgramOptions, ProgramResult } from './port.ts';

type RunProgram = (words: string[], options: ProgramOptions) => Promise<ProgramResult>;

const apiVersion = '2022-11-28';
const requestTimeoutMs = 60_000;
const publicApi = 'https://api.github.com';

/** Connects to the REST API with the token of the user. The token is sent to that address only: redirects are not followed. */
export function createGithubConnection(
  env: Record<string, string | undefined>,
  { folder, version, runProgram }: { folder: string; version: string; runProgram: RunProgram },
): GithubConnection {
  const url = (env.GITHUB_API_URL || publicApi).replace(/\/+$/, '');
  let token: Promise<string | undefined> | undefined;
  const readToken = (): Promise<string | undefined> => {
    token ??= env.GITHUB_TOKEN ? Promise.resolve(env.GITHUB_TOKEN.trim()) : readGhToken(runProgram, folder, url);
    return token;
  };
  return {
    url,
    isSafe: isSafeAddress(url),
    hasToken: async () => (await readToken()) !== undefined,
    identifyToken: async () => sha256((await readToken()) ?? '').slice(0, 16),
    async send({ method, path, body, etag }): Promise<GithubResponse> {
      const secret = await readToken();
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          redirect: 'manual',
          signal: AbortSignal.timeout(requestTimeoutMs),
          headers: {
            accept: 'application/vnd.github+json',
            'x-github-api-version': apiVersion,
            'user-agent': `cleo/${version}`,
            ...(secret ? { authorization: `Bearer ${secret}` } : {}),
            ...(etag ? { 'if-none-match': etag } : {}),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
      } catch (error) {
        return { status: 0, headers: {}, body: '', problem: hideToken(describeFailure(error), secret) };
      }
    },
    wait: async (ms, signal) => {
      await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
    },
  };
}

/** The GitHub CLI has a token per host. For another host than github.com its name is that of the API address. */
async function readGhToken(runProgram: RunProgram, folder: string, url: string): Promise<string | undefined> {
  const host = url === publicApi ? 'github.com' : (parseUrl(url)?.hostname.replace(/^api\./, '') ?? 'github.com');
  const result = await runProgram(['gh', 'auth', 'token', '--hostname', host], { folder, timeoutMs: 10_000, inheritsEnv: true });
  return result.exitCode === 0 ? result.stdout.trim() || undefined : undefined;
}

/** Beyond this machine the token must be encrypted. */
function isSafeAddress(url: string): boolean {
  const parsed = parseUrl(url);
  if (!parsed || parsed.username || parsed.password) return false;
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname));
}

function parseUrl(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** `fetch` hides the reason in the cause of its error. */
function describeFailure(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no answer for ${requestTimeoutMs / 1000} s`;
  return cause instanceof Error ? ('code' in cause && String(cause.code)) || cause.message : message;
}

const hideToken = (text: string, token: string | undefined): string => (token ? text.replaceAll(token, '***') : text);
