import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dispatch } from '../../src/dispatch/dispatch.ts';
import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { type Json, openApp, splitShellWords } from '../app.ts';
import { addWorktree, createRepository } from '../repository.ts';
import { createTempFolder } from '../temp-folder.ts';

test('documented command lines run as written', async () => {
  const { cli, root } = await openApp({ tasks: ['T001', 'T123'] });
  writeFileSync(join(root, 'file.md'), '# A file\n');
  const run = (line: string) => cli(splitShellWords(line).slice(1));
  expect(await run('cleo docs add T123 file.md --type note --slug handle')).toMatchObject({
    exitCode: 0,
    envelope: { _meta: { command: 'docs.add' }, doc: { slug: 'handle' }, data: { created: ['handle'] } },
  });
  expect(await run('cleo docs fetch handle')).toMatchObject({ exitCode: 0, out: '# A file\n' });
  expect(await run('cleo docs list --task T123')).toMatchObject({ exitCode: 0, envelope: { docs: [{ slug: 'handle', tasks: ['T123'] }] } });
  expect(await run('cleo docs list')).toMatchObject({ exitCode: 0, envelope: { docs: [{ slug: 'handle' }] } });
  expect((await run('cleo docs list-types')).envelope.types).toHaveLength(8);
  for (const type of ['spec', 'adr', 'research', 'handoff', 'note', 'llm-readme'])
    expect((await run(`cleo docs add T123 file.md --type ${type} --slug of-${type}`)).exitCode).toBe(0);
  expect((await run('cleo docs publish handle --to docs/handle.md')).envelope).toMatchObject({ file: 'docs/handle.md' });
});

describe('the caller’s folder', () => {
  async function arranged() {
    const app = await openApp({ tasks: ['T001'] });
    const main = createRepository(app.root);
    main.commit({ '.gitignore': '.cleo\nhome\n', 'docs/a.md': 'main' });
    const linked = addWorktree(main, join(createTempFolder(), 'linked'), 'linked');
    const from = async (folder: string, operation: string, params: object): Promise<Json> => {
      const { CLEO_ROOT: _, ...env } = app.env;
      const there = createApp(createPlatform(env, folder, '0.0.0-test'));
      const { envelope } = await dispatch(there, { operation, params, gateway: 'cli' });
      await there.closeStores();
      return envelope;
    };
    return { app, linked, from };
  }

  test('resolves paths in a subfolder and in a linked worktree', async () => {
    const { app, linked, from } = await arranged();
    mkdirSync(join(app.root, 'docs', 'deep'));
    expect(await from(join(app.root, 'docs'), 'docs.add', { taskId: 'T001', file: 'a.md' })).toMatchObject({ doc: { slug: 'a' } });
    expect(await from(join(app.root, 'docs', 'deep'), 'docs.add', { taskId: 'T001', file: 'docs/a.md' })).toMatchObject({
      _meta: { exitCode: 101 },
    });
    writeFileSync(join(linked.folder, 'docs', 'a.md'), 'linked');
    expect(await from(join(linked.folder, 'docs'), 'docs.update', { slug: 'a', file: 'a.md' })).toMatchObject({ doc: { version: 2 } });
    expect((await app.call('docs.fetch', { slug: 'a' })).doc).toMatchObject({ file: 'docs/a.md' });
    // The linked worktree has the second version, the main one still the first.
    expect(await from(linked.folder, 'docs.publish', { slug: 'a', to: 'docs/a.md' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await from(app.root, 'docs.publish', { slug: 'a', to: 'docs/a.md' })).toMatchObject({ success: true, version: 2 });
  });
});
