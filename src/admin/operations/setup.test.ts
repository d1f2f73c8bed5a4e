import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';
import { agents } from '../rules/agents.generated.ts';
import { agentText, clientNames } from '../rules/setup-clients.ts';

const project = async (files: Record<string, string> = {}) => {
  const app = await openApp();
  for (const [file, text] of Object.entries(files)) put(app, file, text);
  return {
    ...app,
    read: (file: string): string => readFileSync(join(app.root, file), 'utf8'),
    has: (file: string): boolean => existsSync(join(app.root, file)),
    setup: (client?: string, more: Record<string, unknown> = {}) => app.call('admin.setup', { ...(client ? { client } : {}), ...more }),
  };
};
const put = ({ root }: Pick<TestApp, 'root'>, file: string, text: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
/** All files of the project except the store, with their text. */
const everything = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/cleo\.db|home/.test(`${entry.parentPath}/${entry.name}`))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );

const { 'cleo-subagent': worker, 'cleo-validator': judge } = agents;
const named = (folder: string): Record<string, string> => ({
  [`${folder}/cleo-subagent.md`]: `---\nname: cleo-subagent\ndescription: ${worker.description}\n---\n${worker.body}`,
  [`${folder}/cleo-validator.md`]: `---\nname: cleo-validator\ndescription: ${judge.description}\n---\n${judge.body}`,
});

