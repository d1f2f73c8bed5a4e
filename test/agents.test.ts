import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { formatHookCommand } from '../src/admin/rules/setup-clients.ts';
import { estimateTokens } from '../src/lib/tokens.ts';
import { openApp } from './app.ts';
import { cleoPath, cleoRunner, isNative, runCleo } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';

/** Opens a shell as an agent client does, with or without cleo on its PATH. */
async function openShell(
  line: string,
  cwd: string,
  env: Record<string, string> = {},
  hasCleo = true,
): Promise<{ code: number; out: string; err: string }> {
  const bin = createTempFolder();
  const node = join(bin, 'node');
  symlinkSync(process.execPath, node);
  if (hasCleo) {
    writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${isNative ? cleoRunner : node}" "${cleoPath}" "$@"\n`);
    chmodSync(join(bin, 'cleo'), 0o755);
  }
  try {
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', line], {
      cwd,
      env: { PATH: `${bin}:/bin:/usr/bin`, HOME: cwd, ...env },
    });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

describe('the hook of Claude Code', () => {
  test('prints the state as plain text within its budget, for projects of any size', async () => {
    const long = 'with a title that goes on for quite a while, as titles do, and then some more of it '.repeat(2).slice(0, 150);
    const tasks = [
      'T001 epic',
      ...Array.from({ length: 120 }, (_, i) => `T${String(i + 2).padStart(3, '0')} in T001 ${i % 3 ? 'blocked' : 'pending'}: ${i} ${long}`),
    ];
    const { root, env, call } = await openApp({ tasks, engine: 'sqlite', config: { hierarchy: { maxSiblings: 500 } } });
    await call('session.start', { scope: 'epic:T001', autoFocus: true, name: 'Parser' });
    for (let i = 0; i < 20; i += 1) await call('tasks.update', { taskId: 'T002', notes: `Decision: number ${i}, ${long}` });
    const during = await openShell(formatHookCommand('claude'), root, { ...env, TERM: 'xterm-256color' });
    await call('session.end', { note: `All is well. ${long.repeat(20)}` });
    const after = await openShell(formatHookCommand('claude'), root, env);
    for (const { code, out, err } of [during, after]) {
      expect(code).toBe(0);
      expect(err).toBe('');
      expect(out.trim()).not.toBe('');
      // Claude Code would parse output that begins like JSON as a command.
      expect(out.trimStart()).not.toMatch(/^[{[]/);
      expect(out).not.toContain('\u001b');
      expect(estimateTokens(out)).toBeLessThanOrEqual(2000);
    }
    expect(during.out).toContain('T002');
    expect(after.out).toContain('All is well');
  });

  test('prints nothing and exits with 0 without a project, without cleo, or with a damaged store', async () => {
    const quiet = { code: 0, out: '', err: '' };
    expect(await openShell(formatHookCommand('claude'), createTempFolder())).toEqual(quiet);
    const { root, env } = await openApp({ engine: 'sqlite' });
    expect(await openShell(formatHookCommand('claude'), root, env, false)).toEqual(quiet);
    const broken = await openApp({ engine: 'sqlite' });
    writeFileSync(join(broken.root, '.cleo', 'config.json'), '{');
    expect(await openShell(formatHookCommand('claude'), broken.root, broken.env)).toEqual(quiet);
  });
});

describe('the fix of a failed set-up', () => {
  const obstacles: Record<string, (root: string) => void> = {
    'broken JSON': (root) => writeFileSync(join(root, '.mcp.json'), '{'),
    'a folder in place of a file': (root) => mkdirSync(join(root, '.mcp.json')),
    'a link out of the project': (root) => symlinkSync('/etc/hosts', join(root, '.mcp.json')),
    'a read-only file': (root) => writeFileSync(join(root, '.mcp.json'), '{}', { mode: 0o444 }),
    'a file in place of a folder': (root) => writeFileSync(join(root, '.claude'), ''),
    'a file in place of a folder in it': (root) => {
      mkdirSync(join(root, '.claude'));
      writeFileSync(join(root, '.claude', 'agents'), '');
    },
    'an incomplete marker': (root) => writeFileSync(join(root, 'CLAUDE.md'), '<!-- cleo:begin -->\n'),
  };

  test.each(Object.entries(obstacles))('%s: runs as printed, also from a subfolder', async (_, obstruct) => {
    const { root, env } = await openApp({ engine: 'sqlite' });
    obstruct(root);
    mkdirSync(join(root, 'inside'));
    const refused = await openShell('cleo setup claude', join(root, 'inside'), env);
    expect([3, 8]).toContain(refused.code);
    const { code, out } = await openShell(JSON.parse(refused.out).error.fix, join(root, 'inside'), env);
    expect(out).not.toContain('"success":false');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(root, '.mcp.json'), 'utf8')).mcpServers.cleo).toEqual({ command: 'cleo', args: ['mcp'] });
  });
});

test('init creates a project and sets up clients; the first task takes two commands', async () => {
  const root = createTempFolder();
  const env = { CLEO_HOME: join(createTempFolder(), '.cleo') };
  const made = await runCleo(['init', '--setup', 'claude,codex'], { cwd: root, env });
  expect(made).toMatchObject({ exitCode: 0, err: '' });
  const files = JSON.parse(made.out).files.map(({ file }: { file: string }) => file);
  expect(files).toEqual([
    '.mcp.json',
    '.claude/settings.json',
    '.claude/agents/cleo-subagent.md',
    '.claude/agents/cleo-validator.md',
    'CLAUDE.md',
    '.codex/config.toml',
    '.codex/hooks.json',
    'AGENTS.md',
  ]);
  expect((await runCleo(['add', 'First'], { cwd: root, env })).exitCode).toBe(0);
  const whole = await runCleo(['inject', '--tier', 'orchestrator'], { cwd: root, env });
  expect(readFileSync(join(env.CLEO_HOME, 'templates', 'CLEO-INJECTION.md'), 'utf8')).toBe(whole.out);
});
