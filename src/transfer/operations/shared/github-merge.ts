import type { MutationContext } from '#core/define.ts';
import type { TaskId } from '#core/model/scalars.ts';

import type { Note, TaskRecord } from '#tasks/model/task.ts';
import type { ForeignStream } from '../../model/foreign.ts';
import type { IssueState } from '../../model/github.ts';
import type { KnownImport } from '../../model/known-import.ts';
import { streamGithub } from '../../rules/github.ts';
import { toNumber } from '../../rules/github-sync/issue-changes.ts';
import { parseComment, parseIssueMarker } from '../../rules/github-sync/markers.ts';
import { settleBase } from '../../rules/github-sync/settle.ts';
import { toIssueRecord } from '../../rules/github-sync/snapshot.ts';
import { type ComparedField, diffDigests, digestRecord, digestTask, parseBase } from '../../rules/import-base.ts';
import { type NormalizedTask, normalizeTask } from '../../rules/normalize-task.ts';
import type { GithubCache } from './github-snapshot.ts';
import { splitBatches } from './write-import.ts';

export const githubSource = 'github';

export type IssueMap = Map<number, IssueState>;

/** A task with its issue, and what was changed here since both were the same. */
export interface LinkedTask {
  record: TaskRecord;
  number: number;
  changed: ReadonlySet<ComparedField>;
  newNotes: Note[];
}

export const toForeignId = (repo: string, number: number): string => `${repo}#${number}`;

const toNoteKey = ({ at, by, text }: { at?: string; by?: string; text: string }): string =>
  JSON.stringify(at && by ? [at, by, text] : [text]);

/** Creates the stream that the import reads. It is created again for each reading. */
export async function streamIssues(ctx: MutationContext, repo: string, issues: IssueMap): Promise<ForeignStream> {
  const isOwnNote = await createNoteCheck(ctx, repo, issues);
  const records = [...issues.values()].map((state) => toIssueRecord(state, isOwnNote));
  return streamGithub([{ name: repo, text: JSON.stringify(records) }]);
}

/** Checks whether a task has a note from which a comment claims to be made. */
async function createNoteCheck({ store }: MutationContext, repo: string, issues: IssueMap) {
  const known = await store.imports.getKnown(githubSource);
  const marked = [...issues.values()].flatMap(({ issue, comments }) => {
    const taskId = known.get(toForeignId(repo, issue.number))?.taskId;
    return taskId && comments.some(({ body }) => parseComment(body).note) ? [{ taskId, number: issue.number }] : [];
  });
  const notes = new Map<number, Set<string>>();
  for (const some of splitBatches(marked)) {
    const stored = await store.tasks.getNotes(some.map(({ taskId }) => taskId));
    for (const { taskId, number } of some) notes.set(number, new Set((stored.get(taskId) ?? []).map(toNoteKey)));
  }
  return (number: number, note: { at: string; by: string; text: string }): boolean => notes.get(number)?.has(toNoteKey(note)) === true;
}

/** Reads the tasks that the issues would be imported as, by their numbers. */
export async function readTheirs(ctx: MutationContext, repo: string, issues: IssueMap): Promise<Map<number, NormalizedTask>> {
  const stream = await streamIssues(ctx, repo, issues);
  const tasks = new Map<number, NormalizedTask>();
  for (const task of stream.tasks) tasks.set(toNumber(task.id), normalizeTask(githubSource, task, []));
  return tasks;
}

/** Links the issues that an interrupted sync has created to their tasks. Only a task that this store was about to write counts, because
 *  anyone can copy a marker. */
export async function linkCreatedIssues(ctx: MutationContext, repo: string, issues: IssueMap, cache: GithubCache): Promise<void> {
  const { store } = ctx;
  const intents = [...cache.entries.values()].flatMap(({ path, body }) => (path.startsWith(intentPrefix) ? [{ path, taskId: body }] : []));
  if (intents.length === 0) return;
  const known = await store.imports.getKnown(githubSource);
  const theirs = await readTheirs(ctx, repo, issues);
  for (const { path, taskId } of intents) {
    const uid = path.slice(intentPrefix.length);
    const record = await store.tasks.get(taskId);
    const numbers = [...issues.values()].flatMap(({ issue }) => (parseIssueMarker(issue.body) === uid ? [issue.number] : []));
    const number = numbers.sort((a, b) => a - b).find((one) => !known.has(toForeignId(repo, one)));
    const isLinked = numbers.some((one) => known.get(toForeignId(repo, one))?.taskId === taskId);
    if (number !== undefined && !isLinked && record?.uid === uid) await linkIssue(ctx, repo, record, theirs.get(number)!, known);
    if (number !== undefined || isLinked || !record) await store.github.remove(repo, [path]);
  }
}

