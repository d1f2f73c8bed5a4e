import { isPlainObject } from '#lib/collections.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { GithubComment, GithubIssue, IssueState, LinkedIssue } from '../../model/github.ts';
import { type SourceFields, toFieldsList, toText } from '../source-values.ts';
import { parseComment, removeIssueMarker } from './markers.ts';

/** Reads an issue of a response; undefined for a pull request. */
export function toGithubIssue(record: SourceFields): GithubIssue | undefined {
  if (record.pull_request || typeof record.number !== 'number') return undefined;
  const summary = isPlainObject(record.sub_issues_summary) ? record.sub_issues_summary : {};
  const blockers = isPlainObject(record.issue_dependencies_summary) ? record.issue_dependencies_summary : {};
  const milestone = isPlainObject(record.milestone) ? record.milestone : undefined;
  const type = isPlainObject(record.type) ? record.type : undefined;
  return {
    id: Number(record.id),
    number: record.number,
    title: toText(record.title),
    body: toText(record.body),
    state: toText(record.state),
    state_reason: toText(record.state_reason) || null,
    labels: (Array.isArray(record.labels) ? record.labels : []).map((label: unknown) => ({
      name: isPlainObject(label) ? toText(label.name) : toText(label),
    })),
    assignees: toFieldsList(record.assignees).map(({ login }) => ({ login: toText(login) })),
    milestone: milestone ? { title: toText(milestone.title), due_on: toText(milestone.due_on) || null } : null,
    type: type ? { name: toText(type.name) } : null,
    user: toUser(record.user),
    author_association: toText(record.author_association),
    created_at: toText(record.created_at),
    updated_at: toText(record.updated_at),
    closed_at: toText(record.closed_at) || null,
    html_url: toText(record.html_url),
    parent_issue_url: toText(record.parent_issue_url) || null,
    hasSubIssues: Number(summary.total) > 0,
    hasBlockers: Number(blockers.total_blocked_by ?? blockers.blocked_by) > 0,
  };
}

export function toGithubComment(record: SourceFields): GithubComment | undefined {
  const issue = Number(/\/(\d+)$/.exec(toText(record.issue_url))?.[1]);
  if (!Number.isSafeInteger(issue) || typeof record.id !== 'number') return undefined;
  return {
    id: record.id,
    issue,
    body: toText(record.body),
    user: toUser(record.user),
    author_association: toText(record.author_association),
    created_at: toText(record.created_at),
  };
}

export const toLinkedIssue = (record: SourceFields): LinkedIssue => ({
  id: Number(record.id),
  number: Number(record.number),
  url: toText(record.url) || toText(record.html_url),
});

export const parseList = (body: string): SourceFields[] => toFieldsList(parseJson(body));

/** People who can change the repository, and so every issue. */
const trustedAuthors: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

const toUser = (value: unknown): { login: string } | null => (isPlainObject(value) ? { login: toText(value.login) } : null);

/** Converts an issue to a record that the reader of `import --from github` reads. A comment that a sync made from a note gets the author
 *  and the time of the note, by which notes are identified. Anyone can write such a marker, so that it counts for a note that exists here,
 *  and for a comment of a person who can write to the repository. */
export function toIssueRecord(
  state: IssueState,
  isOwnNote: (number: number, note: { at: string; by: string; text: string }) => boolean,
): SourceFields {
  const { issue, comments, subIssues, blockedBy } = state;
  const { hasSubIssues: _, hasBlockers: __, author_association: ___, ...fields } = issue;
  return {
    ...fields,
    body: removeIssueMarker(issue.body),
    subIssues: { nodes: subIssues, totalCount: subIssues.length },
    blockedBy: { nodes: blockedBy, totalCount: blockedBy.length },
    comments: comments.map(({ body, user, author_association, created_at }) => {
      const { text, note } = parseComment(body);
      return note && (trustedAuthors.has(author_association) || isOwnNote(issue.number, { ...note, text }))
        ? { user: { login: note.by }, body: text, created_at: note.at }
        : { user, body: text, created_at };
    }),
  };
}
