import { is } from 'valibot';
import { expect, test } from 'vitest';
import { AgentId } from '#core/model/scalars.ts';
import { chooseSession, identifyByEnvironment, type SessionCandidate, type SessionReference } from './caller.ts';

test.each<{ why: string; env: Record<string, string>; agent: string; kind: string }>([
  { why: 'a person is the login name', env: {}, agent: 'sam', kind: 'person' },
  {
    why: 'two terminal tabs of one person are one identity',
    env: { TMUX_PANE: '%3', TERM_SESSION_ID: 'w0t1p0', WT_SESSION: 'x', KITTY_WINDOW_ID: '7', WEZTERM_PANE: '1' },
    agent: 'sam',
    kind: 'person',
  },
  {
    why: 'the integrated terminal of an editor is a person',
    env: { CURSOR_TRACE_ID: 'abc', TERM_PROGRAM: 'vscode', CURSOR_EXTENSION_HOST_ROLE: 'main' },
    agent: 'sam',
    kind: 'person',
  },
  { why: 'CLEO_AGENT_ID wins', env: { CLEO_AGENT_ID: 'ada', CLAUDE_CODE_SESSION_ID: '3f25' }, agent: 'ada', kind: 'named' },
  { why: 'Claude Code', env: { CLAUDE_CODE_SESSION_ID: '3f25-04e0', CLAUDECODE: '1' }, agent: 'claude-3f25-04e0', kind: 'conversation' },
  { why: 'Codex', env: { CODEX_THREAD_ID: 'abc', CODEX_SESSION_ID: 'abc' }, agent: 'codex-abc', kind: 'conversation' },
  { why: 'an older Codex', env: { CODEX_SESSION_ID: 'abc' }, agent: 'codex-abc', kind: 'conversation' },
  { why: 'a hook of Gemini CLI', env: { GEMINI_SESSION_ID: 'abc' }, agent: 'gemini-abc', kind: 'conversation' },
  { why: 'Gemini CLI without an id', env: { GEMINI_CLI: '1' }, agent: 'gemini', kind: 'mark' },
  { why: 'OpenCode', env: { OPENCODE: '1', OPENCODE_PID: '7' }, agent: 'opencode', kind: 'mark' },
  { why: 'Claude Code without an id', env: { CLAUDECODE: '1' }, agent: 'claude', kind: 'mark' },
  { why: 'a hook of Codex', env: { CODEX_MANAGED_BY_NPM: '1' }, agent: 'codex', kind: 'mark' },
  { why: 'the sandbox of Codex', env: { CODEX_SANDBOX: 'seatbelt' }, agent: 'codex', kind: 'mark' },
  { why: 'the agent of Cursor', env: { CURSOR_AGENT: '1' }, agent: 'cursor', kind: 'mark' },
  { why: 'a newer Cursor', env: { CURSOR_EXTENSION_HOST_ROLE: 'agent-exec' }, agent: 'cursor', kind: 'mark' },
  {
    why: 'characters that an id cannot have are removed',
    env: { CODEX_THREAD_ID: 'w0:3F 04/$(x)' },
    agent: 'codex-w03F04x',
    kind: 'conversation',
  },
  { why: 'an empty id is skipped', env: { CLAUDE_CODE_SESSION_ID: '', CLAUDECODE: '1' }, agent: 'claude', kind: 'mark' },
  { why: 'an id of invalid characters only is skipped', env: { CODEX_THREAD_ID: '%%%' }, agent: 'sam', kind: 'person' },
  { why: 'a long id is cut', env: { GEMINI_CLI_SESSION_ID: 'x'.repeat(500) }, agent: `gemini-${'x'.repeat(60)}`, kind: 'conversation' },
])('$why', ({ env, agent, kind }) => {
  const identity = identifyByEnvironment(env, () => 'sam');
  expect(identity).toMatchObject({ agent, kind });
  expect(is(AgentId, identity.agent)).toBe(true);
});

test.each([
  ['Sam Doe', 'SamDoe'],
  ['%', 'main'],
  [undefined, 'main'],
])('the login name %s becomes %s', (login, agent) => {
  expect(identifyByEnvironment({}, () => login).agent).toBe(agent);
});

test('a client inside another client has the marks of both', () => {
  expect(identifyByEnvironment({ CLAUDE_CODE_SESSION_ID: 'a', GEMINI_CLI: '1' }, () => 'sam')).toEqual({
    kind: 'mark',
    agent: 'claude-a',
    client: 'claude',
    nested: [
      { kind: 'conversation', agent: 'claude-a', client: 'claude' },
      { kind: 'mark', agent: 'gemini', client: 'gemini' },
    ],
  });
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ TMUX_PANE: '%3', TERM_SESSION_ID: 'x', CLEO_SESSION_ID: 'session-1' }, false],
  [{ CLEO_AGENT_ID: '' }, false],
  [{ CLEO_AGENT_ID: 'ada' }, true],
  [{ CODEX_THREAD_ID: 'abc', TMUX_PANE: '%3' }, true],
  [{ CLAUDECODE: '1' }, true],
])('%j is the environment of an agent: %s', (env, isAgent) => {
  expect(identifyByEnvironment(env, () => '').kind !== 'person').toBe(isAgent);
});

const session = (id: string, more: Partial<SessionCandidate> = {}): SessionCandidate => ({
  id,
  status: 'active',
  scope: { kind: 'global' },
  isGraded: false,
  isMine: false,
  ...more,
});
const mine = { isMine: true };
const ended = { status: 'ended' as const };
const call = (id: string): SessionReference => ({ id, by: 'call' });
const fromEnvironment = (id: string): SessionReference => ({ id, by: 'environment' });

test.each<[string, SessionCandidate[], SessionReference | undefined, string]>([
  ['named in the call', [session('a'), session('b', mine)], call('a'), 'session a'],
  ['named in the call, unknown', [session('a')], call('x'), 'unknown x'],
  ['named in the call, ended: no other session is chosen', [session('a', ended), session('b', mine)], call('a'), 'inactive a'],
  ['named by the environment', [session('a'), session('b', mine)], fromEnvironment('a'), 'session a'],
  ['the environment names an unknown session', [session('b', mine)], fromEnvironment('x'), 'tag x'],
  [
    'the environment names an ended session: the active one is chosen',
    [session('a', ended), session('b', mine)],
    fromEnvironment('a'),
    'session b',
  ],
  ['the environment names an ended session, and no other is active', [session('a', ended)], fromEnvironment('a'), 'inactive a'],
  ['the only session of this agent', [session('a'), session('b', mine)], undefined, 'session b'],
  ['the only active session, of another agent: it is not joined', [session('a')], undefined, 'others a'],
  ['the only active session, its own', [session('a', mine)], undefined, 'session a'],
  ['two sessions of this agent', [session('a', mine), session('b', mine)], undefined, 'ambiguous a,b'],
  ['two sessions of this agent and one of another', [session('a', mine), session('b'), session('c', mine)], undefined, 'ambiguous a,c'],
  ['several sessions, none of this agent', [session('a'), session('b')], undefined, 'others a,b'],
  ['no session', [], undefined, 'others '],
])('%s', (_, candidates, named, expected) => {
  const [[kind, value] = []] = Object.entries(chooseSession(candidates, named)) as [string, SessionCandidate | string][];
  expect(`${kind} ${typeof value === 'object' && 'id' in value ? value.id : value}`).toBe(expected);
});
