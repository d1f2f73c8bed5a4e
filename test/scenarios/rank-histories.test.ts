import { expect, test } from 'vitest';
import type { Claim } from '../../src/core/model/audit.ts';
import type { TaskId } from '../../src/core/model/scalars.ts';
import { formatLocalDay } from '../../src/lib/iso-time.ts';
import type { ReadStore } from '../../src/store/port/store.ts';
import type { OpenWork } from '../../src/tasks/model/open-work.ts';
import { findStaleRanks } from '../../src/tasks/rules/all-ranks.ts';
import { isForCaller } from '../../src/tasks/rules/assignee.ts';
import { formatHolder, isExpired } from '../../src/tasks/rules/claims.ts';
import { findSharedFiles, groupFilesByTask } from '../../src/tasks/rules/file-conflicts.ts';
import { rankTasks, selectReadyTasks } from '../../src/tasks/rules/next.ts';
import { type Json, openApp, type TestApp } from '../app.ts';
import { type Choices, createChoices, pickSeed } from '../random.ts';

const isFull = process.env.CLEO_FAULTS === 'full';
const seed = pickSeed(isFull);
const writes = isFull ? 10_000 : 350;
const agents = ['ada', 'bob', 'eve'];
const start = Date.UTC(2026, 0, 10, 12);
const ttlMinutes = 60;

/** A session that limits its agent to a task, or gives points to a phase. */
interface TestSession {
  agent: string;
  id: string;
  root?: string | undefined;
  phase?: string | undefined;
}

test(`ranks and answers equal those of a full computation, seed ${seed}`, { timeout: 3_600_000 }, async () => {
  const clock = { now: new Date(start).toISOString() };
  const app = await openApp({ clock, config: { claims: { ttlMinutes, silentMinutes: 30 }, hierarchy: { maxSiblings: 0 } } });
  const choices = createChoices(seed);
  const sessions: TestSession[] = [];
  let ids: string[] = [];
  for (let i = 0; i < writes; i++) {
    clock.now = new Date(start + i * 90_000 + (choices.chance(0.02) ? 7_200_000 : 0)).toISOString();
    const agent = choices.pick(agents);
    const session = sessions.find((one) => one.agent === agent);
    const [operation, params] = createWrite(choices, ids);
    const isSessionCall = choices.chance(0.03);
    if (isSessionCall && session) {
      await app.as(agent).call('session.end', { note: 'Over', session: session.id });
      sessions.splice(sessions.indexOf(session), 1);
    } else if (isSessionCall) sessions.push(...(await startSession(app, choices, agent, ids)));
    else await app.as(agent).call(operation, params);
    if (i % 7 !== 0 && i < writes - 1) continue;
    ids = await app.store.read(async ({ tasks }) => (await tasks.listHierarchy()).map(({ id }) => id));
    const stale = await app.store.read(async ({ ranks, tasks }) => findStaleRanks(await ranks.listAll(), await tasks.getOpenGraph()));
    expect({ i, operation, params, stale }).toEqual({ i, operation, params, stale: [] });
    await compareAnswers(app, choices, clock.now, ids, sessions);
  }
});

async function startSession(app: TestApp, choices: Choices, agent: string, ids: string[]): Promise<TestSession[]> {
  const root = choices.chance(0.5) && ids.length > 0 ? choices.pick(ids) : undefined;
  const { task } = root ? await app.call('tasks.show', { taskId: root }) : { task: undefined };
  const scope = task === undefined ? 'global' : `${task.type === 'subtask' ? 'task' : task.type}:${root}`;
  const phase = choices.chance(0.5) ? choices.pick(phases) : undefined;
  const answer = await app.as(agent).call('session.start', { scope, ...(phase ? { phase } : {}), name: agent });
  return answer.success ? [{ agent, id: answer.session.id, root: task && root, phase }] : [];
}

const phases = ['core', 'test'];
const priorities = ['critical', 'high', 'medium', 'low'];
const sizes = ['small', 'medium', 'large'];

