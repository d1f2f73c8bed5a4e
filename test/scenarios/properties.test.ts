import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '../../src/dispatch/dispatch.ts';
import type { Task } from '../../src/tasks/model/task.ts';
import { areScopesOverlapping } from '../../src/tasks/rules/scope.ts';
import { type Json, openApp, type TestApp } from '../app.ts';
import { type Command, fillInSessions, sessionWrite, startOperations, taskTree, write } from '../commands.ts';

const allowedParents: Record<string, (string | undefined)[]> = {
  saga: [undefined],
  epic: [undefined, 'saga'],
  task: [undefined, 'epic'],
  subtask: ['task'],
};
const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';
const times = process.env.CLEO_FAULTS === 'full' ? 40 : 1;

test('random task commands keep the invariants, and all tasks can be completed', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 8, maxLength: 30 }), async (commands) => {
      const app = await openApp();
      await runCommands(app, commands);
      const tasks = await listTasks(app);
      checkPlaces(tasks);
      checkStates(tasks);
      await checkClaims(app, tasks);
      expect(findStuckTasks(tasks)).toEqual([]);
      await app.close();
    }),
    { numRuns: (isPostgres ? 10 : 30) * times },
  );
});

test('random session commands keep scopes disjoint, and ended sessions hold no claims', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(sessionWrite, { minLength: 15, maxLength: 30 }), async (commands) => {
      const app = await openApp({ tasks: taskTree });
      await runCommands(app, commands, async ({ operation, agent }, { exitCode, envelope }) => {
        const { session, left } = envelope as Json;
        if (operation === 'session.end' && exitCode === 0) await checkEnded(app, session.id, agent, left);
        await checkSessions(app);
      });
      await checkClaims(app, await listTasks(app), commands);
      await app.close();
    }),
    { numRuns: (isPostgres ? 10 : 30) * times },
  );
});

test('export and import return the same tasks', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 8, maxLength: 25 }), async (commands) => {
      const one = await openApp();
      await runCommands(one, commands);
      const { content, count } = await one.call('tasks.export');
      fc.pre(count > 0);
      const two = await openApp();
      expect(await two.call('tasks.import', { content })).toMatchObject({ imported: count });
      expect((await two.call('tasks.export')).content).toBe(content);
      await one.close();
      await two.close();
    }),
    { numRuns: (isPostgres ? 6 : 15) * times },
  );
});

async function runCommands(app: TestApp, commands: Command[], look?: (command: Command, reply: Reply) => Promise<void>): Promise<void> {
  const started: string[] = [];
  for (const command of commands) {
    const reply = await app.reply(...fillInSessions(command, started));
    const { error, session } = reply.envelope as Json;
    expect({ command, exitCode: reply.exitCode, error: error?.message }).not.toMatchObject({ exitCode: 1 });
    if (reply.exitCode === 0 && startOperations.includes(command.operation)) started.push(session.id);
    await look?.(command, reply);
  }
}

async function listTasks(app: TestApp): Promise<Task[]> {
  const { content } = await app.call('tasks.export');
  return content
    .split('\n')
    .filter(Boolean)
    .map((line: string) => JSON.parse(line));
}

function checkPlaces(tasks: Task[]): void {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  for (const task of tasks) {
    expect(allowedParents[task.type]).toContain(task.parentId && byId.get(task.parentId)?.type);
    const open = tasks.filter((child) => child.parentId === task.id && child.status !== 'done');
    if (task.type !== 'saga') expect(open.length).toBeLessThanOrEqual(7);
    for (const on of task.depends ?? []) expect(byId.has(on)).toBe(true);
  }
}

function checkStates(tasks: Task[]): void {
  for (const task of tasks) {
    if (task.status === 'done') expect(tasks.filter((child) => child.parentId === task.id && child.status !== 'done')).toEqual([]);
    expect(task.completedAt !== undefined).toBe(task.status === 'done');
    if (task.archivedAt) expect(task.status).toBe('done');
    if (task.blockedBy) expect(task.status).toBe('blocked');
    expect(task.updatedAt >= task.createdAt).toBe(true);
  }
}

/** Checks that each agent has at most one claim in a session. One that resumes a session may hold a task from outside as well. */
async function checkClaims(app: TestApp, tasks: Task[], commands: Command[] = []): Promise<void> {
  const claims = await app.store.read((reads) => reads.claims.list());
  const hasResumed = commands.some(({ operation }) => operation === 'session.resume');
  const holders = claims.map(({ agent, session, focusedAt }) => `${agent} ${session} ${hasResumed ? focusedAt : ''}`);
  expect(new Set(holders).size).toBe(claims.length);
  for (const claim of claims) expect(tasks.find((task) => task.id === claim.taskId)?.status).toBe('active');
}

/** Checks that active sessions have disjoint scopes, and that claims are in the scope of their session. */
async function checkSessions({ store }: TestApp): Promise<void> {
  await store.read(async ({ sessions, claims, tasks }) => {
    const above = async (root: string | undefined) => (root === undefined ? [] : tasks.getAncestry(root));
    const active = await sessions.listActive();
    expect(new Set(active.map(({ scope }) => `${scope.kind}:${scope.root}`)).size).toBe(active.length);
    for (const [i, one] of active.entries())
      for (const other of active.slice(i + 1))
        expect([
          one,
          other,
          areScopesOverlapping(one.scope, await above(one.scope.root), other.scope, await above(other.scope.root)),
        ]).toEqual([one, other, false]);
    for (const claim of (await claims.list()).filter(({ session }) => session !== undefined)) {
      const session = await sessions.get(claim.session!);
      expect(['active', 'suspended']).toContain(session?.status);
      const root = session?.scope.root;
      if (root !== undefined)
        expect([claim, (await above(claim.taskId)).map(({ id }) => id)]).toEqual([claim, expect.arrayContaining([root])]);
    }
  });
}

async function checkEnded(app: TestApp, session: string, agent: string, left = false): Promise<void> {
  const claims = await app.store.read((reads) => reads.claims.listForSession(session));
  expect(claims.filter((claim) => !left || claim.agent === agent)).toEqual([]);
  expect(await app.reply('session.end', {}, { session, agent })).toMatchObject({ exitCode: 102 });
}

/** Completes tasks repeatedly; returns the ids of tasks that can never be completed. */
function findStuckTasks(tasks: Task[]): string[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const isDone = new Set<string>();
  const waits = (task: Task): string[] => {
    const own = task.depends ?? [];
    const parent = task.parentId ? byId.get(task.parentId) : undefined;
    return parent ? [...own, ...waits(parent)] : own;
  };
  for (let before = -1; before !== isDone.size; ) {
    before = isDone.size;
    for (const task of tasks) {
      const children = tasks.filter((child) => child.parentId === task.id);
      if (waits(task).every((on) => isDone.has(on)) && children.every((child) => isDone.has(child.id))) isDone.add(task.id);
    }
  }
  return tasks.filter((task) => !isDone.has(task.id)).map((task) => task.id);
}
