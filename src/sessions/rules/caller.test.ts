import { is } from 'valibot';
import { expect, test } from 'vitest';
import { AgentId } from '#core/model/scalars.ts';
import { agentFrom, isAgents } from './caller.ts';

test.each<{ why: string; env: Record<string, string>; agent: string }>([
  { why: 'nothing known', env: {}, agent: 'main' },
  { why: 'named outright', env: { CLEO_AGENT_ID: 'ada', TMUX_PANE: '%3' }, agent: 'ada' },
  {
    why: 'Claude Code before the terminal it runs in',
    env: { CLAUDE_CODE_SESSION_ID: '3f25-04e0', TMUX_PANE: '%3' },
    agent: 'claude-3f25-04e0',
  },
  { why: 'Codex', env: { CODEX_THREAD_ID: 'abc' }, agent: 'codex-abc' },
  { why: 'a tmux pane', env: { TMUX_PANE: '%3' }, agent: 'tmux-3' },
  {
    why: 'a terminal session with characters that no id has',
    env: { TERM_SESSION_ID: 'w0t1p0:3F25 04E0/$(x)' },
    agent: 'term-w0t1p03F2504E0x',
  },
  { why: 'a sign without a value', env: { CURSOR_TRACE_ID: '', KITTY_WINDOW_ID: '7' }, agent: 'kitty-7' },
  { why: 'a sign of nothing but such characters', env: { TMUX_PANE: '%%%' }, agent: 'main' },
  { why: 'a very long one', env: { GEMINI_CLI_SESSION_ID: 'x'.repeat(500) }, agent: `gemini-${'x'.repeat(40)}` },
])('$why', ({ env, agent }) => {
  expect(agentFrom(env)).toBe(agent);
  expect(is(AgentId, agentFrom(env))).toBe(true);
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ TMUX_PANE: '%3', TERM_SESSION_ID: 'x', CLEO_SESSION_ID: 'session-1' }, false],
  [{ CLEO_AGENT_ID: '' }, false],
  [{ CLEO_AGENT_ID: 'ada' }, true],
  [{ CODEX_THREAD_ID: 'abc', TMUX_PANE: '%3' }, true],
  [{ CLAUDECODE: '1' }, true],
])('%j is the environment of an agent: %s', (env, is) => {
  expect(isAgents(env)).toBe(is);
});
