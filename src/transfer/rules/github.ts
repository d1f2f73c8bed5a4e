import { is } from 'valibot';
import {
  type Priority,
  PrioritySchema,
  type Resolution,
  type Status,
  type TaskSize,
  TaskSizeSchema,
  type TaskType,
} from '#core/model/scalars.ts';
import { Phase } from '#core/model/texts.ts';
import { parseForeignPriority, parseForeignStatus } from '#core/rules/words.ts';
import { defined, isPlainObject } from '#lib/collections.ts';
import type { ForeignData, ForeignStream, ForeignTask, ImportLoss, SourceFile } from '../model/foreign.ts';
import { parseUid } from './export/context.ts';
import { parseImportMarker, parseIssueText } from './github-body.ts';
import {
  addUnmappedFields,
  collectSourceTasks,
  createLossReporter,
  createSink,
  createStream,
  normalizeLabels,
  normalizeText,
  parseDate,
  parseRecords,
  pickTimes,
  type ReportLoss,
  readEach,
  type SourceFields,
  toFieldsList,
  toText,
} from './source-values.ts';
import { parseForeignState } from './vocabulary.ts';

export const readGithub = (files: SourceFile[]): ForeignData => collectSourceTasks(streamGithub(files));

/** Reads issues as `gh issue list --json …`, the REST API or `cleo export --format github` writes them. A milestone becomes a label,
 *  because a task can have only one parent. The links of all issues are read before the first task, because any issue can name a
 *  parent or a dependency of another. */
export function streamGithub(files: SourceFile[]): ForeignStream {
  let links: IssueLinks | undefined;
  return createStream('github', function* ({ losses }) {
    const listIssues = (reported: ImportLoss[]): Iterable<ParsedIssue> =>
      readEach(files, reported, function* (file) {
        for (const { record: outer, where } of parseRecords(file, reported))
          for (const record of unwrapSearchResult(outer)) {
            const issue = parseIssue(record);
            if (typeof issue === 'string') reported.push({ id: where, field: 'task', why: `${issue}; skipped`, isProblem: true });
            else if (isPlainObject(record.pull_request) || /\/pull\/\d+$/.test(issue.url))
              reported.push({ id: issue.id, field: 'pull_request', why: 'pull requests are not imported' });
            else yield issue;
          }
      });
    links ??= collectLinks(listIssues(createSink()));
    for (const issue of listIssues(losses)) yield toForeignTask(issue, links, losses);
  });
}

type ParsedIssue = Exclude<ReturnType<typeof parseIssue>, string>;

/** The search API wraps its list, and GraphQL wraps it several times. */
function unwrapSearchResult(record: SourceFields): SourceFields[] {
  if (record.number !== undefined) return [record];
  if (Array.isArray(record.items)) return toFieldsList(record.items);
  const inner = [record.data, record.repository, record.issues].find(isPlainObject);
  if (inner) return unwrapSearchResult(inner);
  return Array.isArray(record.nodes) ? toFieldsList(record.nodes) : [record];
}

/** Returns the issue, or the reason why the record is none. An issue without a state is open. */
function parseIssue(record: SourceFields) {
  const { title } = record;
  const url = toText(record.html_url) || toText(record.url);
  const number = toIssueNumber(record.number) ?? toIssueNumber(/\/(?:issues|pull)\/(\d+)$/.exec(url)?.[1]);
  if (number === undefined) return 'it is not an issue: it has no number';
  if (title === undefined && record.state === undefined && record.body === undefined) return 'it is not an issue: it has no title';
  // `owner/name`, or empty if unknown.
  const repository = parseRepository(url) ?? '';
  const labelFields = parseLabels(toNames(record.labels));
  const text = normalizeText(toText(record.body));
  return {
    id: `${repository}#${number}`,
    repository,
    url,
    record,
    labelFields,
    body: parseIssueText(text, repository, labelFields.status === 'blocked'),
    marker: parseImportMarker(text),
  };
}

function toIssueNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^#?\d{1,15}$/.test(value.trim()) ? Number(value.trim().replace('#', '')) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

interface IssueLinks {
  parents: Map<string, string>;
  depends: Map<string, Set<string>>;
}

/** Collects parents and dependencies from the fields of GitHub, from markers of our export and from the text. Of each issue only its
 *  links are kept. */
