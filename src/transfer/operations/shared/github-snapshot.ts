import { CleoError } from '#core/errors/error.ts';
import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { GithubEntry } from '#store/port/transfer.ts';
import '../../errors.ts';
import type { GithubComment, GithubIssue, IssueState, LinkedIssue } from '../../model/github.ts';
import { addEtag, findEtag } from '../../rules/github-sync/etags.ts';
import { parseList, toGithubComment, toGithubIssue, toLinkedIssue } from '../../rules/github-sync/snapshot.ts';
import { type SourceFields, toText } from '../../rules/source-values.ts';
import type { GithubClient } from './github-client.ts';

/** What is stored about a repository: pages with their ETags, by path. `save` and `remove` write to the store too, unless it is a dry run. */
export interface GithubCache {
  entries: Map<string, GithubEntry>;
  save(entry: GithubEntry): Promise<void>;
  remove(paths: string[]): Promise<void>;
}

/** A page without the fields that a sync does not need. */
interface CachedPage {
  items: SourceFields[];
  /** The number of items of the response, which may include pull requests. */
  count: number;
  next?: string;
}

const pageSize = 100;

/** Checks that the repository exists and has issues. Returns its name as GitHub spells it. */
export async function readRepository(client: GithubClient, repo: string, getCommand: (repo: string) => string): Promise<string> {
  let response = await client.send({ method: 'GET', path: `/repos/${repo}` });
  const moved = response.status === 301 || response.status === 307 || response.status === 308;
  if (moved) {
    const path = /(\/repositories\/\d+)$/.exec(response.headers.location ?? '')?.[1];
    if (path) response = await client.send({ method: 'GET', path });
  }
  const value = response.status === 200 ? parseJson(response.body) : undefined;
  const name = isPlainObject(value) ? toText(value.full_name) : '';
  if (moved && name)
    throw new CleoError('E_NOT_FOUND', { what: 'GitHub repository', id: `${repo}; it was renamed to ${name}`, fix: getCommand(name) });
  if (!name || !isPlainObject(value)) throw createMissingError(repo, getCommand(repo));
  if (value.has_issues === false)
    throw new CleoError('E_GITHUB_DENIED', {
      problem: `Issues are disabled in ${name}`,
      fix: getCommand(name),
      manual: 'Enable issues in the settings of the repository',
    });
  return name;
}

const createMissingError = (repo: string, fix: string): CleoError =>
  new CleoError('E_GITHUB_DENIED', {
    problem: `There is no GitHub repository ${repo}, or the token may not see it`,
    fix,
    manual: 'Check owner/name, and that the token has access to the repository (private: Issues: read and write)',
  });

/** Reads all issues of a repository with their comments and links. Each page is stored as soon as it is read, so that an interrupted sync
 *  continues there; pages that have not changed cost GitHub nothing. */
export async function fetchSnapshot(
  client: GithubClient,
  repo: string,
  cache: GithubCache,
  onPage: (done: number) => void,
): Promise<Map<number, IssueState>> {
  let done = 0;
  const list = async <T>(path: string, pick: (record: SourceFields) => T | undefined): Promise<T[] | undefined> => {
    const items = await fetchPages(client, cache, path, pick, () => {
      done += 1;
      onPage(done);
    });
    return items as T[] | undefined;
  };
  const order = `sort=created&direction=asc&per_page=${pageSize}`;
  const issues = await list<GithubIssue>(`/repos/${repo}/issues?state=all&${order}`, toGithubIssue);
  const comments = await list<GithubComment>(`/repos/${repo}/issues/comments?${order}`, toGithubComment);
  const states = new Map<number, IssueState>();
  for (const issue of issues ?? []) states.set(issue.number, { issue, comments: [], subIssues: [], blockedBy: [] });
  const seen = new Set<number>();
  for (const comment of comments ?? [])
    if (!seen.has(comment.id)) {
      seen.add(comment.id);
      states.get(comment.issue)?.comments.push(comment);
    }
  for (const state of states.values()) {
    const path = `/repos/${repo}/issues/${state.issue.number}`;
    if (state.issue.hasSubIssues)
      state.subIssues = (await list<LinkedIssue>(`${path}/sub_issues?per_page=${pageSize}`, toLinkedIssue)) ?? [];
    if (state.issue.hasBlockers)
      state.blockedBy = (await list<LinkedIssue>(`${path}/dependencies/blocked_by?per_page=${pageSize}`, toLinkedIssue)) ?? [];
  }
  return states;
}

