import type { IncomingMessage } from 'node:http';
import type { GithubServer, ServerAnswer, ServerComment, ServerIssue } from './github-server.ts';

type Body = Record<string, unknown>;

const notFound: ServerAnswer = { status: 404, body: { message: 'Not Found' } };

export function routeRequest(
  self: GithubServer,
  request: IncomingMessage,
  text: string,
  now: () => string,
  violate: (what: string) => void,
): ServerAnswer {
  const { method = '' } = request;
  const url = new URL(request.url ?? '', self.url);
  const path = url.pathname.replace(/^\/repositories\/1(?=\/|$)/, `/repos/${self.repo}`);
  const base = `/repos/${self.repo}`;
  if (path.toLowerCase() === base.toLowerCase() && method === 'GET')
    return { status: 200, body: { id: 1, full_name: self.repo, private: true, has_issues: true } };
  if (!path.startsWith(`${base}/`)) return notFound;
  const body = (text ? JSON.parse(text) : {}) as Body;
  const rest = path.slice(base.length + 1);
  const known = [...routes].find(([pattern]) => pattern.test(`${method} ${rest}`));
  if (!known) {
    violate('unknown path');
    return notFound;
  }
  const [pattern, { keys = [], query = [], run }] = known;
  for (const key of Object.keys(body)) if (!keys.includes(key)) violate(`unknown key ${key}`);
  for (const key of url.searchParams.keys()) if (!query.includes(key)) violate(`unknown parameter ${key}`);
  const [, a = '', b = ''] = pattern.exec(`${method} ${rest}`) ?? [];
  const issue = /^(?:GET|POST|PATCH|DELETE) issues\/\d+/.test(`${method} ${rest}`) ? self.issues.get(Number(a)) : undefined;
  if (/^issues\/\d+/.test(rest)) {
    if (!issue) return notFound;
    if (issue.gone === 'deleted') return { status: 410, body: { message: 'This issue was deleted' } };
    if (issue.gone) return { status: 301, body: { message: 'Moved' }, headers: { location: `${self.url}/repositories/2/issues/7` } };
  }
  return run({ self, url, body, issue: issue!, part: issue ? b : a, now });
}

interface RouteInput {
  self: GithubServer;
  url: URL;
  body: Body;
  issue: ServerIssue;
  part: string;
  now: () => string;
}

interface Route {
  keys?: string[];
  query?: string[];
  run(input: RouteInput): ServerAnswer;
}

const listQuery = ['state', 'sort', 'direction', 'per_page', 'page'];
const issueKeys = ['title', 'body', 'labels', 'assignees', 'state', 'state_reason'];
const isPresent = ({ gone }: ServerIssue): boolean => gone === undefined;
const touch = (issue: ServerIssue, now: () => string): void => {
  issue.updated_at = now();
};