function collectLinks(issues: Iterable<ParsedIssue>): IssueLinks {
  const links: IssueLinks = { parents: new Map(), depends: new Map() };
  // The first parent wins, so fields of GitHub take precedence over markers, and those over the text.
  const ranked: [child: string, parent: string][][] = [[], [], []];
  const markers: { id: string; parent?: string; depends: string[] }[] = [];
  const issueIds = new Map<string, string>();
  const addDepends = (id: string, on: string): void => {
    if (id === on) return;
    const known = links.depends.get(id) ?? new Set();
    links.depends.set(id, known.add(on));
  };
  for (const issue of issues) {
    const { id, record, body, marker } = issue;
    const parent = isPlainObject(record.parent) ? record.parent : { url: record.parent_issue_url };
    if (isPlainObject(record.parent) || toText(parent.url)) ranked[0]!.push([id, toIssueId(parent, issue)]);
    for (const child of toNodes(record.subIssues)) ranked[0]!.push([toIssueId(child, issue), id]);
    for (const blocker of toNodes(record.blockedBy)) addDepends(id, toIssueId(blocker, issue));
    for (const blocked of toNodes(record.blocking)) addDepends(toIssueId(blocked, issue), id);
    for (const on of body.depends) addDepends(id, on);
    if (body.parent) ranked[1]!.push([id, body.parent]);
    for (const child of body.children) ranked[2]!.push([child, id]);
    if (marker) {
      issueIds.set(marker.id, id);
      markers.push({ ...marker, id });
    }
  }
  const fromMarkers = markers.flatMap(({ id, parent }): [string, string][] => {
    const parentId = parent && issueIds.get(parent);
    return parentId ? [[id, parentId]] : [];
  });
  for (const { id, depends } of markers) for (const on of depends) if (issueIds.has(on)) addDepends(id, issueIds.get(on)!);
  for (const [id, parent] of [...ranked[0]!, ...fromMarkers, ...ranked[1]!, ...ranked[2]!])
    if (id !== parent && !links.parents.has(id)) links.parents.set(id, parent);
  return links;
}

/** Newer versions of `gh` wrap the list with its count. */
const toNodes = (value: unknown): SourceFields[] => toFieldsList(isPlainObject(value) ? value.nodes : value);

function toIssueId(linked: SourceFields, { repository }: ParsedIssue): string {
  const url = toText(linked.url);
  const number = toIssueNumber(linked.number) ?? /\/(\d+)$/.exec(url)?.[1];
  return `${repository && (parseRepository(url) ?? repository)}#${number ?? ''}`;
}

const parseRepository = (url: string): string | undefined => /([\w.-]{1,100}\/[\w.-]{1,100})\/(?:issues|pull)\/\d+$/.exec(url)?.[1];

function toForeignTask(issue: ParsedIssue, { parents, depends }: IssueLinks, losses: ImportLoss[]): ForeignTask {
  const { id, record, labelFields } = issue;
  const { description, acceptance, blockedBy, files } = issue.body;
  const reportLoss = createLossReporter(losses, id);
  const parent = parents.get(id);
  const on = [...(depends.get(id) ?? [])];
  const { status, resolution } = toState(issue, reportLoss);
  if (labelFields.others.length > 0) reportLoss('priority', `other labels name ${labelFields.others.join(' and ')}`);
  const unmapped: [string, string][] = [];
  if (issue.url) unmapped.push(['url', issue.url]);
  const [assignee, ...assignees] = toNames(record.assignees, 'login');
  if (assignees.length > 0) {
    reportLoss('assignees', `a task has one assignee; ${assignees.join(', ')} added to the description`);
    unmapped.push(['assignees', assignees.join(', ')]);
  }
  const { title, dueOn, due_on } = isPlainObject(record.milestone) ? record.milestone : {};
  const milestone = toText(title) || toText(record.milestone);
  const issueType = [record.issueType, record.type].flatMap((type) => (isPlainObject(type) ? [toText(type.name)] : []))[0] ?? '';
  const isEpic = /^epic$/i.test(issueType);
  reportMissing(record, on.length, reportLoss);
  return {
    id,
    // A field of our export, which no issue on GitHub can have. Text such as the body can be written by anyone.
    ...defined({ uid: parseUid(toText(record.cleoUid)) }),
    title: toText(record.title),
    ...addUnmappedFields(description, 'GitHub', unmapped),
    status,
    ...(status === 'blocked' ? { blockedBy: blockedBy || 'Labelled as blocked on GitHub' } : {}),
    ...defined({
      resolution,
      assignee: assignee ?? (toText(isPlainObject(record.assignee) ? record.assignee.login : undefined) || undefined),
      due: labelFields.due ?? parseDate(dueOn ?? due_on),
      priority: labelFields.priority,
      size: labelFields.size,
      phase: labelFields.phase,
      type: labelFields.type ?? (isEpic && !parent ? ('epic' as const) : undefined),
      parent,
      createdBy: getAuthor(record),
    }),
    depends: on,
    labels: normalizeLabels(
      [...labelFields.labels, milestone && `milestone:${milestone}`, !isEpic && issueType && `type:${issueType}`],
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
        completedAt: status === 'done' ? (record.closedAt ?? record.closed_at) : undefined,
      },
      reportLoss,
    ),
  };
}

