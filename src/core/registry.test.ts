import { expect, test } from 'vitest';
import { registry } from './index.generated.ts';

const names = (entries: { name: string }[]): string[] => entries.map(({ name }) => name);

test('an operation is found by its name and by its aliases, and by nothing else', () => {
  for (const entry of registry.entries) for (const name of [entry.name, ...entry.aliases]) expect(registry.find(name)).toBe(entry);
  for (const word of ['', 'tasks', 'tasks.', 'query', 'tasks/show.ts', '"', '\\', 'name', 'a\nb'])
    expect(registry.find(word)).toBeUndefined();
});

test('what a first word may begin is all among its entries', () => {
  for (const entry of registry.entries)
    for (const command of entry.commands) expect(names(registry.findByFirstWord(command.split(' ')[0]!))).toContain(entry.name);
  expect(registry.findByFirstWord('show').length).toBeLessThan(10);
  expect(registry.findByFirstWord('nonsense')).toEqual([]);
});

test('an operation that does not exist cannot be loaded', async () => {
  await expect(registry.load('tasks.fly')).rejects.toThrow('no operation tasks.fly');
  expect((await registry.load('tasks.show')).name).toBe('tasks.show');
});
