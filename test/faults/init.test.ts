import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkIntegrity, createFaultFolder, openFaultProject, pickSize } from './processes.ts';

test('exactly one of many concurrent inits creates the store, without leftovers', async () => {
  for (let round = 0; round < pickSize(2, 20); round++) {
    const folder = createFaultFolder();
    const { run, runOk, database } = openFaultProject(folder);
    const ended = await Promise.all(Array.from({ length: pickSize(6, 16) }, () => run(['init'])));
    expect(ended.map(({ exitCode }) => exitCode).sort()).toEqual([0, ...Array(ended.length - 1).fill(101)]);
    expect((await runOk(['add', 'First'])).task.id).toBe('T001');
    expect(
      readdirSync(join(folder, '.cleo')).filter(
        (name) => !/^(cleo\.db(-wal|-shm)?|config(\.schema)?\.json|local\.json|\.gitignore)$/.test(name),
      ),
    ).toEqual([]);
    expect(checkIntegrity(database)).toBe('ok');
  }
});
