import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditDraft } from '../src/core/model/audit.ts';
import { type Priority, toTaskId } from '../src/core/model/scalars.ts';
import { toUid } from '../src/core/rules/uid.ts';
import { formatMemoryId, type MemoryRecord, memoryTypes } from '../src/memory/model/memory.ts';
import { hashMemory } from '../src/memory/rules/memory-view.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { openSqlite } from '../src/store/dialects/sqlite.ts';
import { createSqlite } from '../src/store/dialects/sqlite-schema.ts';
import type { Store } from '../src/store/port/store.ts';
import type { Note, TaskRecord } from '../src/tasks/model/task.ts';

/** Trusts a project as its user does with `cleo trust` at a terminal. */
export async function trustProject(folder: string, home: string): Promise<void> {
  const platform = createPlatform({ CLEO_HOME: home }, folder, '0.0.0-bench');
  await (await platform.loadTrust()).trustAll(platform.getProject()!);
}

const at = '2026-01-01T00:00:00.000Z';
const transactionSize = 5000;
/** One epic and its seven tasks. */
const groupSize = 8;

/** The session of all entries that `fillLog` writes. */
export const loggedSession = 'session-bench';

/** Creates a project whose log has `count` entries of one session. The agent searches, adds, works, and sometimes asks for a missing
 *  task. */
export async function fillLog(root: string, count: number): Promise<void> {
  mkdirSync(join(root, '.cleo'), { recursive: true });
  const path = join(root, '.cleo', 'cleo.db');
  await createSqlite(path, at);
  const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined });
  for (let first = 1; first <= count; first += transactionSize)
    await store.write({ at, by: 'bench' }, async ({ audit }) => {
      for (let seq = first; seq < first + transactionSize && seq <= count; seq++) await audit.append(createEntry(seq, count));
    });
  await store.close();
}

const round = ['find', 'show', 'exists', 'add', 'start', 'update', 'complete', 'next', 'show', 'list'];

function createEntry(seq: number, count: number): AuditDraft {
  const name = seq === 1 ? 'session.list' : seq === count ? 'session.end' : `tasks.${round[seq % round.length]}`;
  const [domain = '', operation = ''] = name.split('.');
  const isAdd = name === 'tasks.add';
  const isMissing = name === 'tasks.show' && seq % 50 === 1;
  return {
    timestamp: at,
    session: loggedSession,
    agent: 'bench',
    gateway: seq % 2 ? 'cleo_query' : 'cli',
    domain,
    operation,
    params: JSON.stringify(
      isAdd
        ? { title: `Part ${seq} of it`, description: 'What it is about, in a few words', ...(seq % 3 ? {} : { parent: 'T001' }) }
        : { taskId: toTaskId(seq % 1000) },
    ),
    success: !isMissing,
    exitCode: isMissing ? 4 : 0,
    ...(isMissing ? { errorCode: 'E_NOT_FOUND' } : {}),
    created: isAdd ? [toTaskId(seq)] : [],
    updated: [],
    deleted: [],
    durationMs: 2,
  };
}

/** Creates a project of `count` tasks in groups of an epic and seven tasks; the newest `open` of them are open. Exactly one task
 *  contains the word `quokka`. */
export async function fill(root: string, count: number, open: number): Promise<void> {
  mkdirSync(join(root, '.cleo'), { recursive: true });
  const path = join(root, '.cleo', 'cleo.db');
  await createSqlite(path, at);
  const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined });
  await fillStore(store, count, open);
  await store.close();
}

/** Adds the tasks of `fill` to an empty store. */
export async function fillStore(store: Store, count: number, open: number): Promise<void> {
  const random = createRandom(count);
  for (let first = 1; first <= count; first += transactionSize) {
    const tasks: { task: TaskRecord; notes: Note[] }[] = [];
    for (let seq = first; seq < first + transactionSize && seq <= count; seq++) tasks.push(createTask(seq, count, open, random));
    await store.write({ at, by: 'bench' }, async (writes) => {
      await writes.tasks.insertMany(tasks);
      await writes.tasks.reserveIds(toTaskId(Math.min(first + transactionSize - 1, count)));
    });
  }
}

/** Creates a project with `count` memory entries, a quarter of each type. Exactly one contains the word `quokka`. */
export async function fillMemory(root: string, count: number): Promise<void> {
  mkdirSync(join(root, '.cleo'), { recursive: true });
  const path = join(root, '.cleo', 'cleo.db');
  await createSqlite(path, at);
  const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined });
  const random = createRandom(count);
  for (let first = 1; first <= count; first += transactionSize) {
    const entries = Array.from({ length: Math.min(transactionSize, count - first + 1) }, (_, i) => createMemory(first + i, count, random));
    await store.write({ at, by: 'bench' }, ({ memory }) => memory.insertMany(entries));
  }
  await store.close();
}

