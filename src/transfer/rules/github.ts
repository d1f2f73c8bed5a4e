import type { Priority, Status, TaskType } from '#core/model/scalars.ts';
import { isMap } from '#lib/is-map.ts';
import type { ForeignFile, ForeignTask, GivenFile, Loss } from '../model/foreign.ts';
import { type Body, bodyOf, marked } from './github-body.ts';
import { foreignFile, keptLabels, type Lose, recordsOf, refused, timeOf, when, withRest } from './given.ts';

export const wanted = (name: string): boolean => /issues?[^/]*\.(json|jsonl|ndjson)$/i.test(name);

/** Issues as `gh issue list --json …` or the REST API writes them, and as our own export does. Milestones are labels: an issue
 *  has one parent, and a milestone cuts across. */
export function readGithub(files: GivenFile[]): ForeignFile {
  const losses: Loss[] = [];
  const where = new Map<ForeignTask, string>();
  const issues: Issue[] = [];
  for (const file of files)
    for (const [i, record] of recordsOf(file).flatMap(listed).entries()) {
      const issue = issueOf(file.name, record, i + 1);
      if (isMap(record.pull_request) || /\/pull\/\d+$/.test(issue.url))
        losses.push({ id: issue.id, field: 'pull_request', why: 'a pull request is not imported' });
      else issues.push(issue);
    }
  const links = linksOf(issues);
  for (const issue of issues) where.set(taskOf(issue, links, losses), issue.file);
  return foreignFile('github', [...where.keys()], losses, where);
}

interface Issue {
  file: string;
  id: string;
  /** `owner/name`, or nothing where the file does not tell. */
  repository: string;
  url: string;
  record: Record<string, unknown>;
  marks: Marks;
  said: Body;
  mark: ReturnType<typeof marked>;
}

/** The search API wraps its list. */
const listed = (record: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(record.items) && record.number === undefined ? record.items.filter(isMap) : [record];

function issueOf(file: string, record: Record<string, unknown>, n: number): Issue {
  const { number, title, body } = record;
  const state = text(record.state).toLowerCase();
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof title !== 'string' || (state !== 'open' && state !== 'closed'))
    throw refused(file, `entry ${n} has no number, title and state as \`gh issue list --json number,title,state\` writes them`);
  const url = text(record.html_url) || text(record.url);
  const repository = repositoryOf(url) ?? '';
  const marks = sorted(names(record.labels));
  const plain = text(body).replace(/\r\n?/g, '\n');
  const said = bodyOf(plain, repository, marks.status === 'blocked');
  return { file, id: `${repository}#${number}`, repository, url, record, marks, said, mark: marked(plain) };
}

/** Who belongs to whom and waits for whom, by all the ways in which a file can tell it. */
function linksOf(issues: Issue[]): { parents: Map<string, string>; depends: Map<string, Set<string>> } {
  const parents = new Map<string, string>();
  const depends = new Map<string, Set<string>>(issues.map(({ id }) => [id, new Set()]));
  const wait = (id: string, on: string): unknown => (id === on ? undefined : depends.get(id)?.add(on));
  // What is said in words comes after what is set in GitHub, and does not overrule it.
  const adopt = (id: string, parent: string): unknown => (id === parent || parents.has(id) ? undefined : parents.set(id, parent));
  const own = new Map(issues.flatMap(({ mark, id }): [string, string][] => (mark ? [[mark.id, id]] : [])));
  for (const issue of issues) {
    const { id, record } = issue;
    const above = isMap(record.parent) ? record.parent : { url: record.parent_issue_url };
    if (isMap(record.parent) || text(above.url)) adopt(id, refOf(above, issue));
    for (const one of nodes(record.subIssues)) adopt(refOf(one, issue), id);
    for (const one of nodes(record.blockedBy)) wait(id, refOf(one, issue));
    for (const one of nodes(record.blocking)) wait(refOf(one, issue), id);
  }
  for (const { id, said, mark } of issues) {
    for (const on of [...said.depends, ...(mark?.depends ?? []).flatMap((one) => own.get(one) ?? [])]) wait(id, on);
    for (const parent of [mark?.parent && own.get(mark.parent), said.parent]) if (parent) adopt(id, parent);
  }
  for (const { id, said } of issues) for (const child of said.children) adopt(child, id);
  return { parents, depends };
}

