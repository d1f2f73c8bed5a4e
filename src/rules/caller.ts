/** What the environment of an agent says of it, most telling first. */
const signs: [variable: string, prefix: string][] = [
  ['CLAUDE_CODE_SESSION_ID', 'claude'],
  ['CODEX_SESSION_ID', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CURSOR_TRACE_ID', 'cursor'],
  ['GEMINI_CLI_SESSION_ID', 'gemini'],
  ['TMUX_PANE', 'tmux'],
  ['TERM_SESSION_ID', 'term'],
  ['WT_SESSION', 'term'],
  ['KITTY_WINDOW_ID', 'kitty'],
  ['WEZTERM_PANE', 'wezterm'],
];

/** The agent that is calling: named outright, else told by its environment, else `main`. */
export function agentFrom(env: Record<string, string | undefined>): string {
  if (env.CLEO_AGENT_ID) return env.CLEO_AGENT_ID;
  for (const [variable, prefix] of signs) {
    const value = env[variable]?.replace(/[^\w.-]/g, '').slice(0, 40);
    if (value) return `${prefix}-${value}`;
  }
  return 'main';
}
