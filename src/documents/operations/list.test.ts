import { describe, expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const open = (tasks = ['T001', 'T002'], config = {}) => openApp({ tasks, config });
const parsers = 'doc parsers T001: Which parsers there are';

describe('list', () => {
  const world = ['T001', 'T002', parsers, 'doc plan T001 plan: The plan', 'doc other T002 plan: Other'];

  test('filters by task and kind, and pages', async () => {
    const { call } = await open(world);
    const slugs = async (params: object) => (await call('docs.list', { ...params })).docs.map(({ slug }: Json) => slug);
    expect(await slugs({})).toEqual(['other', 'parsers', 'plan']);
    expect(await slugs({ task: 'T1' })).toEqual(['parsers', 'plan']);
    expect(await slugs({ type: 'plan' })).toEqual(['other', 'plan']);
    expect(await slugs({ task: 'T1', type: 'plan' })).toEqual(['plan']);
    expect(await call('docs.list', { limit: 2 })).toMatchObject({ _meta: { truncated: { shown: 2, total: 3 } } });
    expect(await call('docs.list', { limit: 2, offset: 2 })).toMatchObject({ docs: [{ slug: 'plan' }] });
    expect(await call('docs.list', { type: 'spec' })).toMatchObject({ docs: [], _meta: { exitCode: 100 } });
    await call('docs.update', { slug: 'plan', content: 'new' });
    expect(await slugs({})).toEqual(['plan', 'other', 'parsers']);
  });

  test('finds documents by words of slug, title and kind, also with typos', async () => {
    const { call } = await open(world);
    const slugs = async (params: object) => (await call('docs.list', { ...params })).docs.map(({ slug }: Json) => slug);
    expect(await slugs({ term: 'pars' })).toEqual(['parsers']);
    expect(await slugs({ term: 'plan' })).toEqual(['other', 'plan']);
    expect(await slugs({ term: 'plan', task: 'T1' })).toEqual(['plan']);
    expect(await slugs({ term: 'prasers' })).toEqual(['parsers']);
    expect(await call('docs.list', { term: 'plan', limit: 1 })).toMatchObject({ _meta: { truncated: { shown: 1, total: 2 } } });
    expect(await call('docs.list', { term: 'zebra' })).toMatchObject({ docs: [], _meta: { exitCode: 100 } });
  });

  test('refuses an unknown task or kind', async () => {
    const { call } = await open(world);
    expect((await call('docs.list', { task: 'T999' })).error).toMatchObject({ exitCode: 4 });
    expect((await call('docs.list', { type: 'plam' })).error).toMatchObject({ exitCode: 2, fix: 'cleo docs list --type plan' });
  });

  test('keeps a document when its task is deleted', async () => {
    const { call } = await open(world);
    await call('tasks.delete', { taskId: 'T002' });
    expect((await call('docs.list', { task: 'T002' })).error).toMatchObject({ exitCode: 4 });
    expect((await call('docs.list', { type: 'plan' })).docs).toMatchObject([{ slug: 'other', tasks: ['T002'] }, { slug: 'plan' }]);
    await call('tasks.restore', { taskId: 'T002' });
    expect((await call('docs.list', { task: 'T002' })).docs).toHaveLength(1);
  });

  test('lists built-in and configured kinds', async () => {
    const { call } = await open(world, { docs: { types: ['runbook'] } });
    expect((await call('docs.add', { taskId: 'T001', content: 'a', slug: 'a', type: 'runbook' })).success).toBe(true);
    const { types } = await call('docs.list-types');
    expect(types).toHaveLength(9);
    expect(types).toContainEqual(expect.objectContaining({ name: 'plan', source: 'built-in', docs: 2 }));
    expect(types).toContainEqual(expect.objectContaining({ name: 'runbook', source: 'config', docs: 1 }));
  });

  test('accepts a removed kind in list while it has documents', async () => {
    const { call } = await open(['T001', 'doc old T001 runbook: Old']);
    expect((await call('docs.list', { type: 'runbook' })).docs).toHaveLength(1);
    expect((await call('docs.list-types')).types.at(-1)).toMatchObject({ name: 'runbook', source: 'store', docs: 1 });
    expect((await call('docs.add', { taskId: 'T001', content: 'a', slug: 'a', type: 'runbook' })).error.exitCode).toBe(2);
  });
});
