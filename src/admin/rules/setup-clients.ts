import { agents } from './agents.generated.ts';

/** The agent clients that setup supports. */
export const clientNames = ['claude', 'codex', 'cursor', 'gemini', 'vscode', 'opencode'] as const;
export type ClientName = (typeof clientNames)[number];

export const partKinds = ['mcp', 'hooks', 'statusline', 'agents', 'text'] as const;

/** One part of the setup: a file, or a value or block in a file. */
export interface SetupPart {
  file: string;
  /** `mcp`: the server. `hooks` and `statusline`: commands that the client runs. `agents`: agent definitions. `text`: the block
   *  that agents read. */
  kind: (typeof partKinds)[number];
  /** The content of a file that setup owns completely. */
  content?: string;
  /** The keys of the value, with `[]` for an array element; absent for a marked block. */
  path?: string[];
  value?: unknown;
  /** A text that identifies our element of an array. */
  marker?: string;
}

export interface Client {
  name: ClientName;
  title: string;
  /** Files that show that the client is used in a project, and by a user. */
  projectMarkers: string[];
  homeMarkers: string[];
  parts: SetupPart[];
  /** The initial content of files that setup creates. */
  seeds?: Record<string, string>;
  /** Steps that only a person can take in the client after setup. */
  steps: string[];
}

// `cleo` is resolved by the PATH of each user, because these files are committed.
export const serverCommand = 'cleo';
const server = { command: serverCommand, args: ['mcp'] };
export const serverWords = [server.command, ...server.args];

// VS Code replaces this with the open folder. Without it, the server starts in the home folder.
// biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it, not JavaScript
export const workspaceFolder = '${workspaceFolder}';

/** The command of a hook. It prints the briefing in the form that the client passes to the model, and nothing without a project
 *  or without cleo, because it runs at the start of every session of everyone who works in the repository. */
export const formatHookCommand = (client: 'claude' | 'codex' | 'gemini'): string =>
  `cleo briefing --hook ${client} --budget 2000 2>/dev/null || true`;
const hookMarker = 'cleo briefing';

/** One hook. Claude Code and Codex count its timeout in seconds, Gemini CLI in milliseconds. */
const createHook = (file: string, client: 'claude' | 'codex' | 'gemini', event: string, fields: object): SetupPart => ({
  file,
  kind: 'hooks',
  path: ['hooks', event, '[]'],
  value: { hooks: [{ type: 'command', command: formatHookCommand(client), ...fields }] },
  marker: hookMarker,
});

type Agent = (typeof agents)[keyof typeof agents];

/** The agent definitions in the format of a client. */
const listAgentFiles = (folder: string, format: (name: string, agent: Agent) => string): SetupPart[] =>
  Object.entries(agents).map(([name, agent]) => ({ file: `${folder}/${name}.md`, kind: 'agents', content: format(name, agent) }));

const formatAgentFile = ({ body }: Agent, head: string[]): string => `---\n${head.join('\n')}\n---\n${body}`;
const formatNamedAgent = (name: string, agent: Agent): string =>
  formatAgentFile(agent, [`name: ${name}`, `description: ${agent.description}`]);

export const clients: Client[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    steps: ['Start claude in this folder and approve the server cleo; /mcp shows its state'],
    projectMarkers: ['.claude', 'CLAUDE.md', '.mcp.json'],
    homeMarkers: ['.claude', '.claude.json'],
    parts: [
      { file: '.mcp.json', kind: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      // A session also starts after a compaction.
      createHook('.claude/settings.json', 'claude', 'SessionStart', { timeout: 10 }),
      // The summary of a compaction takes the output of this hook into account.
      createHook('.claude/settings.json', 'claude', 'PreCompact', { timeout: 10 }),
      {
        file: '.claude/settings.json',
        kind: 'statusline',
        path: ['statusLine'],
        value: { type: 'command', command: 'cleo context statusline' },
        marker: 'cleo context statusline',
      },
      ...listAgentFiles('.claude/agents', (_, { text }) => text),
      { file: 'CLAUDE.md', kind: 'text' },
    ],
  },
  {
    name: 'codex',
    title: 'Codex',
    steps: [
      'Start codex in this folder and trust it; Codex reads .codex only in trusted folders',
      'Run /hooks in Codex and approve the hook, so that the briefing reaches the agent',
    ],
    projectMarkers: ['.codex'],
    homeMarkers: ['.codex'],
    parts: [
      { file: '.codex/config.toml', kind: 'mcp' },
      createHook('.codex/hooks.json', 'codex', 'SessionStart', { timeout: 10 }),
      { file: 'AGENTS.md', kind: 'text' },
    ],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    steps: ['Open Cursor Settings, MCP, and turn on the server cleo'],
    projectMarkers: ['.cursor', '.cursorrules'],
    homeMarkers: ['.cursor'],
    parts: [
      { file: '.cursor/mcp.json', kind: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      ...listAgentFiles('.cursor/agents', formatNamedAgent),
      { file: 'AGENTS.md', kind: 'text' },
    ],
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    steps: ['Start gemini in this folder and trust it; Gemini CLI reads .gemini only in trusted folders'],
    projectMarkers: ['.gemini', 'GEMINI.md'],
    homeMarkers: ['.gemini'],
    parts: [
      { file: '.gemini/settings.json', kind: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      createHook('.gemini/settings.json', 'gemini', 'SessionStart', { name: 'cleo-briefing', timeout: 10_000 }),
      ...listAgentFiles('.gemini/agents', formatNamedAgent),
      { file: 'GEMINI.md', kind: 'text' },
    ],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    steps: ['Open .vscode/mcp.json, choose Start above the server cleo, and trust it'],
    projectMarkers: ['.vscode'],
    homeMarkers: ['.vscode'],
    parts: [
      { file: '.vscode/mcp.json', kind: 'mcp', path: ['servers', 'cleo'], value: { type: 'stdio', ...server, cwd: workspaceFolder } },
      { file: 'AGENTS.md', kind: 'text' },
    ],
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    steps: ['Restart opencode in this folder; opencode mcp list shows the server'],
    projectMarkers: ['opencode.json', 'opencode.jsonc', '.opencode'],
    homeMarkers: ['.config/opencode'],
    parts: [
      {
        file: 'opencode.json',
        kind: 'mcp',
        path: ['mcp', 'cleo'],
        value: { type: 'local', command: serverWords, enabled: true },
      },
      ...listAgentFiles('.opencode/agents', (name, agent) =>
        formatAgentFile(agent, [
          `description: ${agent.description}`,
          'mode: subagent',
          // A validator must not change files.
          ...(name === 'cleo-validator' ? ['permission:', '  edit: deny'] : []),
        ]),
      ),
      { file: 'AGENTS.md', kind: 'text' },
    ],
    seeds: { 'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json"\n}\n' },
  },
];

/** The marked block in a file that agents read: a short pointer to everything else. */
export const agentText = `## Tasks: cleo

Work in this project is planned, claimed and handed off with cleo. Before you start:

1. \`cleo briefing\`: session, focus, handoff, next task.
2. \`cleo inject --tier minimal\`: how to work with it (\`standard\` and \`orchestrator\` contain more).

Over MCP \`cleo_query\` reads and \`cleo_mutate\` writes; \`admin.help\` lists the operations. In a shell it is \`cleo help\`.
Every answer is JSON with an exit code; an error contains \`error.fix\`, a command that resolves it.
`;

/** The marked block for Codex. */
export const codexTable = `[mcp_servers.cleo]
command = "${serverCommand}"
args = ["mcp"]
`;