const routes = new Map<RegExp, Route>([
  [
    /^GET issues$/,
    {
      query: listQuery,
      run: ({ self, url }) => {
        const all = [...self.issues.values()].filter(isPresent).sort((a, b) => a.number - b.number);
        const state = url.searchParams.get('state') ?? 'open';
        return paginate(
          self,
          url,
          all.filter((issue) => state === 'all' || issue.state === state).map((issue) => toJson(self, issue)),
        );
      },
    },
  ],
  [
    /^POST issues$/,
    {
      keys: issueKeys.slice(0, 4),
      run: ({ self, body }) => {
        if (typeof body.title !== 'string' || body.title === '') return { status: 422, body: { message: 'Validation Failed' } };
        const fields = { title: body.title, body: String(body.body ?? ''), labels: (body.labels as string[] | undefined) ?? [] };
        return { status: 201, body: toJson(self, self.addIssue({ ...fields, login: 'octo', association: 'OWNER' })) };
      },
    },
  ],
  [
    /^GET issues\/comments$/,
    {
      query: listQuery,
      run: ({ self, url }) =>
        paginate(
          self,
          url,
          self.comments.map((comment) => toCommentJson(self, comment)),
        ),
    },
  ],
  [/^GET issues\/(\d+)$/, { run: ({ self, issue }) => ({ status: 200, body: toJson(self, issue) }) }],
  [
    /^PATCH issues\/(\d+)$/,
    {
      keys: issueKeys,
      run: ({ self, body, issue, now }) => {
        const { state, assignees } = body as { state?: ServerIssue['state']; assignees?: string[] };
        if (assignees?.some((login) => !self.people.has(login))) return { status: 422, body: { message: 'Validation Failed' } };
        if (body.title === '') return { status: 422, body: { message: 'Validation Failed' } };
        Object.assign(issue, body);
        if (state === 'open') issue.closed_at = null;
        touch(issue, now);
        if (state === 'closed') issue.closed_at = issue.updated_at;
        return { status: 200, body: toJson(self, issue) };
      },
    },
  ],
  [
    /^POST issues\/(\d+)\/comments$/,
    {
      keys: ['body'],
      run: ({ self, body, issue }) => ({
        status: 201,
        body: toCommentJson(self, self.addComment(issue.number, String(body.body), 'octo')),
      }),
    },
  ],
  [
    /^GET issues\/(\d+)\/sub_issues$/,
    {
      query: ['per_page', 'page'],
      run: ({ self, url, issue }) => {
        const children = [...self.issues.values()].filter(({ parent }) => parent === issue.number);
        return paginate(
          self,
          url,
          children.map((child) => toJson(self, child)),
        );
      },
    },
  ],
  [
    /^POST issues\/(\d+)\/sub_issues$/,
    {
      keys: ['sub_issue_id', 'replace_parent'],
      run: ({ self, body, issue, now }) => {
        const child = findById(self, Number(body.sub_issue_id));
        if (!child) return notFound;
        if (child.parent !== undefined && body.replace_parent !== true) return { status: 422, body: { message: 'has a parent' } };
        child.parent = issue.number;
        touch(child, now);
        touch(issue, now);
        return { status: 201, body: toJson(self, issue) };
      },
    },
  ],
  [
    /^DELETE issues\/(\d+)\/sub_issue$/,
    {
      keys: ['sub_issue_id'],
      run: ({ self, body, issue, now }) => {
        const child = findById(self, Number(body.sub_issue_id));
        if (child?.parent !== issue.number) return notFound;
        child.parent = undefined;
        touch(child, now);
        return { status: 200, body: toJson(self, issue) };
      },
    },
  ],
  [
    /^GET issues\/(\d+)\/dependencies\/blocked_by$/,
    {
      query: ['per_page', 'page'],
      run: ({ self, url, issue }) =>
        paginate(
          self,
          url,
          issue.blockedBy.map((number) => toJson(self, self.issues.get(number)!)),
        ),
    },
  ],
  [
    /^POST issues\/(\d+)\/dependencies\/blocked_by$/,
    {
      keys: ['issue_id'],
      run: ({ self, body, issue, now }) => {
        const blocker = findById(self, Number(body.issue_id));
        if (!blocker) return notFound;
        if (issue.blockedBy.includes(blocker.number)) return { status: 422, body: { message: 'exists already' } };
        issue.blockedBy.push(blocker.number);
        touch(issue, now);
        return { status: 201, body: toJson(self, blocker) };
      },
    },
  ],
  [
    /^DELETE issues\/(\d+)\/dependencies\/blocked_by\/(\d+)$/,
    {
      run: ({ self, issue, part, now }) => {
        const blocker = findById(self, Number(part));
        if (!blocker || !issue.blockedBy.includes(blocker.number)) return notFound;
        issue.blockedBy = issue.blockedBy.filter((number) => number !== blocker.number);
        touch(issue, now);
        return { status: 200, body: toJson(self, blocker) };
      },
    },
  ],
  [/^GET assignees\/([\w-]+)$/, { run: ({ self, part }) => (self.people.has(part) ? { status: 204 } : notFound) }],
]);

const findById = (self: GithubServer, id: number): ServerIssue | undefined => [...self.issues.values()].find((issue) => issue.id === id);

/** Links name the repository by its id, as those of GitHub do. */
function paginate(self: GithubServer, url: URL, items: unknown[]): ServerAnswer {
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
  const page = Number(url.searchParams.get('page') ?? 1);
  const next = new URL(url);
  next.pathname = next.pathname.replace(`/repos/${self.repo}`, '/repositories/1');
  next.searchParams.set('page', String(page + 1));
  const hasNext = items.length > page * size;
  return {
    status: 200,
    body: items.slice((page - 1) * size, page * size),
    ...(hasNext ? { headers: { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } } : {}),
  };
}

function toJson(self: GithubServer, issue: ServerIssue): Body {
  const children = [...self.issues.values()].filter(({ parent }) => parent === issue.number);
  const { number } = issue;
  const api = `${self.url}/repos/${self.repo}/issues`;
  return {
    id: issue.id,
    node_id: `I_${issue.id}`,
    url: `${api}/${number}`,
    html_url: `https://github.com/${self.repo}/${issue.isPullRequest ? 'pull' : 'issues'}/${number}`,
    number,
    state: issue.state,
    state_reason: issue.state_reason,
    title: issue.title,
    body: issue.body,
    user: { login: issue.login, id: 1 },
    author_association: issue.association,
    labels: issue.labels.map((name) => ({ id: 1, name, color: 'ededed' })),
    assignee: issue.assignees[0] ? { login: issue.assignees[0] } : null,
    assignees: issue.assignees.map((login) => ({ login })),
    milestone: null,
    comments: self.comments.filter((comment) => comment.issue === number).length,
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at,
    sub_issues_summary: { total: children.length, completed: 0, percent_completed: 0 },
    issue_dependencies_summary: {
      blocked_by: issue.blockedBy.length,
      total_blocked_by: issue.blockedBy.length,
      blocking: 0,
      total_blocking: 0,
    },
    ...(issue.parent === undefined ? {} : { parent_issue_url: `${api}/${issue.parent}` }),
    ...(issue.isPullRequest ? { pull_request: { url: `${self.url}/repos/${self.repo}/pulls/${number}` } } : {}),
  };
}

const toCommentJson = (self: GithubServer, { id, issue, body, login, association, created_at }: ServerComment): Body => ({
  id,
  body,
  user: login === '' ? null : { login },
  author_association: association,
  created_at,
  updated_at: created_at,
  issue_url: `${self.url}/repos/${self.repo}/issues/${issue}`,
  html_url: `https://github.com/${self.repo}/issues/${issue}#issuecomment-${id}`,
});