/** A list, or since relations came to `gh` a list with its count. */
function nodes(value: unknown): Record<string, unknown>[] {
  const list = isMap(value) ? value.nodes : value;
  return Array.isArray(list) ? list.filter(isMap) : [];
}

function refOf(linked: Record<string, unknown>, { repository }: Issue): string {
  const url = text(linked.url);
  const number = linked.number ?? /\/(\d+)$/.exec(url)?.[1];
  return `${repository && (repositoryOf(url) ?? repository)}#${String(number)}`;
}

const repositoryOf = (url: string): string | undefined => /([\w.-]{1,100}\/[\w.-]{1,100})\/(?:issues|pull)\/\d+$/.exec(url)?.[1];

function taskOf(issue: Issue, { parents, depends }: ReturnType<typeof linksOf>, losses: Loss[]): ForeignTask {
  const { id, record, marks } = issue;
  const { description, acceptance, blockedBy, files } = issue.said;
  const lose: Lose = (field, why) => void losses.push({ id, field, why });
  const parent = parents.get(id);
  const on = [...(depends.get(id) ?? [])];
  const isClosed = text(record.state).toLowerCase() === 'closed';
  if (marks.others.length > 0) lose('priority', `labels also say ${marks.others.join(' and ')}`);
  const reason = text(record.stateReason ?? record.state_reason).toLowerCase();
  const isGivenUp = isClosed && (reason === 'not_planned' || reason === 'duplicate');
  if (isGivenUp) lose('stateReason', `closed as ${reason.replace('_', ' ')}; it is done, with a label that says so`);
  const rest: [string, string][] = [];
  if (issue.url) rest.push(['url', issue.url]);
  const assignees = names(record.assignees, 'login').join(', ');
  if (assignees) {
    lose('assignees', 'there is no such field; they stand in the description');
    rest.push(['assignees', assignees]);
  }
  const milestone = isMap(record.milestone) ? text(record.milestone.title) : '';
  const due = isMap(record.milestone) ? timeOf(record.milestone.dueOn ?? record.milestone.due_on) : undefined;
  if (due) lose('milestone', `that it is due on ${due.slice(0, 10)} is not kept`);
  const issueType = isMap(record.issueType) ? text(record.issueType.name) : isMap(record.type) ? text(record.type.name) : '';
  counted(record, on.length, lose);
  const author = authorOf(record);
  const status: Status = isClosed ? 'done' : marks.status;
  return {
    id,
    title: text(record.title),
    ...withRest(description, 'GitHub', rest),
    status,
    ...(status === 'blocked' ? { blockedBy: blockedBy || 'Labelled as blocked on GitHub' } : {}),
    ...(marks.priority ? { priority: marks.priority } : {}),
    ...typeOf(marks.type, /^epic$/i.test(issueType) && !parent),
    ...(parent ? { parent } : {}),
    depends: on,
    labels: keptLabels(
      [
        ...marks.labels,
        ...(milestone ? [`milestone:${milestone}`] : []),
        ...(issueType && !/^epic$/i.test(issueType) ? [`type:${issueType}`] : []),
        ...(isGivenUp ? [reason.replace('_', '-')] : []),
      ],
      lose,
    ),
    acceptance,
    notes: (Array.isArray(record.comments) ? record.comments.filter(isMap) : []).flatMap((comment) => {
      const by = authorOf(comment);
      const said = text(comment.body).replace(/\r\n?/g, '\n').trim();
      return said ? [{ ...when('at', comment.createdAt ?? comment.created_at, lose), ...(by ? { by } : {}), text: said }] : [];
    }),
    ...(files.length > 0 ? { files } : {}),
    ...(author ? { createdBy: author } : {}),
    ...when('createdAt', record.createdAt ?? record.created_at, lose),
    ...when('updatedAt', record.updatedAt ?? record.updated_at, lose),
    ...(isClosed ? when('completedAt', record.closedAt ?? record.closed_at, lose) : {}),
  };
}

