import { expect, test } from 'vitest';
import { describeParams } from './command-line.ts';
import { registry } from './index.generated.ts';

const names = (entries: { name: string }[]): string[] => entries.map(({ name }) => name);

test('finds an operation only by its name and aliases', () => {
  for (const entry of registry.entries) for (const name of [entry.name, ...entry.aliases]) expect(registry.find(name)).toBe(entry);
  for (const word of ['', 'tasks', 'tasks.', 'query', 'tasks/show.ts', '"', '\\', 'name', 'a\nb'])
    expect(registry.find(word)).toBeUndefined();
});

test('finds every operation by the first word of its commands', () => {
  for (const entry of registry.entries)
    for (const command of entry.commands) expect(names(registry.findByFirstWord(command.split(' ')[0]!))).toContain(entry.name);
  expect(registry.findByFirstWord('show').length).toBeLessThan(10);
  expect(registry.findByFirstWord('nonsense')).toEqual([]);
});

test('fails to load an unknown operation', async () => {
  await expect(registry.load('tasks.fly')).rejects.toThrow('no operation tasks.fly');
  expect((await registry.load('tasks.show')).name).toBe('tasks.show');
});

test('the fields that an editor opens are parameters of the operation', async () => {
  const edited = (await Promise.all(registry.entries.map((entry) => entry.load()))).filter(({ cli }) => cli.editor);
  expect(names(edited)).toEqual(['tasks.add', 'tasks.update']);
  for (const { cli, params } of edited) {
    const { fields, body, clearable, record } = await cli.editor!();
    const known = describeParams(params).map(({ name }) => name);
    expect([...fields, body, ...clearable, ...(record ? [record.revision] : [])].filter((name) => !known.includes(name))).toEqual([]);
    if (record) for (const name of [record.read, record.readDefault]) expect(registry.find(name)?.kind).toBe('query');
  }
});