export const intentPrefix = 'push/';

/** Stores that a task has this issue. Nothing counts as written to it yet. */
export async function linkIssue(
  { store, now }: MutationContext,
  repo: string,
  record: TaskRecord,
  theirs: NormalizedTask,
  known: Map<string, KnownImport>,
): Promise<void> {
  const aliases = record.aliases ?? [];
  await store.tasks.save(record, { ...record, aliases: [...aliases, { tool: githubSource, id: theirs.id }] }, `linked to ${theirs.id}`);
  const digest = digestTask(theirs, (id) => id.startsWith(`${repo}#`) || known.has(id));
  const base = { theirs: digest, ours: '?', updatedAt: theirs.updatedAt };
  await store.imports.save(githubSource, [{ foreignId: theirs.id, taskId: record.id, base: JSON.stringify(base) }], now);
}

/** Remembers the comments that were read. A note that came from a comment is not written to GitHub, also after the comment was edited or
 *  deleted there. */
export async function rememberComments(
  { store }: MutationContext,
  repo: string,
  cache: GithubCache,
  theirs: Map<number, NormalizedTask>,
): Promise<Map<number, Set<string>>> {
  const known = new Map<number, Set<string>>();
  const entries: { path: string; body: string }[] = [];
  for (const [number, { notes }] of theirs) {
    const path = `notes/${number}`;
    const earlier = cache.entries.get(path)?.body;
    const keys = new Set([...(earlier === undefined ? [] : (JSON.parse(earlier) as string[])), ...notes.map(toNoteKey)]);
    known.set(number, keys);
    const body = JSON.stringify([...keys]);
    if (keys.size > 0 && body !== earlier) entries.push({ path, body });
  }
  await store.github.save(repo, entries);
  return known;
}

/** Lists the tasks that were changed here since they and their issues were the same. */
export async function listLinkedTasks(
  { store }: MutationContext,
  repo: string,
  issues: IssueMap,
  knownNotes: Map<number, Set<string>>,
): Promise<LinkedTask[]> {
  const linked = [...(await store.imports.getKnown(githubSource))].flatMap(([id, { taskId, base, current }]) => {
    const number = toNumber(id);
    if (id !== toForeignId(repo, number) || !issues.has(number) || !current || base === undefined) return [];
    const { revision, ours } = parseBase(base);
    return ours === undefined ? [] : [{ taskId, number, ours, isUntouched: revision === current.revision }];
  });
  const tasks: LinkedTask[] = [];
  for (const some of splitBatches(linked)) {
    // A sync that was killed after it had changed an issue, but before it wrote the notes, leaves no other trace than the notes.
    const notes = await store.tasks.getNotes(some.map(({ taskId }) => taskId));
    const pending = some.flatMap((entry) => {
      const seen = knownNotes.get(entry.number) ?? new Set();
      const newNotes = (notes.get(entry.taskId) ?? []).filter(
        (note) => !seen.has(toNoteKey(note)) && !seen.has(JSON.stringify([note.text])),
      );
      return entry.isUntouched && newNotes.length === 0 ? [] : [{ ...entry, newNotes }];
    });
    const records = new Map((await store.tasks.getMany(pending.map(({ taskId }) => taskId))).map((record) => [record.id, record]));
    for (const { taskId, number, ours, newNotes } of pending) {
      const record = records.get(taskId);
      if (record) tasks.push({ record, number, changed: diffDigests(ours, digestRecord(record)), newNotes });
    }
  }
  return tasks.sort((a, b) => a.number - b.number);
}

/** Stores for issues and their tasks what is the same on both sides now. */
export async function settleIssues(ctx: MutationContext, repo: string, issues: IssueMap, numbers: number[]): Promise<void> {
  if (numbers.length === 0) return;
  const { store, now } = ctx;
  const known = await store.imports.getKnown(githubSource);
  const theirs = await readTheirs(ctx, repo, issues);
  const findTask = (id: string): TaskId | undefined => known.get(id)?.taskId;
  const isImported = (id: string): boolean => issues.has(toNumber(id)) || known.has(id);
  for (const number of numbers) {
    const task = theirs.get(number);
    const entry = known.get(toForeignId(repo, number));
    const record = entry && (await store.tasks.get(entry.taskId));
    if (!task || !entry || !record) continue;
    const parent = task.parent === undefined ? undefined : findTask(task.parent);
    const base = settleBase({
      record,
      theirs: task,
      digest: digestTask(task, isImported),
      parent,
      depends: task.depends.flatMap((id) => findTask(id) ?? []),
      ...(entry.base === undefined ? {} : { earlier: parseBase(entry.base) }),
    });
    await store.imports.save(githubSource, [{ foreignId: task.id, taskId: record.id, base: JSON.stringify(base) }], now);
  }
}