const typeOf = (type: TaskType | undefined, isEpic: boolean): { type?: TaskType } => (type ? { type } : isEpic ? { type: 'epic' } : {});

function authorOf({ author, user }: Record<string, unknown>): string {
  const who = isMap(author) ? author : isMap(user) ? user : {};
  return text(who.login);
}

/** The REST API tells how many there are and not which. */
function counted(record: Record<string, unknown>, known: number, lose: Lose): void {
  const comments = record.comments;
  if (typeof comments === 'number' && comments > 0)
    lose('comments', `${comments} not in the file; \`gh issue list --json comments\` writes them`);
  const summary = record.issue_dependencies_summary;
  const blockers = isMap(summary) ? Number(summary.blocked_by) : 0;
  if (blockers > known) lose('depends', `${blockers - known} not named in the file; \`gh issue list --json blockedBy\` names them`);
  for (const field of ['subIssues', 'blockedBy', 'blocking']) {
    const list = record[field];
    if (isMap(list) && Number(list.totalCount) > nodes(list).length)
      lose(field, `${Number(list.totalCount) - nodes(list).length} more than the file names`);
  }
}

const priorities: [RegExp, Priority][] = [
  [/^(p0|critical|urgent|highest|blocker|0)$/, 'critical'],
  [/^(p1|high|important|1)$/, 'high'],
  [/^(p2|medium|normal|moderate|2)$/, 'medium'],
  [/^(p[34]|low|lowest|minor|trivial|[34])$/, 'low'],
];
const order: Priority[] = ['critical', 'high', 'medium', 'low'];

interface Marks {
  status: Status;
  priority?: Priority;
  /** Lesser ones that are said as well. */
  others: Priority[];
  type?: TaskType;
  labels: string[];
}

/** Labels that say what we have a field for, and the others. */
function sorted(labels: string[]): Marks {
  const found: Marks = { status: 'pending', others: [], labels: [] };
  const urgent: Priority[] = [];
  for (const label of labels) {
    const [, kind, value] = /^(?:(priority|prio|status|state|type)\s*[:/=-]\s*)?(.+)$/i.exec(label.trim().toLowerCase()) ?? [];
    const isPriority = kind === 'priority' || kind === 'prio' || /^p[0-4]$/.test(value ?? '');
    const priority = isPriority || /^(high|medium|low) priority$/.test(value ?? '') ? priorityOf(value ?? '') : undefined;
    const isState = kind === undefined || kind === 'status' || kind === 'state';
    if (priority) urgent.push(priority);
    else if (isState && /^(in[ _-]?progress|active|doing|wip)$/.test(value ?? ''))
      found.status = found.status === 'blocked' ? 'blocked' : 'active';
    else if (isState && /^(blocked|on[ _-]hold)$/.test(value ?? '')) found.status = 'blocked';
    else if (kind === 'type' && /^(saga|epic|task|subtask)$/.test(value ?? '')) found.type = value as TaskType;
    else found.labels.push(label);
  }
  const [priority, ...others] = order.filter((one) => urgent.includes(one));
  return { ...found, others, ...(priority ? { priority } : {}) };
}

const priorityOf = (word: string): Priority | undefined =>
  priorities.find(([pattern]) => pattern.test(word.replace(/ priority$/, '')))?.[1];

/** Objects with a name, or the names themselves. */
function names(value: unknown, key = 'name'): string[] {
  return (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    const name = isMap(one) ? text(one[key]) : text(one);
    return name ? [name] : [];
  });
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
