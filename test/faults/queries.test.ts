import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { toArgv } from '../../src/core/command-line.ts';
import { registry } from '../../src/core/index.generated.ts';
import { openApp } from '../app.ts';
import { grantPerson, needsPerson } from '../person-token.ts';
import { createFaultFolder, isFull, openFaultProject, queryDatabase, readBytes } from './processes.ts';

/** Reads all files in `.cleo` except the index of the log, and ignores an empty log. */
function readContents(root: string): Record<string, string> {
  const folder = join(root, '.cleo');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return Object.fromEntries(files.map((name) => [name, readBytes(join(folder, name))]).filter(([, bytes]) => bytes !== ''));
}

/** The only lines that a query may write: a grade in the history of grades, and a signed head. */
const kept: Record<string, string[]> = { 'admin.grade': [join('metrics', 'GRADES.jsonl')], 'admin.audit.sign': ['audit-heads.jsonl'] };

for (const [turn, entry] of registry.entries.filter(({ kind }) => kind === 'query').entries())
  test(`${entry.name} leaves the database and its log byte-equal`, async () => {
    const operation = await entry.load();
    const { world = [], call, exit = 0 } = operation.example;
    const app = await openApp({ tasks: world, engine: 'sqlite' });
    // A copy without other connections, because the last one to close empties the log.
    const root = createFaultFolder();
    cpSync(app.root, root, { recursive: true });
    const { run, database } = openFaultProject(root);
    const agentEnv = { ...app.env, CLEO_ROOT: root };
    const env = needsPerson(operation) ? await grantPerson(root, agentEnv) : agentEnv;
    const { argv, stdin } = toArgv(operation, call);
    // The short form alternates.
    for (const state of ['with a log', 'without a log'].filter((_, i) => isFull || turn % 2 === i)) {
      if (state === 'without a log') {
        queryDatabase(database, 'pragma wal_checkpoint(truncate)');
        for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
      } else if (world.some((line) => line !== 'construct')) expect(existsSync(`${database}-wal`)).toBe(true);
      const before = readContents(root);
      const { exitCode, stdout } = await run(argv, { env, ...(stdin === undefined ? {} : { stdin }) });
      expect([state, exitCode, stdout !== '']).toEqual([state, exit, true]);
      const after = readContents(root);
      for (const name of kept[entry.name] ?? []) {
        expect(after[name]).toMatch(/^\{.*\}\n$/);
        delete after[name];
        rmSync(join(root, '.cleo', name));
      }
      expect(after).toEqual(before);
    }
  });