/** Returns the items of all pages; undefined if this GitHub does not have the resource. */
async function fetchPages(
  client: GithubClient,
  cache: GithubCache,
  first: string,
  pick: (record: SourceFields) => unknown,
  onPage: () => void,
): Promise<unknown[] | undefined> {
  const items: unknown[] = [];
  const used = new Set<string>();
  const earlier = listChain(cache, first);
  const token = await client.identifyToken();
  for (let path: string | undefined = first; path !== undefined; ) {
    const cached = cache.entries.get(path);
    const known = cached && (JSON.parse(cached.body) as CachedPage);
    // A full last page does not change when a page follows it.
    const isReusable = known && (known.next !== undefined || known.count < pageSize);
    const knownEtag = isReusable ? findEtag(cached?.etag, token) : undefined;
    const response = await client.send({ method: 'GET', path, ...(knownEtag ? { etag: knownEtag } : {}) });
    if (response.status === 404 || response.status === 410) return undefined;
    let page = known;
    if (response.status !== 304 || !known) {
      const records = parseList(response.body);
      const next = client.findNext(response);
      page = { items: records.flatMap((record) => pick(record) ?? []) as SourceFields[], count: records.length, ...(next ? { next } : {}) };
      const body = JSON.stringify(page);
      const etag = addEtag(cached?.etag, { token, etag: response.headers.etag, isSamePage: body === cached?.body });
      await cache.save({ path, body, ...(etag ? { etag } : {}) });
    }
    used.add(path);
    // An item that moved to the next page while the pages were read is in both.
    items.push(...page!.items);
    path = page!.next !== undefined && !used.has(page!.next) ? page!.next : undefined;
    onPage();
  }
  const stale = earlier.filter((path) => !used.has(path));
  if (stale.length > 0) await cache.remove(stale);
  return items;
}

/** Lists the stored pages of a resource. */
function listChain({ entries }: GithubCache, first: string): string[] {
  const paths: string[] = [];
  for (let path: string | undefined = first; path !== undefined && entries.has(path) && !paths.includes(path); ) {
    paths.push(path);
    path = (JSON.parse(entries.get(path)!.body) as CachedPage).next;
  }
  return paths;
}

/** An issue that is not in the list any more. */
type GoneIssue = { kind: 'deleted' } | { kind: 'transferred'; to: string } | { kind: 'hidden' } | { kind: 'present'; state: IssueState };

export async function inspectGone(client: GithubClient, repo: string, number: number): Promise<GoneIssue> {
  const response = await client.send({ method: 'GET', path: `/repos/${repo}/issues/${number}` });
  if (response.status === 410) return { kind: 'deleted' };
  const { location } = response.headers;
  if (location && response.status >= 300 && response.status < 400) return { kind: 'transferred', to: await readTarget(client, location) };
  const issue = response.status === 200 ? toGithubIssue(parseJson(response.body) as SourceFields) : undefined;
  return issue ? { kind: 'present', state: { issue, comments: [], subIssues: [], blockedBy: [] } } : { kind: 'hidden' };
}

/** The location names the new repository by its id. */
async function readTarget(client: GithubClient, location: string): Promise<string> {
  const path = /(\/(?:repositories\/\d+|repos\/[\w.-]+\/[\w.-]+)\/issues\/\d+)$/.exec(location)?.[1];
  const response = path ? await client.send({ method: 'GET', path }) : undefined;
  const issue = response?.status === 200 ? toGithubIssue(parseJson(response.body) as SourceFields) : undefined;
  const [, repository, number] = /([\w.-]+\/[\w.-]+)\/issues\/(\d+)$/.exec(issue?.html_url ?? '') ?? [];
  return repository ? `${repository}#${number}` : 'another repository';
}
