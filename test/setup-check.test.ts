import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp } from './app.ts';
import { cleoPath, cleoRunner, isNative } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';

/** Opens a project whose PATH has the built `cleo`. */
async function openProject() {
  const bin = createTempFolder();
  symlinkSync(process.execPath, join(bin, 'node'));
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${isNative ? cleoRunner : join(bin, 'node')}" "${cleoPath}" "$@"\n`);
  chmodSync(join(bin, 'cleo'), 0o755);
  const app = await openApp({ tasks: ['T001'], engine: 'sqlite', env: { PATH: `${bin}:/bin:/usr/bin` } });
  const edit = (file: string, change: (text: string) => string): void => {
    const path = join(app.root, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  return { ...app, edit };
}

test.each(['claude', 'codex', 'cursor', 'gemini', 'vscode', 'opencode'])('starts the server of %s as the client does', async (client) => {
  const { call } = await openProject();
  expect((await call('admin.setup', { client })).steps).not.toContainEqual({ client, step: expect.stringContaining('not on the PATH') });
  const { success, checks, error } = await call('admin.setup.check', { client });
  expect(error).toBeUndefined();
  expect(success).toBe(true);
  const hooks = { claude: 2, codex: 1, gemini: 1 }[client] ?? 0;
  expect(checks).toMatchObject(['server', 'tools', 'store', ...Array(hooks).fill('hook')].map((check) => ({ client, check, ok: true })));
});

test('checks every client that is set up, and none without one', async () => {
  const { call } = await openProject();
  expect(await call('admin.setup.check')).toMatchObject({ _meta: { exitCode: 100 }, checks: [] });
  await call('admin.setup', { client: 'cursor' });
  await call('admin.setup', { client: 'vscode' });
  const { checks } = await call('admin.setup.check');
  expect(new Set(checks.map(({ client }: { client: string }) => client))).toEqual(new Set(['cursor', 'vscode']));
});

test('reports a client that is not set up, with the command that sets it up', async () => {
  const { call, cli } = await openProject();
  const { error } = await call('admin.setup.check', { client: 'codex' });
  expect(error).toMatchObject({ code: 'E_CONFIG_ERROR', exitCode: 8, fix: 'cleo setup codex' });
  expect((await cli(error.fix)).exitCode).toBe(0);
  expect((await cli('cleo setup --check codex')).exitCode).toBe(0);
});

test('reports a server that is not on the PATH or does not answer', async () => {
  const { call, edit } = await openProject();
  await call('admin.setup', { client: 'cursor' });
  edit('.cursor/mcp.json', (text) => text.replace('"cleo",', '"cleo-is-not-here",'));
  const { error } = await call('admin.setup.check', { client: 'cursor' }, asPerson);
  expect(error).toMatchObject({
    code: 'E_DEPENDENCY_ERROR',
    exitCode: 5,
    message: expect.stringMatching(/^cursor: .*cleo-is-not-here must be on the PATH of Cursor \(its entry is in \.cursor\/mcp\.json\)$/),
    details: { checks: [{ client: 'cursor', check: 'server', ok: false }] },
  });
  edit('.cursor/mcp.json', (text) => text.replace('"cleo-is-not-here",', '"true",'));
  expect((await call('admin.setup.check', { client: 'cursor' }, asPerson)).error.message).toBe(
    'cursor: did not answer initialize: exit code 0',
  );
});

test('reports a hook that prints nothing', async () => {
  const { call, edit } = await openProject();
  await call('admin.setup', { client: 'codex' });
  edit('.codex/hooks.json', (text) => text.replace('cleo briefing', 'true cleo briefing'));
  expect((await call('admin.setup.check', { client: 'codex' }, asPerson)).error).toMatchObject({
    exitCode: 5,
    message: expect.stringContaining('SessionStart: printed nothing'),
  });
});

test.each([
  ['claude', '.mcp.json', (text: string) => text.replace('"cleo",', '"sh",').replace('"mcp"', '"-c", "touch ran"')],
  ['claude', '.mcp.json', (text: string) => text.replace('"command": "cleo",', '"command": "cleo", "env": {"PATH": "."},')],
  ['claude', '.claude/settings.json', (text: string) => text.replace('cleo briefing', 'touch ran; cleo briefing')],
  ['codex', '.codex/config.toml', (text: string) => text.replace('"cleo"', '"touch"').replace('"mcp"', '"ran"')],
])('a command of %s that setup did not write runs for nobody but a person who has read it: %s', async (client, file, change) => {
  const { call, cli, edit, root } = await openProject();
  await call('admin.setup', { client });
  edit(file, change);
  for (const gateway of ['cli', 'cleo_mutate'] as const) {
    const { error } = await call('admin.setup.check', {}, { gateway });
    expect(error).toMatchObject({ code: 'E_FORBIDDEN', exitCode: 64, message: expect.stringContaining(file) });
    expect(error.fix).toContain('Ask a person to run: cleo setup --check');
  }
  expect(existsSync(join(root, 'ran'))).toBe(false);
  await cli('cleo setup --check', asPerson);
  expect(existsSync(join(root, 'ran'))).toBe(!file.startsWith('.mcp') || readFileSync(join(root, file), 'utf8').includes('touch'));
});