/** An issue that was closed is done. Labels say what an open one is, and how a closed one ended if GitHub does not. */
function toState({ record, labelFields }: ParsedIssue, reportLoss: ReportLoss): { status: Status; resolution?: Resolution } {
  const word = toText(record.state).toLowerCase();
  const closedAt = record.closedAt ?? record.closed_at;
  const state = parseForeignState(word || (toText(closedAt) ? 'closed' : 'open'), closedAt);
  if (state.isGuess) reportLoss('state', `${JSON.stringify(word)} is imported as ${state.status}`);
  if (state.status !== 'done') return { status: labelFields.status };
  const reason = toText(record.stateReason ?? record.state_reason).toLowerCase();
  if (labelFields.resolution) return { status: 'done', resolution: labelFields.resolution };
  const byReason = reason && reason !== 'completed' ? parseForeignState(reason).resolution : undefined;
  const states = reason === '' ? toNames(record.labels).map((label) => parseForeignState(label)) : [];
  const byLabel = states.find((one) => one.resolution && !one.isGuess)?.resolution;
  return { status: 'done', ...defined({ resolution: state.resolution ?? byReason ?? byLabel }) };
}

function getAuthor({ author, user }: SourceFields): string | undefined {
  const account = [author, user].find(isPlainObject);
  return toText(account?.login) || undefined;
}

const toCount = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Reports links and comments of which the REST API returns only the number. */
function reportMissing(record: SourceFields, dependsCount: number, reportLoss: ReportLoss): void {
  const comments = record.comments;
  if (typeof comments === 'number' && comments > 0)
    reportLoss('comments', `${comments} missing in the file; \`gh issue list --json comments\` writes them`);
  const summary = record.issue_dependencies_summary;
  const blockers = isPlainObject(summary) ? toCount(summary.blocked_by) : 0;
  if (blockers > dependsCount)
    reportLoss('depends', `${blockers - dependsCount} missing in the file; \`gh issue list --json blockedBy\` writes them`);
  for (const field of ['subIssues', 'blockedBy', 'blocking']) {
    const list = record[field];
    if (isPlainObject(list) && toCount(list.totalCount) > toNodes(list).length)
      reportLoss(field, `${toCount(list.totalCount) - toNodes(list).length} missing in the file`);
  }
}

interface LabelFields {
  status: Status;
  resolution?: Resolution;
  due?: string;
  priority?: Priority;
  /** Lower priorities that other labels name. */
  others: Priority[];
  type?: TaskType;
  size?: TaskSize;
  phase?: string;
  labels: string[];
}

/** Separates labels that set a field from the others. */
export function parseLabels(labels: string[]): LabelFields {
  const result: LabelFields = { status: 'pending', others: [], labels: [] };
  const found: Priority[] = [];
  for (const label of labels) {
    const [, kind, value = ''] =
      /^(?:(priority|prio|status|state|type|resolution|due|size|phase)\s*[:/=-]\s*)?(.+)$/i.exec(label.trim().toLowerCase()) ?? [];
    const phase = label.trim().slice(-value.length);
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
    else if (kind === 'resolution' && parseForeignState(value).resolution) result.resolution = parseForeignState(value).resolution!;
    else if (kind === 'due' && parseDate(value)) result.due = parseDate(value)!;
    else if (kind === 'size' && is(TaskSizeSchema, value)) result.size = value;
    else if (kind === 'phase' && is(Phase, phase)) result.phase = phase;
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
