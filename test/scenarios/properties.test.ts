import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import { write } from '../commands.ts';
import { openHouse, type TestHouse } from '../house.ts';

const allowedParents: Record<string, (string | undefined)[]> = {
  saga: [undefined],
  epic: [undefined, 'saga'],
  task: [undefined, 'epic'],
  subtask: ['task'],
};
const isPostgres = process.env.CLEO_TEST_ENGINE === 'postgres';

test('whatever is done to tasks, the promises hold and everything can be worked off', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 8, maxLength: 30 }), async (commands) => {
      const house = await openHouse();
      for (const { operation, params, agent } of commands) {
        const { exitCode, envelope } = await house.reply(operation, params, { agent });
        expect({ exitCode, error: (envelope.error as { message?: string } | undefined)?.message }).not.toMatchObject({ exitCode: 1 });
      }
      const tasks = await allTasks(house);
      checkPlaces(tasks);
      checkStates(tasks);
      await checkClaims(house, tasks);
      expect(cannotFinish(tasks)).toEqual([]);
    }),
    { numRuns: isPostgres ? 12 : 60 },
  );
});

test('what was exported comes back the same, whatever it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 8, maxLength: 25 }), async (commands) => {
      const one = await openHouse();
      for (const { operation, params, agent } of commands) await one.call(operation, params, { agent });
      const { content, count } = await one.call('tasks.export');
      fc.pre(count > 0);
      const two = await openHouse();
      expect(await two.call('tasks.import', { content })).toMatchObject({ imported: count });
      expect((await two.call('tasks.export')).content).toBe(content);
    }),
    { numRuns: isPostgres ? 8 : 30 },
  );
});

async function allTasks(house: TestHouse): Promise<Task[]> {
  const { content } = await house.call('tasks.export');
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

async function checkClaims(house: TestHouse, tasks: Task[]): Promise<void> {
  const claims = await house.store.read((reads) => reads.claims.all());
  expect(new Set(claims.map((claim) => claim.agent)).size).toBe(claims.length);
  for (const claim of claims) expect(tasks.find((task) => task.id === claim.taskId)?.status).toBe('active');
}

/** Finishes whatever can be finished, over and over; what is left is stuck for ever. */
function cannotFinish(tasks: Task[]): string[] {
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
