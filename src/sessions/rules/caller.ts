/** What the environment of an agent says of it, most telling first; then what a terminal says of itself. */
const agents: [variable: string, prefix: string][] = [
  ['CLAUDE_CODE_SESSION_ID', 'claude'],
  ['CODEX_SESSION_ID', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CURSOR_TRACE_ID', 'cursor'],
  ['GEMINI_CLI_SESSION_ID', 'gemini'],
];
const terminals: typeof agents = [
  ['TMUX_PANE', 'tmux'],
  ['TERM_SESSION_ID', 'term'],
  ['WT_SESSION', 'term'],
  ['KITTY_WINDOW_ID', 'kitty'],
  ['WEZTERM_PANE', 'wezterm'],
];

/** The agent that is calling: named outright, else told by its environment, else `main`. */
export function agentFrom(env: Record<string, string | undefined>): string {
  if (env.CLEO_AGENT_ID) return env.CLEO_AGENT_ID;
  for (const [variable, prefix] of [...agents, ...terminals]) {
    const value = env[variable]?.replace(/[^\w.-]/g, '').slice(0, 40);
    if (value) return `${prefix}-${value}`;
  }
  return 'main';
}

/** Whether an agent set this environment up. Some only leave a mark, without an id. */
export const isAgents = (env: Record<string, string | undefined>): boolean =>
  ['CLEO_AGENT_ID', ...agents.map(([variable]) => variable), ...marks].some((variable) => env[variable]);

const marks = ['CLAUDECODE', 'CODEX_SANDBOX', 'CURSOR_AGENT', 'GEMINI_CLI', 'OPENCODE'];
