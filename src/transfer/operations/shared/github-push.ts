import type { MutationContext } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import type { TaskId } from '#core/model/scalars.ts';
import { parseJson } from '#lib/parse-json.ts';
import { redactText } from '#lib/redact.ts';
import type { TaskRecord } from '#tasks/model/task.ts';
import type { IssueChanges, IssueState, LinkedIssue, PushLoss } from '../../model/github.ts';
import { formatIssueBody } from '../../rules/github-sync/issue-body.ts';
import { computeIssueChanges, hasChanges, toIssueCriteria } from '../../rules/github-sync/issue-changes.ts';
import { toGithubComment, toGithubIssue } from '../../rules/github-sync/snapshot.ts';
import type { SourceFields } from '../../rules/source-values.ts';
import { type GithubClient, readMessage } from './github-client.ts';
import {
  githubSource,
  type IssueMap,
  intentPrefix,
  type LinkedTask,
  linkIssue,
  listLinkedTasks,
  readTheirs,
  rememberComments,
  toForeignId,
} from './github-merge.ts';
import type { GithubCache } from './github-snapshot.ts';

export interface GithubSync {
  client: GithubClient;
  /** The name as GitHub spells it. */
  repo: string;
  issues: IssueMap;
  cache: GithubCache;
  /** Runs `work` in one transaction with the context that an import needs. */
  write<T>(work: (ctx: MutationContext) => Promise<T>): Promise<T>;
}

interface PlannedChange {
  taskId: TaskId;
  number: number;
  changes: IssueChanges;
}

export interface PushPlan {
  planned: PlannedChange[];
  losses: PushLoss[];
  /** Issues whose tasks were changed here, in something that GitHub has or not. */
  numbers: number[];
}

/** Computes what has to be written to the issues of tasks that were changed here. */
export async function planPush(ctx: MutationContext, sync: GithubSync, assignable: ReadonlySet<string>): Promise<PushPlan> {
  const { repo, issues, cache } = sync;
  const theirs = await readTheirs(ctx, repo, issues);
  const knownNotes = await rememberComments(ctx, repo, cache, theirs);
  const linked = await listLinkedTasks(ctx, repo, issues, knownNotes);
  const known = await ctx.store.imports.getKnown(githubSource);
  const byTask = new Map<TaskId, LinkedIssue>();
  for (const { issue } of issues.values()) {
    const taskId = known.get(toForeignId(repo, issue.number))?.taskId;
    if (taskId) byTask.set(taskId, { id: issue.id, number: issue.number, url: issue.html_url });
  }
  const plan: PushPlan = { planned: [], losses: [], numbers: linked.map(({ number }) => number) };
  for (const { record, number, changed, newNotes } of linked) {
    const { changes, losses } = computeIssueChanges({
      record,
      theirs: theirs.get(number)!,
      state: issues.get(number)!,
      changed,
      newNotes,
      findIssue: (id) => byTask.get(id),
      findTask: (other) => known.get(toForeignId(repo, other))?.taskId,
      isAssignable: (name) => assignable.has(name.toLowerCase()),
    });
    plan.losses.push(...losses);
    if (hasChanges(changes)) plan.planned.push({ taskId: record.id, number, changes });
  }
  return plan;
}

/** Finds the assignees of changed tasks to whom GitHub can assign an issue. Names of agents are not users. */
export async function findAssignable({ client, repo, issues }: GithubSync, linked: LinkedTask[]): Promise<Set<string>> {
  const known = new Set([...issues.values()].flatMap(({ issue }) => issue.assignees.map(({ login }) => login.toLowerCase())));
  const names = new Set(linked.flatMap(({ record, changed }) => (changed.has('assignee') && record.assignee ? [record.assignee] : [])));
  for (const name of names) {
    if (known.has(name.toLowerCase()) || !/^[a-z\d](?:[a-z\d-]{0,38})$/i.test(name)) continue;
    const response = await client.send({ method: 'GET', path: `/repos/${repo}/assignees/${name}` });
    if (response.status === 204) known.add(name.toLowerCase());
  }
  return known;
}

/** Writes the planned changes to GitHub, one issue after the other. An issue that GitHub does not accept is reported and skipped. */
export async function executePush(sync: GithubSync, { planned }: PushPlan, onIssue: (done: number) => void): Promise<PushLoss[]> {
  const losses: PushLoss[] = [];
  for (const [i, { taskId, number, changes }] of planned.entries()) {
    const reportLoss = (field: string, why: string): void => void losses.push({ taskId, field, why });
    await writeIssue(sync, sync.issues.get(number)!, changes, reportLoss);
    onIssue(i + 1);
  }
  return losses;
}

