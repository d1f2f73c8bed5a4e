import { is } from 'valibot';
import { expect, test } from 'vitest';
import { AgentId } from '#core/model/scalars.ts';
import { identifyAgent, isAgentEnvironment } from './caller.ts';

test.each<{ why: string; env: Record<string, string>; agent: string }>([
  { why: 'no variable set', env: {}, agent: 'main' },
  { why: 'CLEO_AGENT_ID wins', env: { CLEO_AGENT_ID: 'ada', TMUX_PANE: '%3' }, agent: 'ada' },
  {
    why: 'Claude Code wins over the terminal it runs in',
    env: { CLAUDE_CODE_SESSION_ID: '3f25-04e0', TMUX_PANE: '%3' },
    agent: 'claude-3f25-04e0',
  },
  { why: 'Codex', env: { CODEX_THREAD_ID: 'abc' }, agent: 'codex-abc' },
  { why: 'a tmux pane', env: { TMUX_PANE: '%3' }, agent: 'tmux-3' },
  {
    why: 'characters that an id cannot have are removed',
    env: { TERM_SESSION_ID: 'w0t1p0:3F25 04E0/$(x)' },
    agent: 'term-w0t1p03F2504E0x',
  },
  { why: 'an empty variable is skipped', env: { CURSOR_TRACE_ID: '', KITTY_WINDOW_ID: '7' }, agent: 'kitty-7' },
  { why: 'a value of invalid characters only is skipped', env: { TMUX_PANE: '%%%' }, agent: 'main' },
  { why: 'a long value is cut', env: { GEMINI_CLI_SESSION_ID: 'x'.repeat(500) }, agent: `gemini-${'x'.repeat(40)}` },
])('$why', ({ env, agent }) => {
  expect(identifyAgent(env)).toBe(agent);
  expect(is(AgentId, identifyAgent(env))).toBe(true);
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ TMUX_PANE: '%3', TERM_SESSION_ID: 'x', CLEO_SESSION_ID: 'session-1' }, false],
  [{ CLEO_AGENT_ID: '' }, false],
  [{ CLEO_AGENT_ID: 'ada' }, true],
  [{ CODEX_THREAD_ID: 'abc', TMUX_PANE: '%3' }, true],
  [{ CLAUDECODE: '1' }, true],
])('%j is the environment of an agent: %s', (env, isAgent) => {
  expect(isAgentEnvironment(env)).toBe(isAgent);
});
