/** Environment variables that identify an agent, most specific first, and the prefix of the agent id made from them. */
const agentVariables: [variable: string, prefix: string][] = [
  ['CLAUDE_CODE_SESSION_ID', 'claude'],
  ['CODEX_SESSION_ID', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CURSOR_TRACE_ID', 'cursor'],
  ['GEMINI_CLI_SESSION_ID', 'gemini'],
];
const terminalVariables: typeof agentVariables = [
  ['TMUX_PANE', 'tmux'],
  ['TERM_SESSION_ID', 'term'],
  ['WT_SESSION', 'term'],
  ['KITTY_WINDOW_ID', 'kitty'],
  ['WEZTERM_PANE', 'wezterm'],
];

/** Returns `CLEO_AGENT_ID`, else an id made from the variables of an agent or a terminal, else `main`. */
export function identifyAgent(env: Record<string, string | undefined>): string {
  if (env.CLEO_AGENT_ID) return env.CLEO_AGENT_ID;
  for (const [variable, prefix] of [...agentVariables, ...terminalVariables]) {
    const value = env[variable]?.replace(/[^\w.-]/g, '').slice(0, 40);
    if (value) return `${prefix}-${value}`;
  }
  return 'main';
}

/** Returns true if an agent set up this environment. Some agents set only a marker, without an id. */
export const isAgentEnvironment = (env: Record<string, string | undefined>): boolean =>
  ['CLEO_AGENT_ID', ...agentVariables.map(([variable]) => variable), ...agentMarkers].some((variable) => env[variable]);

const agentMarkers = ['CLAUDECODE', 'CODEX_SANDBOX', 'CURSOR_AGENT', 'GEMINI_CLI', 'OPENCODE'];