async function writeIssue(
  { client, repo }: GithubSync,
  state: IssueState,
  { patch, parent, addBlockers, removeBlockers, comments }: IssueChanges,
  reportLoss: (field: string, why: string) => void,
): Promise<void> {
  const { issue } = state;
  const path = `/repos/${repo}/issues/${issue.number}`;
  const write = async (
    method: 'POST' | 'PATCH' | 'DELETE',
    target: string,
    body: unknown,
    field: string,
  ): Promise<SourceFields | undefined> => {
    await client.pause();
    const response = await client.send({ method, path: target, ...(body === undefined ? {} : { body }) });
    if (response.status < 300) return (parseJson(response.body) ?? {}) as SourceFields;
    reportLoss(field, `GitHub did not accept it: ${readMessage(response)}`);
    return undefined;
  };
  if (Object.keys(patch).length > 0) {
    const written = await write('PATCH', path, patch, Object.keys(patch).join(', '));
    const updated = written && toGithubIssue(written);
    if (updated) {
      const missing =
        patch.labels?.filter((name) => !updated.labels.some((label) => label.name.toLowerCase() === name.toLowerCase())) ?? [];
      if (missing.length > 0) reportLoss('labels', `GitHub ignored ${missing.join(', ')}: the token may not set labels`);
      state.issue = updated;
    }
  }
  if (parent) {
    const body = { sub_issue_id: issue.id, replace_parent: true };
    if (await write('POST', `/repos/${repo}/issues/${parent.number}/sub_issues`, body, 'parent')) state.issue.parent_issue_url = parent.url;
  } else if (parent === null) {
    const current = /\/(\d+)$/.exec(issue.parent_issue_url ?? '')?.[1];
    const removed = await write('DELETE', `/repos/${repo}/issues/${current}/sub_issue`, { sub_issue_id: issue.id }, 'parent');
    if (removed) state.issue.parent_issue_url = null;
  }
  for (const blocker of addBlockers)
    if (await write('POST', `${path}/dependencies/blocked_by`, { issue_id: blocker.id }, 'depends')) state.blockedBy.push(blocker);
  for (const blocker of removeBlockers)
    if (await write('DELETE', `${path}/dependencies/blocked_by/${blocker.id}`, undefined, 'depends'))
      state.blockedBy = state.blockedBy.filter(({ id }) => id !== blocker.id);
  for (const body of comments) {
    const created = await write('POST', `${path}/comments`, { body }, 'notes');
    const comment = created && toGithubComment({ ...created, issue_url: `/${issue.number}` });
    if (comment) state.comments.push(comment);
  }
}

/** Creates the issue of a task. The intent is stored before the request: if the process is killed after it, the next sync finds the issue
 *  by the marker in its text. */
export async function createIssue(sync: GithubSync, record: TaskRecord): Promise<PushLoss | undefined> {
  const { client, repo, issues, cache } = sync;
  const body = formatIssueBody({ description: record.description ?? '', acceptance: toIssueCriteria(record) }, record.uid);
  if (redactText(`${record.title}\n${body}`) !== `${record.title}\n${body}`)
    return { taskId: record.id, field: 'task', why: 'it seems to contain a secret; no issue was created' };
  const intent = { path: `${intentPrefix}${record.uid}`, body: record.id };
  await cache.save(intent);
  await client.pause();
  const labels = [...record.labels, ...(record.priority === 'medium' ? [] : [`priority:${record.priority}`])];
  const response = await client.send({ method: 'POST', path: `/repos/${repo}/issues`, body: { title: record.title, body, labels } });
  const issue = response.status < 300 ? toGithubIssue(parseJson(response.body) as SourceFields) : undefined;
  if (!issue) {
    await cache.remove([intent.path]);
    return { taskId: record.id, field: 'task', why: `GitHub did not accept it: ${readMessage(response)}` };
  }
  issues.set(issue.number, { issue, comments: [], subIssues: [], blockedBy: [] });
  await sync.write(async (ctx) => {
    const theirs = await readTheirs(ctx, repo, new Map([[issue.number, issues.get(issue.number)!]]));
    const fresh = await ctx.store.tasks.get(record.id);
    if (fresh) await linkIssue(ctx, repo, fresh, theirs.get(issue.number)!, await ctx.store.imports.getKnown(githubSource));
    await ctx.store.github.remove(repo, [intent.path]);
  });
  cache.entries.delete(intent.path);
  return undefined;
}

/** Lists the tasks that get an issue, parents first. Throws if one does not exist or has an issue. */
export async function selectNewTasks(
  { store }: MutationContext,
  repo: string,
  { ids, isAll }: { ids: TaskId[]; isAll: boolean },
): Promise<TaskRecord[]> {
  const known = await store.imports.getKnown(githubSource);
  const linkedIds = new Set([...known].flatMap(([id, { taskId }]) => (id.startsWith(`${repo}#`) ? [taskId] : [])));
  const selected = new Map<TaskId, TaskRecord>();
  for (const id of ids) {
    const record = await store.tasks.get(id);
    if (!record) throw new CleoError('E_NOT_FOUND', { id, prefix: id });
    if (!linkedIds.has(id)) selected.set(id, record);
  }
  if (isAll)
    for (const { id } of await store.tasks.listHierarchy()) {
      if (linkedIds.has(id) || selected.has(id)) continue;
      const record = await store.tasks.get(id);
      if (record && record.status !== 'done' && record.archivedAt === undefined) selected.set(id, record);
    }
  const getDepth = (record: TaskRecord | undefined): number => (record?.parentId ? 1 + getDepth(selected.get(record.parentId)) : 0);
  return [...selected.values()].sort((a, b) => getDepth(a) - getDepth(b));
}
