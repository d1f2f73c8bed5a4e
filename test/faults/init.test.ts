import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { integrity, projectAt, size, temporary } from './processes.ts';

test('of many inits at once exactly one makes the store, and nothing is left lying about', async () => {
  for (let round = 0; round < size(2, 20); round++) {
    const folder = temporary();
    const { run, done, database } = projectAt(folder);
    const ended = await Promise.all(Array.from({ length: size(6, 16) }, () => run(['init'])));
    expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, ...Array(ended.length - 1).fill(101)]);
    expect((await done(['add', 'First'])).task.id).toBe('T001');
    expect(
      readdirSync(join(folder, '.cleo')).filter((name) => !/^(cleo\.db(-wal|-shm)?|config(\.schema)?\.json|\.gitignore)$/.test(name)),
    ).toEqual([]);
    expect(integrity(database)).toBe('ok');
  }
});
