import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPlatform } from '#platform/platform.ts';
import { asPerson, openApp } from '../../../../test/app.ts';
import { createReviewRequest, writeReviews, writeRun } from '../../../../test/run-files.ts';
import { openSkillProject } from '../../../../test/skill-project.ts';
import { pruneDaily, pruneFinishedRun } from '../../runner/prune.ts';

const now = '2026-03-01T12:00:00.000Z';
const daysAgo = (days: number): string => new Date(Date.parse(now) - days * 86_400_000).toISOString();

async function world() {
  const app = await openApp({ clock: { now } });
  const folder = join(app.root, '.cleo');
  const platform = createPlatform(app.env, app.root, '0.0.0-test');
  return {
    ...app,
    folder,
    runner: await platform.createRunner({ root: app.root, folder }),
    left: () => readdir(join(folder, 'runs')).filter((name) => name.startsWith('run-')),
    traces: () => readdir(join(folder, 'traces')).filter((name) => name.includes('run-')),
    pruned: () =>
      (existsSync(join(folder, 'traces', 'PRUNED.jsonl')) ? readFileSync(join(folder, 'traces', 'PRUNED.jsonl'), 'utf8') : '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}
const readdir = (folder: string): string[] => process.getBuiltinModule('node:fs').readdirSync(folder).sort();

test('removes an expired run, but not a recent one or one under review', async () => {
  const { call, folder, left, pruned, traces } = await world();
  for (const [id, days] of [
    ['run-a', 31],
    ['run-b', 29],
    ['run-c', 31],
  ] as const)
    writeRun(folder, { id, at: daysAgo(days) });
  writeReviews(folder, [createReviewRequest('rv-1', 'run-c')]);
  const listed = await call('trace.prune', { days: 30, dryRun: true }, asPerson);
  expect(listed).toMatchObject({ pruned: [{ runId: 'run-a', lines: 15 }], data: { dryRun: true, wouldDelete: 1 } });
  expect(listed._meta.warnings).toEqual(['run-c was not removed: it has an open review']);
  expect([left().length, pruned()]).toEqual([3, []]);
  const done = await call('trace.prune', { days: 30 }, asPerson);
  expect(done.pruned).toEqual(listed.pruned);
  expect(done.data).toEqual({ deleted: ['run-a'] });
  expect(left()).toEqual(['run-b', 'run-c']);
  expect(traces()).toHaveLength(2);
  expect(pruned()).toEqual([{ run_id: 'run-a', head: listed.pruned[0].head, lines: 15 }]);
  expect(await call('trace.prune', { days: 30 }, asPerson)).toMatchObject({ _meta: { exitCode: 102 }, pruned: [] });
  expect(await call('trace.prune', { days: 30, all: true }, asPerson)).toMatchObject({ pruned: [{ runId: 'run-c' }] });
});

test('uses the retention of the construct of each run', async () => {
  const { call, folder, left } = await world();
  writeRun(folder, { id: 'run-a', at: daysAgo(8), retentionDays: 7 });
  writeRun(folder, { id: 'run-b', at: daysAgo(999), retentionDays: null });
  writeRun(folder, { id: 'run-c', at: daysAgo(31) });
  await call('trace.prune', {}, asPerson);
  expect(left()).toEqual(['run-b']);
  expect((await call('trace.prune', { days: 30 }, asPerson))._meta.warnings).toEqual([
    'run-b was not removed: its construct keeps runs forever',
  ]);
  await call('trace.prune', { days: 30, all: true }, asPerson);
  expect(left()).toEqual([]);
});

test('removes blobs with the last trace that refers to them, and corrupt files', async () => {
  const { call, folder, traces } = await world();
  const [shared, own, fresh, orphan] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(64)) as [string, string, string, string];
  const blob = (name: string): unknown => ({ blob: `sha256:${name}` });
  const path = writeRun(folder, { id: 'run-a', at: daysAgo(40), more: [['note', { of: [blob(shared), blob(own)] }]] });
  writeRun(folder, { id: 'run-b', at: daysAgo(1), more: [['note', { of: [blob(shared)] }]] });
  writeFileSync(`${path}.corrupt`, 'rest');
  const blobs = join(folder, 'traces', 'blobs');
  mkdirSync(blobs);
  for (const name of [shared, own, fresh, orphan]) writeFileSync(join(blobs, name), name);
  utimesSync(join(blobs, orphan), new Date(daysAgo(5)), new Date(daysAgo(5)));
  utimesSync(join(blobs, fresh), new Date(now), new Date(now));
  await call('trace.prune', {}, asPerson);
  expect(readdir(blobs)).toEqual([shared, fresh]);
  expect(traces()).toEqual([`${daysAgo(1).slice(0, 10)}-run-b.jsonl`]);
});

test('uses the file time of an unreadable trace', async () => {
  const { call, folder, left } = await world();
  const path = writeRun(folder, { id: 'run-a', at: daysAgo(1) });
  writeFileSync(path, 'junk\n');
  utimesSync(path, new Date(daysAgo(40)), new Date(daysAgo(40)));
  await call('trace.prune', {}, asPerson);
  expect(left()).toEqual([]);
});

test('prunes once a day and never fails the run', async () => {
  const { folder, runner, left } = await world();
  writeRun(folder, { id: 'run-a', at: daysAgo(31) });
  expect(await pruneDaily(runner, now)).toMatchObject({ pruned: [{ run_id: 'run-a' }] });
  writeRun(folder, { id: 'run-b', at: daysAgo(31) });
  expect(await pruneDaily(runner, now)).toEqual({ pruned: [] });
  expect(left()).toEqual(['run-b']);
  expect(await pruneDaily(runner, '2026-03-02T00:00:00.000Z')).toMatchObject({ pruned: [{ run_id: 'run-b' }] });
  const broken = {
    ...runner,
    traces: {
      ...runner.traces,
      list: () => {
        throw new Error('no disk');
      },
    },
  };
  expect(await pruneDaily(broken, '2026-03-03T00:00:00.000Z')).toMatchObject({ pruned: [], problem: expect.stringContaining('no disk') });
});

test('removes a run without retention when it ends or its review is resolved', async () => {
  const { folder, runner, left, as } = await world();
  for (const id of ['run-a', 'run-b']) writeRun(folder, { id, at: now, retentionDays: 0 });
  writeRun(folder, { id: 'run-c', at: now });
  writeReviews(folder, [createReviewRequest('rv-1', 'run-b')]);
  for (const id of ['run-a', 'run-b', 'run-c']) await pruneFinishedRun(runner, id, now);
  expect(left()).toEqual(['run-b', 'run-c']);
  expect(await as('ada').call('review.resolve', { review: 'rv-1', verdict: 'pass', score: 1 }, asPerson)).toMatchObject({
    review: { status: 'resolved' },
  });
  expect(left()).toEqual(['run-c']);
});

test('the runner prunes once a day and removes runs without retention', async () => {
  const shop = await openSkillProject();
  const folder = join(shop.root, '.cleo');
  writeRun(folder, { id: 'run-0', at: '2020-01-01T00:00:00.000Z' });
  shop.writeSkill('writer', 'true');
  const construct = (days: number) =>
    shop.writeConstruct(
      `skills: [{name: writer, phase: one}]\nexecution: {phases: [one]}\nassessment: {capture: {retention_days: ${days}}}\n`,
    );
  const runs = async () => ((await shop.call('trace.list')).runs as { id: string }[]).map(({ id }) => id);
  construct(30);
  await shop.runConstruct();
  const [kept] = await runs();
  expect(await runs()).toEqual([expect.stringMatching(/^run-\w{9,}$/)]);
  construct(0);
  expect(await shop.runConstruct()).toMatchObject({ success: true });
  expect(await runs()).toEqual([kept]);
  expect(
    readFileSync(join(folder, 'traces', 'PRUNED.jsonl'), 'utf8')
      .trimEnd()
      .split('\n'),
  ).toHaveLength(2);
});
