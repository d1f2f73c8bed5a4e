import type { ShippedProfile } from '../model/profile.ts';
import { agentVariables, listStoreVariables } from './store-variables.ts';

/** Variables of the network and of git that every client needs. */
const common = `
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME
  XDG_STATE_HOME SHELL USER LOGNAME TZ GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL
  GIT_CONFIG_NOSYSTEM
`;
const toNames = (text: string): string[] => text.trim().split(/\s+/);

/** Tools that Claude Code runs without a question. Other shell commands need its sandbox, which is missing on some machines; a commit is
 *  needed on all. */
const claudeTools = [
  ...['Edit', 'Write', 'mcp__cleo__cleo_query', 'mcp__cleo__cleo_mutate'],
  ...['add', 'commit', 'status', 'diff', 'log'].map((name) => `Bash(git ${name}:*)`),
  'Bash(cleo:*)',
];

/** A shell command runs without a question only inside the sandbox of Claude Code. */
const claudeSettings = { sandbox: { enabled: true, autoAllowBashIfSandboxed: true }, enableAllProjectMcpServers: true };
const claudeMcp = { mcpServers: { cleo: { command: 'cleo', args: ['mcp'] } } };

/** Profiles of the known clients. Each lets its client edit files and run commands in the worktree with its own sandbox on, and reach the
 *  store over MCP, because a sandboxed shell may not write there. */
export const shippedProfiles: Record<string, ShippedProfile> = {
  claude: {
    argv: [
      ...['claude', '-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
      ...['--allowedTools', claudeTools.join(','), '--add-dir', '{output}'],
      ...['--settings', JSON.stringify(claudeSettings), '--mcp-config', JSON.stringify(claudeMcp)],
    ],
    prompt: 'stdin',
    output: 'claude-json',
    env: toNames(`${common} ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR
      CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX AWS_PROFILE AWS_REGION DISABLE_TELEMETRY DISABLE_AUTOUPDATER
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC`),
  },
  codex: {
    argv: [
      ...['codex', 'exec', '--json', '--skip-git-repo-check'],
      ...['-c', 'mcp_servers.cleo.command="cleo"', '-c', 'mcp_servers.cleo.args=["mcp"]'],
      // Codex rejects calls of a server that need an approval when nobody can give it.
      ...['-c', 'mcp_servers.cleo.default_tools_approval_mode="approve"'],
      // Codex passes only the variables on to an MCP server that its configuration names.
      ...['-c', `mcp_servers.cleo.env_vars=${JSON.stringify([...agentVariables, ...listStoreVariables({ isClient: true })])}`],
      // The sandbox of Codex named "workspace-write" never lets a command write to a git folder, so that it could not commit.
      ...['-c', 'default_permissions="cleo"'],
      ...['-c', 'permissions.cleo.filesystem={":root" = "read", ":tmpdir" = "write", {writable}}', '-'],
    ],
    prompt: 'stdin',
    output: 'codex-json',
    env: toNames(`${common} OPENAI_API_KEY OPENAI_BASE_URL CODEX_HOME CODEX_API_KEY`),
  },
  gemini: {
    argv: [
      ...['gemini', '--output-format', 'stream-json', '--approval-mode', 'auto_edit', '--allowed-mcp-server-names', 'cleo'],
      ...['--allowed-tools', 'run_shell_command(git),run_shell_command(npm),run_shell_command(cleo)', '--include-directories', '{output}'],
    ],
    prompt: 'stdin',
    output: 'gemini-json',
    env: toNames(`${common} GEMINI_API_KEY GOOGLE_API_KEY GOOGLE_CLOUD_PROJECT GOOGLE_CLOUD_LOCATION GOOGLE_GENAI_USE_VERTEXAI
      GOOGLE_GEMINI_BASE_URL GOOGLE_APPLICATION_CREDENTIALS GEMINI_MODEL`),
  },
  opencode: {
    argv: ['opencode', 'run', '--format', 'json'],
    prompt: 'arg',
    output: 'opencode-json',
    env: toNames(`${common} OPENCODE_CONFIG OPENCODE_CONFIG_DIR OPENCODE_DISABLE_AUTOUPDATE OPENCODE_DISABLE_MODELS_FETCH
      OPENCODE_DISABLE_LSP_DOWNLOAD ANTHROPIC_API_KEY OPENAI_API_KEY`),
  },
  // For a program of the user's own, which `profiles.command.argv` names.
  command: { prompt: 'stdin', output: 'text', env: toNames(common) },
};
