import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../src/store/dialects/sqlite.ts';
import { createSqlite } from '../src/store/dialects/sqlite-schema.ts';
import { buildWorld } from './world.ts';

/** `nexus here none` registers the test's project under that name; `nexus web T003,T004` creates and registers another project with
 *  these tasks. The last word can be a permission. */
export async function registerProjects(root: string, home: string, key: string, lines: string[]): Promise<void> {
  if (lines.length === 0) return;
  const top = realpathSync(root);
  const projects = [];
  for (const line of lines) {
    const [, name = '', ...words] = line.split(' ');
    const permission = words.find((word) => ['none', 'read', 'write', 'execute'].includes(word)) ?? 'read';
    const ids = words.find((word) => /^T\d/.test(word))?.split(',');
    if (ids) await createProject(join(top, name), ids);
    const registeredAt = '2026-01-01T00:00:00.000Z';
    projects.push({ name, path: ids ? join(top, name) : top, key: ids ? name : key, permission, registeredAt });
  }
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'nexus.json'), JSON.stringify({ format: 'cleo-nexus', version: 1, projects }));
}

async function createProject(folder: string, tasks: string[]): Promise<void> {
  mkdirSync(join(folder, '.cleo'), { recursive: true });
  writeFileSync(
    join(folder, '.cleo', 'config.json'),
    JSON.stringify({ store: { durability: 'normal' }, project: { key: folder.split('/').at(-1) } }),
  );
  const path = join(folder, '.cleo', 'cleo.db');
  await createSqlite(path, '2026-01-01T00:00:00.000Z');
  const store = openSqlite({ path, mode: 'write', busyTimeoutMs: 5000, durability: 'normal', newestBackup: () => undefined });
  await buildWorld(store, tasks);
  await store.close();
}
