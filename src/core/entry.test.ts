import { expect, test } from 'vitest';
import { catalog } from './index.generated.ts';

const names = (entries: { name: string }[]): string[] => entries.map(({ name }) => name);

test('an operation is found by its name and by its aliases, and by nothing else', () => {
  for (const entry of catalog.entries) for (const name of [entry.name, ...entry.aliases]) expect(catalog.named(name)).toBe(entry);
  for (const word of ['', 'tasks', 'tasks.', 'query', 'tasks/show.ts', '"', '\\', 'name', 'a\nb'])
    expect(catalog.named(word)).toBeUndefined();
});

test('what a first word may begin is all among its entries', () => {
  for (const entry of catalog.entries)
    for (const command of entry.commands) expect(names(catalog.under(command.split(' ')[0]!))).toContain(entry.name);
  expect(catalog.under('show').length).toBeLessThan(10);
  expect(catalog.under('nonsense')).toEqual([]);
});

test('an operation that does not exist cannot be loaded', async () => {
  await expect(catalog.load('tasks.fly')).rejects.toThrow('no operation tasks.fly');
  expect((await catalog.load('tasks.show')).name).toBe('tasks.show');
});
