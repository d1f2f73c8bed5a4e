import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

test('updates the hook of an earlier version and keeps one that the user edited', async () => {
  const { root, call } = await openApp();
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const setup = (more: object = {}) => call('admin.setup', { client: 'claude', ...more });
  await setup();
  const current = read('.claude/settings.json');
  for (const file of ['.claude/settings.json', '.cleo/setup.json'])
    writeFileSync(join(root, file), read(file).replaceAll('--hook claude --budget 2000', '--human --budget 2000'));
  expect(await setup()).toMatchObject({ success: true, files: [{ file: '.claude/settings.json', change: 'updated' }] });
  expect(read('.claude/settings.json')).toBe(current);
  const edited = current.replace('--budget 2000', '--budget 500');
  writeFileSync(join(root, '.claude/settings.json'), edited);
  expect(await setup()).toMatchObject({ _meta: { exitCode: 101 } });
  expect(read('.claude/settings.json')).toBe(edited);
  await setup({ remove: true });
  expect(existsSync(join(root, '.claude'))).toBe(false);
});

/** No folder of programs, so that a cleo that is installed on this machine is not found. */
const withoutPrograms = { env: { PATH: '/nonexistent' } };

test('ends with the steps that are left to the person', async () => {
  const { call } = await openApp(withoutPrograms);
  const { steps } = await call('admin.setup', { client: 'codex' });
  expect(steps).toEqual([
    { client: 'codex', step: 'Install cleo so that Codex finds it; it is not on the PATH of this shell' },
    { client: 'codex', step: expect.stringContaining('trust it') },
    { client: 'codex', step: expect.stringContaining('/hooks') },
    { client: 'codex', step: 'Run cleo setup --check codex if the tools are missing' },
  ]);
  expect((await call('admin.setup', { client: 'codex', remove: true })).steps).toBeUndefined();
});

test('finds no client to check, and names the server that is not on the PATH', async () => {
  const { call } = await openApp(withoutPrograms);
  expect(await call('admin.setup.check')).toMatchObject({ _meta: { exitCode: 100 }, checks: [] });
  await call('admin.setup', { client: 'codex' });
  expect((await call('admin.setup.check', { client: 'all' })).error).toMatchObject({
    exitCode: 5,
    details: { manual: 'Install cleo so that Codex finds it, or correct its entry in .codex/config.toml' },
  });
});

test('does not write through a link into .git, which a clone can bring', async () => {
  const { root, call } = await openApp();
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', 'config'), '');
  symlinkSync(join('.git', 'config'), join(root, '.mcp.json'));
  expect(await call('admin.setup', { client: 'claude' })).toMatchObject({ error: { exitCode: 3, message: '.mcp.json: is inside .git' } });
  expect(readFileSync(join(root, '.git', 'config'), 'utf8')).toBe('');
});

test('keeps a folder that existed before', async () => {
  const { root, call } = await openApp();
  mkdirSync(join(root, '.cursor'));
  await call('admin.setup', { client: 'cursor' });
  await call('admin.setup', { client: 'cursor', remove: true });
  expect(readdirSync(join(root, '.cursor'))).toEqual([]);
});

test('OpenCode: uses the existing file and key', async () => {
  const { root, call } = await openApp();
  const file = join(root, 'opencode.jsonc');
  writeFileSync(file, '{ "mcp": { "servers": { "x": {} } } } // mine\n');
  await call('admin.setup', { client: 'opencode' });
  expect(existsSync(join(root, 'opencode.json'))).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(
    '{ "mcp": { "servers": {"cleo": {"type":"local","command":["cleo","mcp"],"enabled":true}, "x": {} } } } // mine\n',
  );
});