/** Creates a write with ids that may not fit, so that it may be rejected. */
function createWrite(choices: Choices, ids: string[]): [string, Record<string, unknown>] {
  const { pick, chance, below } = choices;
  const id = (): string => (ids.length === 0 ? 'T001' : pick(ids));
  const some = (max: number): string[] => Array.from({ length: below(max + 1) }, id);
  const fields = (): Record<string, unknown> => ({
    ...(chance(0.6) ? { priority: pick(priorities) } : {}),
    ...(chance(0.3) ? { size: pick(sizes) } : {}),
    ...(chance(0.2) ? { phase: pick(phases) } : {}),
    ...(chance(0.15) ? { assignee: pick([...agents, 'nobody', 'none']) } : {}),
    ...(chance(0.2) ? { due: pick(['2026-01-09', '2026-01-10', '2026-01-12', '2026-02-01', '2026-06-01']) } : {}),
    ...(chance(0.15) ? { files: [pick(['src/a.ts', 'src/b.ts', 'src', 'docs/*.md', 'docs/c.md'])] } : {}),
  });
  const entry = (): Record<string, unknown> => ({
    title: `Part ${below(1000)}`,
    ...(chance(0.65) ? { parent: id() } : { type: pick(['saga', 'epic', 'task', 'task']) }),
    ...(chance(0.25) ? { depends: some(2) } : {}),
    ...fields(),
  });
  const kinds: [number, () => [string, Record<string, unknown>]][] = [
    [26, () => ['tasks.add', entry()]],
    [
      3,
      () => [
        'tasks.add-batch',
        {
          tasks: [
            { ...entry(), ref: 'a' },
            { ...entry(), parent: 'a', type: undefined },
            { ...entry(), depends: ['a'] },
          ],
        },
      ],
    ],
    [10, () => ['tasks.update', { taskId: id(), ...fields() }]],
    [4, () => ['tasks.update', { taskId: id(), parent: pick([id(), 'none']) }]],
    [5, () => ['tasks.update', { taskId: id(), ...(chance(0.6) ? { addDepends: some(2) } : { removeDepends: some(2) }) }]],
    [4, () => ['tasks.update', { taskId: id(), ...(chance(0.4) ? { blockedBy: 'a key' } : { clearBlockedBy: true }) }]],
    [2, () => ['tasks.update', { taskId: id(), type: pick(['saga', 'epic', 'task', 'subtask']) }]],
    [8, () => ['tasks.start', { taskId: id() }]],
    [6, () => ['tasks.claim-next', chance(0.3) ? { epic: id() } : {}]],
    [4, () => ['tasks.stop', { taskId: id() }]],
    [12, () => ['tasks.complete', { taskId: id() }]],
    [3, () => ['tasks.cancel', { taskId: id(), reason: 'Not needed', ...(chance(0.3) ? { cascade: true } : {}) }]],
    [4, () => ['tasks.reopen', { taskId: id() }]],
    [2, () => ['tasks.archive', chance(0.5) ? { taskId: id() } : {}]],
    [4, () => ['tasks.delete', { taskId: id(), ...(chance(0.4) ? { cascade: true } : {}), ...(chance(0.6) ? { orphan: true } : {}) }]],
    [
      3,
      () => [
        'tasks.restore',
        { taskId: `T${String(1 + below(ids.length + 5)).padStart(3, '0')}`, ...(chance(0.5) ? { cascade: true } : {}) },
      ],
    ],
    [2, () => ['admin.undo', {}]],
  ];
  let at = below(kinds.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, create] of kinds) {
    if (at < weight) return create();
    at -= weight;
  }
  throw new Error('no kind of write');
}

async function compareAnswers(app: TestApp, { pick, chance }: Choices, now: string, ids: string[], sessions: TestSession[]): Promise<void> {
  const agent = pick(agents);
  const epic = chance(0.4) && ids.length > 0 ? pick(ids) : undefined;
  const count = pick([1, 3, 20]);
  const isForAny = chance(0.2);
  const params = { ...(epic ? { epic } : {}), ...(isForAny ? { any: true } : {}) };
  const session = sessions.find((one) => one.agent === agent);
  const { work, full, ready } = await app.store.read((store) => computeFully(store, { agent, session, epic, isForAny, now }));
  const next = await app.as(agent).call('tasks.next', { ...params, count });
  expect(next.success, JSON.stringify(next)).toBe(true);
  const answer = [next.recommendation, ...next.alternatives].filter((one: Json) => one.taskId).map(({ title: _, ...one }: Json) => one);
  expect({ params, session, answer }).toEqual({ params, session, answer: full.slice(0, count) });
  const readyAnswer = await app.as(agent).call('orchestrate.ready', { ...params, limit: pick([2, 50]) });
  const shown = readyAnswer.tasks.map(({ id }: Json) => id);
  expect({ params, session, shown }).toEqual({ params, session, shown: ready.slice(0, shown.length) });
  expect(readyAnswer._meta.truncated?.total ?? shown.length).toBe(ready.length);
  expect(work.tasks.length).toBeLessThanOrEqual(ids.length);
}

interface FullOptions {
  agent: string;
  session: TestSession | undefined;
  epic: string | undefined;
  isForAny: boolean;
  now: string;
}

/** Computes the answers of `next` and `ready` from all open work. */
async function computeFully(store: ReadStore, { agent, session, epic, isForAny, now }: FullOptions) {
  const work = await store.tasks.getOpenGraph();
  const leaseTime = await store.claims.getLeaseTime(now);
  const isLapsed = (claim: Claim): boolean => isExpired(claim, leaseTime, ttlMinutes);
  const others = work.claims.filter((claim) => claim.agent !== agent && !isLapsed(claim));
  const options = {
    isLapsed,
    within: epic ?? session?.root,
    caller: { agent, ...(session ? { session: session.id } : {}) },
    reserved: isForAny ? new Set<TaskId>() : await findReserved(store, work, agent),
    today: formatLocalDay(now),
  };
  const conflicts = await findConflicts(store, others);
  return {
    work,
    full: rankTasks(work, { ...options, phase: session?.phase, conflicts }, 1_000_000),
    ready: selectReadyTasks(work, options).map(({ id }) => id),
  };
}

async function findReserved(store: ReadStore, { planned = [] }: OpenWork, agent: string): Promise<Set<TaskId>> {
  const known = await store.audit.findKnownNames(agents);
  const isReserved = (assignee: string): boolean => known.includes(assignee) && !isForCaller(assignee, [agent]);
  return new Set(planned.filter(({ assignee }) => assignee !== undefined && isReserved(assignee)).map(({ taskId }) => taskId));
}

async function findConflicts(store: ReadStore, others: Claim[]): Promise<Map<TaskId, string>> {
  const claimed = (await store.tasks.getMany(others.map(({ taskId }) => taskId))).filter(({ files }) => files.length > 0);
  const files = groupFilesByTask(await store.tasks.listFilesInSubtree(undefined));
  const shared = findSharedFiles(files, new Map(claimed.map((task) => [task.id, task.files])));
  const holders = new Map(others.map((claim) => [claim.taskId, formatHolder(claim)]));
  return new Map([...shared].map(([id, { file, taskId }]) => [id, `${file} is changed by ${taskId}, held by ${holders.get(taskId)}`]));
}
