import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { routeRequest } from './github-routes.ts';

/** A local server that speaks the documented REST API of GitHub for issues, as far as a sync uses it. It is strict: a request without the
 *  documented headers, with an unknown path or an unknown key in its body is a violation. */
export interface GithubServer {
  url: string;
  repo: string;
  issues: Map<number, ServerIssue>;
  comments: ServerComment[];
  /** All requests in order, such as `GET /repos/octo/plan/issues?page=2 304`. */
  log: string[];
  violations: string[];
  /** The requests of the token until the limit is hit; undefined: no limit. 304 costs nothing. */
  remaining: number | undefined;
  /** The next responses that are sent instead of the real ones, if their pattern matches. */
  failures: ScriptedFailure[];
  /** Runs before a request is executed; after it, if it returns `after`. The response is sent only if it returns nothing. */
  onRequest?: ((line: string, count: number) => 'before' | 'after' | undefined) | undefined;
  token: { value: string; canWrite: boolean; others: string[] };
  people: Set<string>;
  addIssue(fields?: Partial<ServerIssue>): ServerIssue;
  editIssue(number: number, fields: Partial<ServerIssue>): void;
  addComment(issue: number, body: string, login?: string): ServerComment;
  close(): Promise<void>;
}

export interface ServerIssue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  state_reason: string | null;
  labels: string[];
  assignees: string[];
  login: string;
  association: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  parent: number | undefined;
  blockedBy: number[];
  isPullRequest?: boolean;
  gone?: 'deleted' | { transferredTo: string };
}

export interface ServerComment {
  id: number;
  issue: number;
  body: string;
  login: string;
  association: string;
  created_at: string;
}

export interface ScriptedFailure {
  match: RegExp;
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Executes the request before the response is sent. */
  isExecuted?: true;
}

export interface ServerAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const startMs = Date.parse('2026-01-01T00:00:00Z');

export async function startGithubServer(repo = 'octo/plan'): Promise<GithubServer> {
  let ticks = 0;
  let nextId = 1000;
  // GitHub has no fractions of seconds.
  const now = (): string => new Date(startMs + ++ticks * 1000).toISOString().replace('.000Z', 'Z');
  const self: GithubServer = {
    url: '',
    repo,
    issues: new Map(),
    comments: [],
    log: [],
    violations: [],
    remaining: undefined,
    failures: [],
    token: { value: 'test-token-of-octo', canWrite: true, others: [] },
    people: new Set(['octo', 'ada']),
    addIssue(fields = {}) {
      const at = now();
      const number = fields.number ?? Math.max(0, ...self.issues.keys()) + 1;
      const issue: ServerIssue = {
        id: nextId++,
        number,
        title: `Issue ${number}`,
        body: null,
        state: 'open',
        state_reason: null,
        labels: [],
        assignees: [],
        login: 'ada',
        association: 'NONE',
        created_at: at,
        updated_at: at,
        closed_at: null,
        parent: undefined,
        blockedBy: [],
        ...fields,
      };
      self.issues.set(number, issue);
      return issue;
    },
    editIssue: (number, fields) => void Object.assign(self.issues.get(number)!, fields, { updated_at: now() }),
    addComment(issue, body, login = 'ada') {
      const comment = { id: nextId++, issue, body, login, association: login === 'octo' ? 'OWNER' : 'NONE', created_at: now() };
      self.comments.push(comment);
      self.issues.get(issue)!.updated_at = comment.created_at;
      return comment;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = createServer((request, response) => void handle(self, request, response, now));
  server.keepAliveTimeout = 1;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return self;
}

async function handle(self: GithubServer, request: IncomingMessage, response: ServerResponse, now: () => string): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const line = `${request.method} ${request.url}`;
  const when = self.onRequest?.(line, self.log.length);
  const scripted = self.failures.findIndex(({ match }) => match.test(line));
  const failure = scripted >= 0 ? self.failures.splice(scripted, 1)[0] : undefined;
  const execute = (): ServerAnswer => answerRequest(self, request, text, now);
  let answer: ServerAnswer | undefined;
  if (when !== 'before' && (!failure || failure.isExecuted)) answer = execute();
  if (failure) answer = failure;
  self.log.push(`${line} ${when ?? answer?.status}`);
  if (when || !answer) {
    // The caller was killed.
    request.socket.destroy();
    return;
  }
  if (answer.status === 0) {
    request.socket.destroy();
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8', ...answer.headers });
  response.end(answer.body === undefined ? '' : JSON.stringify(answer.body));
}

function answerRequest(self: GithubServer, request: IncomingMessage, text: string, now: () => string): ServerAnswer {
  const { headers, method = '' } = request;
  const violate = (what: string): void => void self.violations.push(`${method} ${request.url}: ${what}`);
  if (headers.accept !== 'application/vnd.github+json') violate(`accept ${headers.accept}`);
  if (headers['x-github-api-version'] !== '2022-11-28') violate('no version of the API');
  if (!headers['user-agent']?.startsWith('cleo/')) violate('no user agent');
  if (text && headers['content-type'] !== 'application/json') violate(`content type ${headers['content-type']}`);
  const isKnown = [self.token.value, ...self.token.others].some((token) => headers.authorization === `Bearer ${token}`);
  if (!isKnown) return { status: 401, body: { message: 'Bad credentials' } };
  const limit = (remaining: number): Record<string, string> => ({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 3000),
  });
  if (self.remaining === 0) return { status: 403, body: { message: 'API rate limit exceeded for user ID 1.' }, headers: limit(0) };
  if (method !== 'GET' && !self.token.canWrite)
    return { status: 403, body: { message: 'Resource not accessible by personal access token' }, headers: limit(4000) };
  const answer = routeRequest(self, request, text, now, violate);
  if (method === 'GET' && answer.status === 200) {
    // GitHub varies by the token.
    const etag = `W/"${createHash('sha256')
      .update(`${headers.authorization} ${JSON.stringify(answer.body)}`)
      .digest('hex')}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    answer.headers = { ...answer.headers, etag };
  } else if (headers['if-none-match'] && method !== 'GET') violate('conditional write');
  if (self.remaining !== undefined) self.remaining -= 1;
  return { ...answer, headers: { ...answer.headers, ...limit(self.remaining ?? 4999) } };
}