const golden: Record<string, Record<string, string>> = {
  claude: {
    '.mcp.json': '{\n  "mcpServers": {\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    }\n  }\n}\n',
    '.claude/settings.json': `{
  "hooks": {
    "PreCompact": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "cleo briefing --hook claude --budget 2000 2>/dev/null || true",
            "timeout": 10
          }
        ]
      }
    ],
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "cleo briefing --hook claude --budget 2000 2>/dev/null || true",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
`,
    '.claude/agents/cleo-subagent.md': agents['cleo-subagent'].text,
    '.claude/agents/cleo-validator.md': agents['cleo-validator'].text,
    'CLAUDE.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
  codex: {
    '.codex/config.toml': '# cleo:begin\n[mcp_servers.cleo]\ncommand = "cleo"\nargs = ["mcp"]\n# cleo:end\n',
    '.codex/hooks.json': `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "cleo briefing --hook codex --budget 2000 2>/dev/null || true",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
`,
    'AGENTS.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
  cursor: {
    ...named('.cursor/agents'),
    '.cursor/mcp.json': '{\n  "mcpServers": {\n    "cleo": {\n      "command": "cleo",\n      "args": ["mcp"]\n    }\n  }\n}\n',
    'AGENTS.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
  gemini: {
    ...named('.gemini/agents'),
    '.gemini/settings.json': `{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "cleo briefing --hook gemini --budget 2000 2>/dev/null || true",
            "name": "cleo-briefing",
            "timeout": 10000
          }
        ]
      }
    ]
  },
  "mcpServers": {
    "cleo": {
      "command": "cleo",
      "args": ["mcp"]
    }
  }
}
`,
    'GEMINI.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
  vscode: {
    '.vscode/mcp.json':
      '{\n  "servers": {\n    "cleo": {\n      "type": "stdio",\n      "command": "cleo",\n      "args": ["mcp"],\n      "cwd": "${workspaceFolder}"\n    }\n  }\n}\n',
    'AGENTS.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
  opencode: {
    '.opencode/agents/cleo-subagent.md': `---\ndescription: ${worker.description}\nmode: subagent\n---\n${worker.body}`,
    '.opencode/agents/cleo-validator.md': `---\ndescription: ${judge.description}\nmode: subagent\npermission:\n  edit: deny\n---\n${judge.body}`,
    'opencode.json':
      '{\n  "mcp": {\n    "cleo": {\n      "type": "local",\n      "command": ["cleo", "mcp"],\n      "enabled": true\n    }\n  },\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    'AGENTS.md': `<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\n`,
  },
};

describe.each(clientNames)('%s', (client) => {
  test('is set up once and removed without a trace', async () => {
    const { root, setup } = await project();
    const before = everything(root);
    const done = await setup(client);
    expect(done).toMatchObject({ success: true, clients: [{ client, has: expect.arrayContaining(['mcp', 'text']) }] });
    expect(done._meta.exitCode).toBeUndefined();
    const { '.cleo/setup.json': _, ...after } = everything(root);
    expect(after).toEqual({ ...before, ...golden[client] });
    expect(await setup(client)).toMatchObject({ _meta: { exitCode: 101 }, files: [] });
    expect(await setup(client, { remove: true })).toMatchObject({ success: true, clients: [{ has: [] }] });
    expect(everything(root)).toEqual(before);
    expect(readdirSync(root).filter((name) => /^\.(claude|codex|cursor|gemini|vscode|opencode)$/.test(name))).toEqual([]);
    expect(await setup(client, { remove: true })).toMatchObject({ _meta: { exitCode: 102 } });
  });

  test('a dry run reports the changes and writes nothing', async () => {
    const { root, setup } = await project();
    const before = everything(root);
    const { preview, dryRun } = await setup(client, { dryRun: true });
    expect(dryRun).toBe(true);
    expect(Object.fromEntries(preview.map((each: { file: string; adds: string }) => [each.file, each.adds]))).toEqual(golden[client]);
    expect(everything(root)).toEqual(before);
  });
});

const theirs: Record<string, string> = {
  '.mcp.json': '\ufeff{\r\n\t// ours\r\n\t"mcpServers": {\r\n\t\t"other": { "command": "x" }, // theirs\r\n\t},\r\n}\r\n',
  '.claude/settings.json':
    '{"permissions":{"allow":["Bash(ls)"]},"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"date"}]}],"Stop":[]}}',
  '.codex/config.toml': 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"',
  '.cursor/mcp.json': '{ "mcpServers": {} }\n',
  '.gemini/settings.json': '{\n    "theme": "dark",\n    "mcpServers": {\n    }\n}',
  '.vscode/mcp.json': '{\n  "inputs": [],\n  "servers": {\n    "a": {}\n  }\n}\n',
  'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": { "x": { "type": "local", "command": ["x"] } }\n}\n',
  'AGENTS.md': '# Rules\r\n\r\nBe brief.',
  'CLAUDE.md': '# Claude\n\nBe kind.\n\n\n',
  '.claude/agents/cleo-subagent.md': 'Mine.\n',
  'GEMINI.md': '',
};

test.each(clientNames)('%s: keeps all other text unchanged', async (client) => {
  const { root, setup } = await project(theirs);
  const before = everything(root);
  await setup(client, { statusline: true });
  const { '.cleo/setup.json': _, ...after } = everything(root);
  for (const [file, text] of Object.entries(after)) {
    const lines = (before[file] ?? '').split(/\r?\n/).filter((line) => line.trim().length > 2 && !file.endsWith('settings.json'));
    expect(text.split(/\r?\n/)).toEqual(
      expect.arrayContaining(lines.filter((line) => !/^\{.*\}$/.test(line.trim()) && !line.includes('"mcp": {'))),
    );
  }
  expect(await setup(client)).toMatchObject({ _meta: { exitCode: 101 } });
  await setup(client, { remove: true });
  expect(everything(root)).toEqual(before);
});

test('removes entries in files that were reformatted', async () => {
  const { root, setup, read } = await project(theirs);
  await setup('claude');
  const settings = JSON.parse(read('.claude/settings.json'));
  put({ root }, '.claude/settings.json', JSON.stringify(settings, null, 4));
  await setup('claude', { remove: true });
  expect(JSON.parse(read('.claude/settings.json'))).toEqual(JSON.parse(theirs['.claude/settings.json']!));
  expect(read('.mcp.json')).toBe(theirs['.mcp.json']);
});

test('keeps an entry that the user wrote', async () => {
  const own = '{"mcpServers":{"cleo":{"command":"npx","args":["cleo","mcp"]}}}';
  const table = '[mcp_servers.cleo]\ncommand = "npx"\nargs = ["cleo", "mcp"]\n';
  const { setup, read } = await project({ '.cursor/mcp.json': own, '.codex/config.toml': table });
  await setup('cursor');
  await setup('codex');
  expect(read('.cursor/mcp.json')).toBe(own);
  expect(read('.codex/config.toml')).toBe(table);
});

test('removes entries without the record', async () => {
  const { root, setup, read } = await project({ '.mcp.json': theirs['.mcp.json']!, 'CLAUDE.md': theirs['CLAUDE.md']! });
  await setup('claude');
  put({ root }, '.cleo/setup.json', 'not json');
  await setup('claude', { remove: true });
  expect(read('.mcp.json')).toBe(theirs['.mcp.json']);
  expect(read('CLAUDE.md')).toBe(theirs['CLAUDE.md']);
});

test('prints the added lines of a dry run', async () => {
  const { cli } = await project();
  const { out } = await cli(['setup', 'codex', '--dry-run', '--human']);
  expect(out).toContain(
    '  .codex/config.toml\n    # cleo:begin\n    [mcp_servers.cleo]\n    command = "cleo"\n    args = ["mcp"]\n    # cleo:end\n',
  );
});

test('keeps a file that the user deleted and created again', async () => {
  const { root, setup, read } = await project();
  await setup('cursor');
  put({ root }, '.cursor/mcp.json', '{}\n');
  await setup('cursor');
  await setup('cursor', { remove: true });
  expect(read('.cursor/mcp.json')).toBe('{}\n');
});

test('updates an earlier version of the text in place', async () => {
  const { setup, read } = await project({ 'AGENTS.md': 'a\n\n<!-- cleo:begin -->\nold\n<!-- cleo:end -->\nb\n' });
  expect(await setup('codex')).toMatchObject({ success: true });
  expect(read('AGENTS.md')).toBe(`a\n\n<!-- cleo:begin -->\n${agentText}<!-- cleo:end -->\nb\n`);
});

test('keeps a shared block until the last client is removed', async () => {
  const { setup, has } = await project();
  await setup('codex');
  await setup('cursor');
  await setup('codex', { remove: true });
  expect(has('AGENTS.md')).toBe(true);
  await setup('cursor', { remove: true });
  expect(has('AGENTS.md')).toBe(false);
});

describe('Claude Code', () => {
  test('is set up without hooks on request', async () => {
    const { setup, has } = await project();
    await setup('claude', { hooks: false });
    expect(has('.claude/settings.json')).toBe(false);
  });

  test('adds the status line on request and never replaces another one', async () => {
    const one = await project();
    await one.setup('claude', { statusline: true });
    expect(JSON.parse(one.read('.claude/settings.json')).statusLine).toEqual({ type: 'command', command: 'cleo context statusline' });
    const own = '{"statusLine":{"type":"command","command":"mine"}}';
    const two = await project({ '.claude/settings.json': own });
    const done = await two.setup('claude', { statusline: true });
    expect(done._meta.warnings).toEqual(['.claude/settings.json already has a statusLine, which is kept']);
    expect(JSON.parse(two.read('.claude/settings.json')).statusLine.command).toBe('mine');
    await two.setup('claude', { remove: true });
    expect(two.read('.claude/settings.json')).toBe(own);
  });

  test('does not create a CLAUDE.md that would hide AGENTS.md', async () => {
    const { setup, has, read } = await project({ 'AGENTS.md': '# Rules\n' });
    await setup('claude');
    expect(has('CLAUDE.md')).toBe(false);
    expect(read('AGENTS.md')).toContain('cleo briefing');
    await setup('claude', { remove: true });
    expect(read('AGENTS.md')).toBe('# Rules\n');
  });

  test('keeps a CLAUDE.md that links to AGENTS.md', async () => {
    const { root, setup, read } = await project({ 'AGENTS.md': '# Rules\n' });
    symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
    await setup('claude');
    expect(lstatSync(join(root, 'CLAUDE.md')).isSymbolicLink()).toBe(true);
    expect(read('AGENTS.md')).toContain('cleo briefing');
    await setup('claude', { remove: true });
    expect(read('AGENTS.md')).toBe('# Rules\n');
  });
});

test('lists clients without arguments and changes nothing', async () => {
  const { root, setup } = await project({ '.cursor/rules/a.mdc': 'x' });
  await setup('gemini');
  const before = everything(root);
  const { clients } = await setup();
  expect(clients.find((each: { client: string }) => each.client === 'cursor')).toEqual({
    client: 'cursor',
    title: 'Cursor',
    found: true,
    has: [],
  });
  expect(clients.find((each: { client: string }) => each.client === 'gemini')).toMatchObject({
    found: true,
    has: ['mcp', 'hooks', 'agents', 'text'],
  });
  expect(clients).toHaveLength(clientNames.length);
  expect(everything(root)).toEqual(before);
  expect(await setup(undefined, { remove: true })).toMatchObject({ error: { code: 'E_INVALID_INPUT', fix: 'cleo setup all --remove' } });
});

test('all sets up found clients only', async () => {
  const { root, setup, has } = await project();
  const before = everything(root);
  expect(await setup('all')).toMatchObject({ _meta: { exitCode: 100 }, clients: [] });
  expect(everything(root)).toEqual(before);
  put({ root }, '.vscode/settings.json', '{}');
  put({ root }, '.cursorrules', '');
  expect((await setup('all')).clients.map((each: { client: string }) => each.client)).toEqual(['cursor', 'vscode']);
  expect(has('.mcp.json')).toBe(false);
  expect(await setup('all')).toMatchObject({ _meta: { exitCode: 101 } });
  await setup('all', { remove: true });
  expect(everything(root)).toEqual({ ...before, '.vscode/settings.json': '{}', '.cursorrules': '' });
});

describe('rejects invalid files and leaves them unchanged', () => {
  test.each<[why: string, client: string, file: string, text: string, exit: number]>([
    ['broken JSON', 'claude', '.mcp.json', '{"mcpServers": {', 8],
    ['a megabyte of broken JSON', 'cursor', '.cursor/mcp.json', '['.repeat(1 << 20), 8],
    ['an empty file', 'gemini', '.gemini/settings.json', '', 8],
    ['a list', 'vscode', '.vscode/mcp.json', '[]', 8],
    ['servers that are a list', 'vscode', '.vscode/mcp.json', '{"servers": []}', 8],
    ['hooks of another type', 'claude', '.claude/settings.json', '{"hooks": {"SessionStart": {}}}', 8],
    ['broken TOML', 'codex', '.codex/config.toml', 'a = "', 8],
    ['a TOML table that cannot grow', 'codex', '.codex/config.toml', 'mcp_servers = {}\n', 8],
    ['an unpaired mark', 'codex', 'AGENTS.md', '<!-- cleo:begin -->\nx\n', 8],
  ])('%s', async (_, client, file, text, exit) => {
    const { root, setup } = await project({ [file]: text });
    const before = everything(root);
    const refused = await setup(client);
    expect(refused).toMatchObject({ success: false, error: { exitCode: exit, code: 'E_CONFIG_ERROR' } });
    expect(refused.error.fix).toBe(`mv ${file} ${file}.aside && cleo setup ${client}`);
    expect(refused.error.message.length).toBeLessThan(300);
    expect(everything(root)).toEqual(before);
  });

  test.each<[why: string, make: (path: string, outside: string) => void, problem: string]>([
    ['a folder', (path) => mkdirSync(path), 'is not a regular file'],
    ['a link out of the project', (path, outside) => symlinkSync(join(outside, 'x.json'), path), 'is outside the project'],
    ['a broken link', (path) => symlinkSync('nowhere', path), 'is a broken link'],
    ['a link to itself', (path) => symlinkSync(path, path), 'is a broken link'],
    ['a read-only file', (path) => writeFileSync(path, '{}', { mode: 0o444 }), 'is read-only'],
    ['another encoding', (path) => writeFileSync(path, Buffer.from('{"a": "\xe9"}', 'latin1')), 'is not UTF-8'],
    ['UTF-16', (path) => writeFileSync(path, Buffer.from('\ufeff{}', 'utf16le')), 'is not UTF-8'],
  ])('%s', async (_, make, problem) => {
    const { root, setup } = await project();
    const outside = createEmptyFolder().root;
    writeFileSync(join(outside, 'x.json'), '{}');
    make(join(root, '.mcp.json'), outside);
    const refused = await setup('claude');
    expect(refused).toMatchObject({ error: { exitCode: 3, code: 'E_FILE_ERROR', message: `.mcp.json: ${problem}` } });
    expect(refused.error.fix).toMatch(/^(mv \.mcp\.json \.mcp\.json\.aside|chmod u\+w \.mcp\.json) && cleo setup claude$/);
    expect(readFileSync(join(outside, 'x.json'), 'utf8')).toBe('{}');
    expect(existsSync(join(root, 'CLAUDE.md'))).toBe(false);
  });

  test('a parent that links outside the project or is not a folder', async () => {
    const { root, setup } = await project();
    const outside = createEmptyFolder().root;
    symlinkSync(outside, join(root, '.cursor'));
    expect(await setup('cursor')).toMatchObject({ error: { exitCode: 3, fix: 'mv .cursor .cursor.aside && cleo setup cursor' } });
    expect(readdirSync(outside)).toEqual([]);
    put({ root }, '.vscode', 'a file');
    expect(await setup('vscode')).toMatchObject({ error: { exitCode: 3, fix: 'mv .vscode .vscode.aside && cleo setup vscode' } });
  });

  test('sets up and removes a valid file of a megabyte', async () => {
    const big = JSON.stringify(
      { mcpServers: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`server-${i}`, { command: `command-${i}` }])) },
      null,
      2,
    );
    const { setup, read } = await project({ '.mcp.json': big });
    expect(await setup('claude')).toMatchObject({ success: true });
    expect(JSON.parse(read('.mcp.json')).mcpServers.cleo).toEqual({ command: 'cleo', args: ['mcp'] });
    await setup('claude', { remove: true });
    expect(read('.mcp.json')).toBe(big);
  });
});
