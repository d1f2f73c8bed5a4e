import { expect, onTestFinished, test } from 'vitest';
import { dispatch } from '../../../../src/dispatch/dispatch.ts';
import { createApp } from '../../../../src/main.ts';
import { createPlatform } from '../../../../src/platform/platform.ts';
import type { Json, TestApp } from '../../../../test/app.ts';
import { exportPlan, mergeFiles, openReplica } from '../../../../test/plan-replicas.ts';
import { createRandom } from '../../../../test/random.ts';

type Random = ReturnType<typeof createRandom>;

const pick = <T>(random: Random, items: T[]): T | undefined => items[Math.floor(random() * items.length)];

/** Makes one random change. Errors are expected: a random move may break a rule. */
async function changeAtRandom(app: TestApp, random: Random, step: number): Promise<string[]> {
  const { tasks } = (await app.call('tasks.list', { limit: 500 })) as { tasks: Json[] };
  const [one, other] = [pick(random, tasks)?.id, pick(random, tasks)?.id];
  const text = `text ${step} ${Math.floor(random() * 1e9).toString(36)}`;
  const kind = Math.floor(random() * 12);
  const call = async (operation: string, params: Json): Promise<boolean> => (await app.call(operation, params)).success;
  if (one === undefined || kind <= 1)
    return (await call('tasks.add', { title: text, ...(one && random() < 0.5 ? { parent: one } : {}) })) ? [text] : [];
  if (kind === 2) return (await call('tasks.update', { taskId: one, description: text })) ? [text] : [];
  if (kind === 3) return (await call('tasks.update', { taskId: one, notes: text })) ? [text] : [];
  if (kind === 4) await call('tasks.update', { taskId: one, addDepends: [other] });
  if (kind === 5)
    await call('tasks.update', { taskId: one, priority: pick(random, ['low', 'high']), labels: [pick(random, ['x', 'y', 'z'])] });
  if (kind === 6) await call('tasks.complete', { taskId: one });
  if (kind === 7) await call('tasks.start', { taskId: one });
  if (kind === 8) await call('tasks.update', { taskId: one, parent: other });
  if (kind === 9) await call('tasks.relates.add', { from: one, to: other, type: 'related', reason: text });
  if (kind === 10 && random() < 0.3) await call('tasks.delete', { taskId: one, orphan: true });
  if (kind === 11) await call('tasks.update', { taskId: one, acceptance: [text] });
  return [];
}

/** Calls without the checks of the test project, which follow the fix of every error: random moves make hundreds of them. */
function callPlainly(app: TestApp): TestApp['call'] {
  const plain = createApp(createPlatform(app.env, app.root, '0.0.0-test'));
  onTestFinished(() => plain.closeStores());
  return async (operation, params = {}) => {
    const { envelope, unexpected } = await dispatch(plain, { operation, params, gateway: 'cli' });
    if (unexpected) throw unexpected;
    return envelope;
  };
}

const count = Number(process.env.CLEO_TEST_HISTORIES ?? 3);

test.each(Array.from({ length: count }, (_, i) => i + 1))(
  'random history %i: all clones have the same tasks, and no rule is broken',
  async (seed) => {
    const random = createRandom(seed);
    const apps: TestApp[] = [];
    for (const number of [1, 2, 3]) {
      const app = await openReplica(number, number === 1 ? { tasks: ['T001 epic', 'T002 in T001', 'T003'] } : {});
      apps.push({ ...app, call: callPlainly(app) });
    }
    const [first] = apps as [TestApp];
    await first.call('sync.run');
    for (const app of apps.slice(1)) mergeFiles(first, app);
    for (let step = 0; step < 40; step++) {
      const app = pick(random, apps)!;
      await changeAtRandom(app, random, step);
      if (random() < 0.15) await app.call('sync.run');
      if (random() < 0.15) {
        const other = pick(
          random,
          apps.filter((each) => each !== app),
        )!;
        await other.call('sync.run');
        mergeFiles(other, app);
        expect(await app.call('sync.run')).toMatchObject({ success: true });
      }
    }
    for (let round = 0; round < 2; round++)
      for (const app of apps) {
        expect(await app.call('sync.run')).toMatchObject({ success: true });
        for (const other of apps) if (other !== app) mergeFiles(app, other);
      }
    for (const app of apps) expect(await app.call('sync.run')).toMatchObject({ success: true });
    const [one, two, three] = await Promise.all(apps.map(exportPlan));
    expect(two).toEqual(one);
    expect(three).toEqual(one);
    for (const app of apps) {
      expect((await app.reply('sync.run')).exitCode).toBe(102);
      const { findings } = (await app.call('admin.doctor')) as { findings: Json[] };
      expect(findings.filter(({ check }) => check === 'tasks' || check === 'store')).toEqual([]);
    }
  },
);
