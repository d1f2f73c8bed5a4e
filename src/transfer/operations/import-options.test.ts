import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

/** A record of a tool: its id, its title and the day of its last change in February 2026. */
interface Given {
  id: number;
  title?: string;
  day?: number;
}

const toDay = (day = 1): string => String(day).padStart(2, '0');

/** The same records in the formats of several tools. `broken` adds one that cannot be read. */
const formats: Record<string, { name: string; format(records: Given[], broken?: boolean): string }> = {
  beads: {
    name: 'issues.jsonl',
    format: (records, broken) =>
      [
        ...records.map(({ id, title, day }) =>
          JSON.stringify({ id: `bd-${id}`, title, status: 'open', issue_type: 'task', updated_at: `2026-02-${toDay(day)}T00:00:00Z` }),
        ),
        ...(broken ? ['{"id":"bd-9","title":"Tor'] : []),
      ].join('\n'),
  },
  taskwarrior: {
    name: 'export.json',
    format: (records, broken) =>
      JSON.stringify([
        ...records.map(({ id, title, day }) => ({
          uuid: `u-${id}`,
          description: title,
          status: 'pending',
          entry: '20260101T000000Z',
          modified: `202602${toDay(day)}T000000Z`,
        })),
        ...(broken ? [{ description: 'No uuid', status: 'pending' }] : []),
      ]),
  },
  github: {
    name: 'issues.json',
    format: (records, broken) =>
      JSON.stringify([
        ...records.map(({ id, title, day }) => ({
          number: id,
          title,
          state: 'OPEN',
          updatedAt: `2026-02-${toDay(day)}T00:00:00Z`,
          url: `https://github.com/acme/app/issues/${id}`,
        })),
        ...(broken ? [{ title: 'No number' }] : []),
      ]),
  },
};

const tools = Object.keys(formats);

async function runImport({ cli, root }: TestApp, tool: string, records: Given[], flags: string[] = [], broken = false) {
  const { name, format } = formats[tool]!;
  writeFileSync(join(root, name), format(records, broken));
  return cli(['import', name, '--from', tool, ...flags]);
}

const listTitles = async ({ call }: TestApp): Promise<string[]> =>
  (await call('tasks.list', { status: ['pending'] })).tasks.map(({ title }: { title: string }) => title);

test.each(tools)('%s: --strict imports nothing if one record cannot be read, and lists it', async (tool) => {
  const app = await openApp();
  const records = [{ id: 1, title: 'One' }];
  const strict = await runImport(app, tool, records, ['--strict'], true);
  expect([strict.exitCode, strict.envelope.error.message]).toEqual([
    2,
    expect.stringMatching(/^1 problem, and none is allowed: \S+ entry 2/),
  ]);
  expect(await listTitles(app)).toEqual([]);
  expect((await runImport(app, tool, records, ['--strict'])).exitCode).toBe(0);
  expect(await runImport(app, tool, [...records, { id: 2, title: 'Two' }], [], true)).toMatchObject({
    exitCode: 0,
    envelope: { imported: 1, losses: [{ id: expect.stringContaining('entry 3'), field: 'task' }] },
  });
});

test.each(tools)('%s: --prune archives tasks whose records are gone; without it they stay and are reported', async (tool) => {
  const app = await openApp();
  const first = [1, 2, 3].map((id) => ({ id, title: `Task ${id}` }));
  await runImport(app, tool, first);
  const last = [{ id: 1, title: 'Task 1' }];
  const reported = await runImport(app, tool, last);
  expect([reported.exitCode, reported.envelope.lossGroups]).toEqual([
    102,
    [{ count: 2, field: 'task', why: expect.stringMatching(/gone from the file.* stays/), examples: expect.any(Array) }],
  ]);
  expect(await listTitles(app)).toHaveLength(3);
  expect(await runImport(app, tool, last, ['--prune', '--dry-run'])).toMatchObject({ envelope: { pruned: 2 } });
  expect(await listTitles(app)).toHaveLength(3);
  expect(await runImport(app, tool, last, ['--prune'])).toMatchObject({ exitCode: 0, envelope: { pruned: 2 } });
  expect(await listTitles(app)).toEqual(['Task 1']);
  expect((await app.call('tasks.show', { taskId: 'T003' })).task).toMatchObject({
    resolution: 'cancelled',
    archivedAt: expect.any(String),
  });
});

test.each(tools.flatMap((tool) => ['newer', 'ours', 'theirs'].map((policy) => [tool, policy])))(
  '%s: --on-conflict %s decides about a title that changed on both sides',
  async (tool, policy) => {
    const app = await openApp({ clock: { now: '2026-02-10T00:00:00.000Z' } });
    await runImport(app, tool!, [
      { id: 1, title: 'Before' },
      { id: 2, title: 'Before' },
    ]);
    for (const taskId of ['T001', 'T002']) await app.call('tasks.update', { taskId, title: 'Ours' });
    const later = await runImport(
      app,
      tool!,
      [
        { id: 1, title: 'Theirs', day: 5 },
        { id: 2, title: 'Theirs', day: 20 },
      ],
      ['--on-conflict', policy!],
    );
    const kept = { newer: ['ours', 'theirs'], ours: ['ours', 'ours'], theirs: ['theirs', 'theirs'] }[policy!]!;
    expect(later.envelope.conflicts).toMatchObject(kept.map((side) => ({ field: 'title', kept: side })));
    expect((await listTitles(app)).map((title) => title.toLowerCase())).toEqual(kept);
  },
);
