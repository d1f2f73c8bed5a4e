import { expect, test } from 'vitest';
import { environmentMarks } from '../model/agent-marks.ts';
import type { ProcessEntry } from '../model/caller-identity.ts';
import { describeMark, findMarks } from './agent-marks.ts';
import { identifyByEnvironment } from './caller.ts';

const rows = environmentMarks.flatMap(({ kind, owner, variables }) => variables.map((variable) => ({ kind, owner, variable })));

test.each(rows)('$variable is a mark of $owner', ({ kind, owner, variable }) => {
  const [, name = '', sign, value = '1'] = /^(\w+)(?:([=~])(.*))?$/s.exec(variable) ?? [];
  const env = { [name]: sign === '~' ? `/opt/${value}/bin` : value };
  const mark = findMarks(env, []).find((each) => each.owner === owner);
  expect(mark).toEqual({ kind, owner, name });
  expect(describeMark(mark!)).toBe(`the variable ${name} is set, which is a mark of ${owner}`);
});

test('no variable is listed twice for one owner', () => {
  const names = rows.map(({ variable, owner }) => `${owner} ${variable}`);
  expect(names).toEqual([...new Set(names)]);
});

test('every environment that identifies an agent has a mark', () => {
  for (const { variable } of rows) {
    const [name = '', value = '1'] = variable.split('=');
    const env = { [name]: value };
    if (identifyByEnvironment(env, () => 'sam').kind !== 'person') expect(findMarks(env, [])).not.toEqual([]);
  }
});

test.each<[string, Record<string, string>]>([
  ['an empty environment', {}],
  ['a variable without a value', { CI: '', CLAUDECODE: '' }],
  ['CI switched off', { CI: 'false', GITHUB_ACTIONS: '0' }],
  ['the terminal of an editor', { CURSOR_TRACE_ID: 'abc', TERM_PROGRAM: 'vscode', CURSOR_EXTENSION_HOST_ROLE: 'main', EDITOR: 'vim' }],
  ['a terminal multiplexer', { TMUX: '/tmp/tmux-1000/default,1,0', STY: '1.pts-0' }],
])('%s has no mark', (_, env) => {
  expect(findMarks(env, [])).toEqual([]);
});

const entry = (argv: string[], more: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid: 7,
  parentPid: 1,
  startTime: '',
  name: argv[0] ?? '',
  executable: '',
  argv,
  ...more,
});

test.each<[string, ProcessEntry, string | undefined]>([
  ['script', entry(['script', '-qc', 'cleo memory confirm D-001', '/dev/null']), 'script'],
  ['a full path', entry(['/usr/bin/expect', 'answer.exp']), 'expect'],
  ['unbuffer, a script of Tcl', entry(['/usr/bin/tclsh8.6', '/usr/bin/unbuffer', 'cleo']), 'unbuffer'],
  ['a one-line program of Python', entry(['python3', '-c', 'import pty; pty.spawn(["cleo"])']), 'python3'],
  ['Claude Code as a script', entry(['node', '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js']), 'claude'],
  ['Codex', entry(['codex', 'exec'], { executable: '/opt/codex' }), 'codex'],
  ['Gemini CLI', entry(['node', '/usr/bin/gemini']), 'gemini'],
  ['OpenCode', entry(['opencode']), 'opencode'],
  ["Cursor's agent", entry(['cursor-agent', '-p']), 'cursor'],
  ['Aider', entry(['/usr/bin/python3', '/home/sam/.local/bin/aider']), 'aider'],
  ['Goose', entry(['goose', 'run']), 'goose'],
  ['Amp', entry(['node', '/usr/bin/amp']), 'amp'],
  ['Copilot', entry(['copilot']), 'copilot'],
  ['the editor Cursor, where people type as well', entry(['/usr/share/cursor/cursor']), undefined],
  ['a shell', entry(['-bash']), undefined],
  ['a terminal multiplexer', entry(['tmux', 'new']), undefined],
  ['a login over SSH', entry(['sshd: sam@pts/0']), undefined],
  ['a program of Python', entry(['python3', 'pty_report.py']), undefined],
])('the ancestor %s', (_, process, name) => {
  expect(findMarks({}, [process])[0]?.name).toBe(name);
});