function createMemory(seq: number, count: number, random: () => number): MemoryRecord {
  const words = (many: number): string => createWords(many, random);
  const type = memoryTypes[seq % 4]!;
  const content = `${words(30)} ${seq}`;
  return {
    id: formatMemoryId(type, Math.ceil(seq / 4)),
    type,
    title: `${words(6)}${seq === Math.floor(count / 2) ? ' quokka' : ''}`,
    content,
    digest: hashMemory(type, content),
    state: seq % 3 ? 'proposed' : 'accepted',
    agentId: 'bench',
    createdAt: at,
    tags: [`area:${seq % 12}`],
    tasks: [],
  };
}

/** The saga that `fillPlan` creates. */
export const plannedSaga = 'T001';

/** Creates a project with one saga: epics of a hundred tasks, each of which depends on `each` earlier tasks, mostly recent ones. */
export async function fillPlan(root: string, count: number, each: number): Promise<void> {
  mkdirSync(join(root, '.cleo'), { recursive: true });
  const path = join(root, '.cleo', 'cleo.db');
  await createSqlite(path, at);
  const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 1000, durability: 'normal', newestBackup: () => undefined });
  const random = createRandom(count);
  const tasks: TaskRecord[] = [createPlanTask(1, 'saga')];
  const work: string[] = [];
  while (work.length < count) {
    const epic = createPlanTask(tasks.length + 1, 'epic', plannedSaga);
    tasks.push(epic);
    for (let i = 0; i < 100 && work.length < count; i++) {
      const depends = new Set<string>();
      // The first tasks have too few predecessors; the next ones make up for it.
      const wanted = Math.min(work.length, each + (work.length <= 2 * each ? 1 : 0));
      while (depends.size < wanted) depends.add(work[Math.floor(work.length * Math.sqrt(random()))]!);
      const task = {
        ...createPlanTask(tasks.length + 1, 'task', epic.id),
        priority: priorities[Math.floor(random() * 4)]!,
        depends: [...depends],
      };
      tasks.push({ ...task, files: [`src/part-${tasks.length % 200}/file-${tasks.length % 17}.ts`] });
      work.push(task.id);
    }
  }
  for (let first = 0; first < tasks.length; first += transactionSize)
    await store.write({ at, by: 'bench' }, async (writes) => {
      await writes.tasks.insertMany(tasks.slice(first, first + transactionSize).map((task) => ({ task, notes: [] })));
      await writes.tasks.reserveIds(toTaskId(Math.min(first + transactionSize, tasks.length)));
    });
  await store.close();
}

const createPlanTask = (seq: number, type: TaskRecord['type'], parentId?: string): TaskRecord => ({
  id: toTaskId(seq),
  type,
  title: `Part ${seq} of the plan, with a title as long as they are`,
  status: 'pending',
  priority: 'medium',
  ...(parentId ? { parentId } : {}),
  labels: [],
  depends: [],
  acceptance: [],
  files: [],
  uid: toUid(at, seq.toString(16)),
  createdAt: at,
  createdBy: 'bench',
  updatedAt: at,
  revision: 1,
});

function createTask(seq: number, count: number, open: number, random: () => number): { task: TaskRecord; notes: Note[] } {
  const place = (seq - 1) % groupSize;
  // A group is open or done as a whole, so that no open task is in a done epic.
  const isOpen = seq - place > count - open;
  const words = (many: number): string => createWords(many, random);
  const task: TaskRecord = {
    id: toTaskId(seq),
    type: place === 0 ? 'epic' : 'task',
    title: `${words(5)}${seq === Math.floor(count / 2) ? ' quokka' : ''}`,
    description: words(25),
    status: isOpen ? 'pending' : 'done',
    priority: priorities[Math.floor(random() * 4)]!,
    ...(place === 0 ? {} : { parentId: toTaskId(seq - place) }),
    labels: [`area:${seq % 12}`, `team-${seq % 5}`],
    depends: place > 1 && place % 3 === 0 ? [toTaskId(seq - 1)] : [],
    acceptance: place === 0 ? [] : [{ kind: 'text', text: words(8) }],
    files: place === 0 ? [] : [`src/part-${seq % 200}/file-${seq % 17}.ts`],
    uid: toUid(at, seq.toString(16)),
    createdAt: at,
    createdBy: 'bench',
    updatedAt: at,
    ...(isOpen ? {} : { startedAt: at, completedAt: at, resolution: 'done' as const }),
    revision: 1,
  };
  return { task, notes: seq % 10 === 0 ? [{ at, by: 'bench', text: words(15) }] : [] };
}

const priorities: Priority[] = ['critical', 'high', 'medium', 'low'];
const syllables = ['ba', 'cor', 'del', 'fi', 'gra', 'ho', 'jin', 'kel', 'lo', 'mar', 'nes', 'pol', 'ri', 'sta', 'tu', 'ver'];
const vocabulary = syllables.flatMap((a) => syllables.flatMap((b) => syllables.slice(0, 12).map((c) => `${a}${b}${c}`)));

const createWords = (many: number, random: () => number): string =>
  Array.from({ length: many }, () => vocabulary[Math.floor(random() * vocabulary.length)]).join(' ');

/** Creates a random generator with a fixed seed, so that every run creates the same store. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
