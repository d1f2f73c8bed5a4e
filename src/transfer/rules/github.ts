import { type Priority, PrioritySchema, type Status, type TaskType } from '#core/model/scalars.ts';
import { parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { defined } from '#lib/defined.ts';
import { isPlainObject } from '#lib/is-plain-object.ts';
import type { ForeignData, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { parseBody, parseMarker } from './github-body.ts';
import {
  addUnmappedFields,
  createForeignData,
  createImportError,
  createLossReporter,
  normalizeLabels,
  normalizeText,
  parseRecords,
  parseTime,
  pickTimes,
  type ReportLoss,
  toFieldsList,
  toText,
  unmappedField,
} from './source-values.ts';

/** Reads issues as `gh issue list --json …`, the REST API or `cleo export --format github` writes them. A milestone becomes a label,
 *  because a task can have only one parent. */
export function readGithub(files: SourceFile[]): ForeignData {
  const losses: ImportLoss[] = [];
  const origins = new Map<ForeignTask, string>();
  const issues: ParsedIssue[] = [];
  for (const file of files)
    for (const [i, record] of parseRecords(file).flatMap(unwrapSearchResult).entries()) {
      const issue = parseIssue(file.name, record, i + 1);
      if (isPlainObject(record.pull_request) || /\/pull\/\d+$/.test(issue.url))
        losses.push({ id: issue.id, field: 'pull_request', why: 'pull requests are not imported' });
      else issues.push(issue);
    }
  const links = collectLinks(issues);
  for (const issue of issues) origins.set(toForeignTask(issue, links, losses), issue.file);
  return createForeignData('github', origins, losses);
}

type ParsedIssue = ReturnType<typeof parseIssue>;

/** The search API wraps its list. */
const unwrapSearchResult = (record: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(record.items) && record.number === undefined ? toFieldsList(record.items) : [record];

function parseIssue(file: string, record: Record<string, unknown>, n: number) {
  const { number, title } = record;
  const state = toText(record.state).toLowerCase();
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof title !== 'string' || (state !== 'open' && state !== 'closed'))
    throw createImportError(
      file,
      `entry ${n} is not an issue: number, title or state is missing; \`gh issue list --json number,title,state\` writes them`,
    );
  const url = toText(record.html_url) || toText(record.url);
  // `owner/name`, or empty if unknown.
  const repository = parseRepository(url) ?? '';
  const labelFields = parseLabels(toNames(record.labels));
  const text = normalizeText(toText(record.body));
  return {
    file,
    id: `${repository}#${number}`,
    repository,
    url,
    record,
    labelFields,
    body: parseBody(text, repository, labelFields.status === 'blocked'),
    marker: parseMarker(text),
  };
}

/** Collects parents and dependencies from the fields of GitHub, from markers of our export and from the text. */
function collectLinks(issues: ParsedIssue[]): { parents: Map<string, string>; depends: Map<string, Set<string>> } {
  const parents = new Map<string, string>();
  const depends = new Map<string, Set<string>>(issues.map(({ id }) => [id, new Set()]));
  const addDepends = (id: string, on: string): unknown => (id === on ? undefined : depends.get(id)?.add(on));
  // The first parent wins, so fields of GitHub take precedence over the text.
  const setParent = (id: string, parent: string): unknown => (id === parent || parents.has(id) ? undefined : parents.set(id, parent));
  const issueIds = new Map(issues.flatMap(({ marker, id }): [string, string][] => (marker ? [[marker.id, id]] : [])));
  for (const issue of issues) {
    const { id, record } = issue;
    const parent = isPlainObject(record.parent) ? record.parent : { url: record.parent_issue_url };
    if (isPlainObject(record.parent) || toText(parent.url)) setParent(id, toIssueId(parent, issue));
    for (const child of toNodes(record.subIssues)) setParent(toIssueId(child, issue), id);
    for (const blocker of toNodes(record.blockedBy)) addDepends(id, toIssueId(blocker, issue));
    for (const blocked of toNodes(record.blocking)) addDepends(toIssueId(blocked, issue), id);
  }
  for (const { id, body, marker } of issues) {
    for (const on of [...body.depends, ...(marker?.depends ?? []).flatMap((taskId) => issueIds.get(taskId) ?? [])]) addDepends(id, on);
    for (const parent of [marker?.parent && issueIds.get(marker.parent), body.parent]) if (parent) setParent(id, parent);
  }
  for (const { id, body } of issues) for (const child of body.children) setParent(child, id);
  return { parents, depends };
}

/** Newer versions of `gh` wrap the list with its count. */
const toNodes = (value: unknown): Record<string, unknown>[] => toFieldsList(isPlainObject(value) ? value.nodes : value);

function toIssueId(linked: Record<string, unknown>, { repository }: ParsedIssue): string {
  const url = toText(linked.url);
  const number = linked.number ?? /\/(\d+)$/.exec(url)?.[1];
  return `${repository && (parseRepository(url) ?? repository)}#${String(number)}`;
}

const parseRepository = (url: string): string | undefined => /([\w.-]{1,100}\/[\w.-]{1,100})\/(?:issues|pull)\/\d+$/.exec(url)?.[1];

function toForeignTask(issue: ParsedIssue, { parents, depends }: ReturnType<typeof collectLinks>, losses: ImportLoss[]): ForeignTask {
  const { id, record, labelFields } = issue;
  const { description, acceptance, blockedBy, files } = issue.body;
  const reportLoss = createLossReporter(losses, id);
  const parent = parents.get(id);
  const on = [...(depends.get(id) ?? [])];
  const isClosed = toText(record.state).toLowerCase() === 'closed';
  if (labelFields.others.length > 0) reportLoss('priority', `other labels name ${labelFields.others.join(' and ')}`);
  const reason = toText(record.stateReason ?? record.state_reason).toLowerCase();
  const isNotPlanned = isClosed && (reason === 'not_planned' || reason === 'duplicate');
  if (isNotPlanned) reportLoss('stateReason', `closed as ${reason.replace('_', ' ')}; imported as done with a label`);
  const unmapped: [string, string][] = [];
  if (issue.url) unmapped.push(['url', issue.url]);
  const assignees = toNames(record.assignees, 'login').join(', ');
  if (assignees) {
    reportLoss('assignees', unmappedField);
    unmapped.push(['assignees', assignees]);
  }
  const { title, dueOn, due_on } = isPlainObject(record.milestone) ? record.milestone : {};
  const milestone = toText(title);
  const due = parseTime(dueOn ?? due_on);
  if (due) reportLoss('milestone', `the due date ${due.slice(0, 10)} is not imported`);
  const issueType = [record.issueType, record.type].flatMap((type) => (isPlainObject(type) ? [toText(type.name)] : []))[0] ?? '';
  const isEpic = /^epic$/i.test(issueType);
  reportMissing(record, on.length, reportLoss);
  const status: Status = isClosed ? 'done' : labelFields.status;
  return {
    id,
    title: toText(record.title),
    ...addUnmappedFields(description, 'GitHub', unmapped),
    status,
    ...(status === 'blocked' ? { blockedBy: blockedBy || 'Labelled as blocked on GitHub' } : {}),
    ...defined({
      priority: labelFields.priority,
      type: labelFields.type ?? (isEpic && !parent ? ('epic' as const) : undefined),
      parent,
      createdBy: getAuthor(record),
    }),
    depends: on,
    labels: normalizeLabels(
      [
        ...labelFields.labels,
        milestone && `milestone:${milestone}`,
        !isEpic && issueType && `type:${issueType}`,
        isNotPlanned && reason.replace('_', '-'),
      ],
      reportLoss,
    ),
    acceptance,
    notes: toFieldsList(record.comments).flatMap((comment) => {
      const text = normalizeText(toText(comment.body)).trim();
      const times = pickTimes({ at: comment.createdAt ?? comment.created_at }, reportLoss);
      return text ? [{ ...times, ...defined({ by: getAuthor(comment) }), text }] : [];
    }),
    files,
    ...pickTimes(
      {
        createdAt: record.createdAt ?? record.created_at,
        updatedAt: record.updatedAt ?? record.updated_at,
        completedAt: isClosed ? (record.closedAt ?? record.closed_at) : undefined,
      },
      reportLoss,
    ),
  };
}

function getAuthor({ author, user }: Record<string, unknown>): string | undefined {
  const account = [author, user].find(isPlainObject);
  return toText(account?.login) || undefined;
}

/** Reports links and comments of which the REST API returns only the number. */
function reportMissing(record: Record<string, unknown>, dependsCount: number, reportLoss: ReportLoss): void {
  const comments = record.comments;
  if (typeof comments === 'number' && comments > 0)
    reportLoss('comments', `${comments} missing in the file; \`gh issue list --json comments\` writes them`);
  const summary = record.issue_dependencies_summary;
  const blockers = isPlainObject(summary) ? Number(summary.blocked_by) : 0;
  if (blockers > dependsCount)
    reportLoss('depends', `${blockers - dependsCount} missing in the file; \`gh issue list --json blockedBy\` writes them`);
  for (const field of ['subIssues', 'blockedBy', 'blocking']) {
    const list = record[field];
    if (isPlainObject(list) && Number(list.totalCount) > toNodes(list).length)
      reportLoss(field, `${Number(list.totalCount) - toNodes(list).length} missing in the file`);
  }
}

interface LabelFields {
  status: Status;
  priority?: Priority;
  /** Lower priorities that other labels name. */
  others: Priority[];
  type?: TaskType;
  labels: string[];
}

/** Separates labels that set a field from the others. */
function parseLabels(labels: string[]): LabelFields {
  const result: LabelFields = { status: 'pending', others: [], labels: [] };
  const found: Priority[] = [];
  for (const label of labels) {
    const [, kind, value = ''] = /^(?:(priority|prio|status|state|type)\s*[:/=-]\s*)?(.+)$/i.exec(label.trim().toLowerCase()) ?? [];
    const isPriority = kind === 'priority' || kind === 'prio' || /^p[0-4]$/.test(value);
    const priority =
      isPriority || /^(high|medium|low) priority$/.test(value) ? parseForeignPriority(value.replace(/ priority$/, '')) : undefined;
    // A label without a kind, such as `testing`, may describe something else than a status.
    const isState =
      kind === 'status' || kind === 'state' || /^(in[ _-]?progress|active|doing|wip|blocked|on[ _-]hold)$/.test(label.toLowerCase());
    const status = isState ? parseForeignStatus(value) : undefined;
    if (priority) found.push(priority);
    else if (status === 'active') result.status = result.status === 'blocked' ? 'blocked' : 'active';
    else if (status === 'blocked') result.status = 'blocked';
    else if (kind === 'type' && /^(saga|epic|task|subtask)$/.test(value)) result.type = value as TaskType;
    else result.labels.push(label);
  }
  const [priority, ...others] = PrioritySchema.options.filter((name) => found.includes(name));
  return { ...result, others, ...defined({ priority }) };
}

/** Reads a list of objects with a name, or of names. */
function toNames(value: unknown, key = 'name'): string[] {
  return (Array.isArray(value) ? value : []).flatMap((item: unknown) => {
    const name = isPlainObject(item) ? toText(item[key]) : toText(item);
    return name ? [name] : [];
  });
}
