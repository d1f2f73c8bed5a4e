import { agents } from './agents.generated.ts';

/** The programs that agents run in, as far as we set them up. */
export const clientNames = ['claude', 'codex', 'cursor', 'gemini', 'vscode', 'opencode'] as const;
export type ClientName = (typeof clientNames)[number];

export const pieceKinds = ['mcp', 'hooks', 'statusline', 'agents', 'text'] as const;

/** One thing that is put into a file. */
export interface Piece {
  file: string;
  /** `mcp`: the server. `hooks` and `statusline`: what Claude Code runs. `agents`: those that work is handed to. `text`: the block for
   *  the agent to read. */
  what: (typeof pieceKinds)[number];
  /** The file is ours as a whole. */
  whole?: string;
  /** Keys down to the value, with `[]` for an element of an array; none for a marked block. */
  path?: string[];
  value?: unknown;
  /** What tells our own element of an array from others. */
  sign?: string;
}

export interface Client {
  name: ClientName;
  title: string;
  /** What shows that it is used in a project, and by a user. */
  signs: string[];
  homeSigns: string[];
  pieces: Piece[];
  /** Of a file that is made for it. */
  seeds?: Record<string, string>;
}

// `cleo` as everybody finds it on their own path: these files are committed.
const command = 'cleo';
const server = { command, args: ['mcp'] };

/** Prints where things stand, as plain text: what looks like JSON is read as an order to the client. It is silent where there is
 *  no project or no cleo: it runs at the start of every session of everybody who works here. */
export const briefingHook = 'cleo briefing --human --budget 2000 2>/dev/null || true';
const hook = { hooks: [{ type: 'command', command: briefingHook, timeout: 10 }] };
const hookSign = 'cleo briefing';

type Agent = (typeof agents)[keyof typeof agents];

/** The agents that work is handed to, each as the client reads it. */
const agentFiles = (folder: string, textOf: (name: string, agent: Agent) => string): Piece[] =>
  Object.entries(agents).map(([name, agent]) => ({ file: `${folder}/${name}.md`, what: 'agents', whole: textOf(name, agent) }));

const withHead = ({ body }: Agent, head: string[]): string => `---\n${head.join('\n')}\n---\n${body}`;

export const clients: Client[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    signs: ['.claude', 'CLAUDE.md', '.mcp.json'],
    homeSigns: ['.claude', '.claude.json'],
    pieces: [
      { file: '.mcp.json', what: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      // After a compaction a session starts again, and reads it again.
      { file: '.claude/settings.json', what: 'hooks', path: ['hooks', 'SessionStart', '[]'], value: hook, sign: hookSign },
      // What is printed before a compaction tells the summary what to keep.
      { file: '.claude/settings.json', what: 'hooks', path: ['hooks', 'PreCompact', '[]'], value: hook, sign: hookSign },
      {
        file: '.claude/settings.json',
        what: 'statusline',
        path: ['statusLine'],
        value: { type: 'command', command: 'cleo context statusline' },
        sign: 'cleo context statusline',
      },
      ...agentFiles('.claude/agents', (_, { text }) => text),
      { file: 'CLAUDE.md', what: 'text' },
    ],
  },
  {
    name: 'codex',
    title: 'Codex',
    signs: ['.codex'],
    homeSigns: ['.codex'],
    pieces: [
      { file: '.codex/config.toml', what: 'mcp' },
      { file: 'AGENTS.md', what: 'text' },
    ],
  },
  {
    name: 'cursor',
    title: 'Cursor',
    signs: ['.cursor', '.cursorrules'],
    homeSigns: ['.cursor'],
    pieces: [
      { file: '.cursor/mcp.json', what: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      ...agentFiles('.cursor/agents', (name, agent) => withHead(agent, [`name: ${name}`, `description: ${agent.description}`])),
      { file: 'AGENTS.md', what: 'text' },
    ],
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    signs: ['.gemini', 'GEMINI.md'],
    homeSigns: ['.gemini'],
    pieces: [
      { file: '.gemini/settings.json', what: 'mcp', path: ['mcpServers', 'cleo'], value: server },
      ...agentFiles('.gemini/agents', (name, agent) => withHead(agent, [`name: ${name}`, `description: ${agent.description}`])),
      { file: 'GEMINI.md', what: 'text' },
    ],
  },
  {
    name: 'vscode',
    title: 'VS Code',
    signs: ['.vscode'],
    homeSigns: ['.vscode'],
    pieces: [
      { file: '.vscode/mcp.json', what: 'mcp', path: ['servers', 'cleo'], value: { type: 'stdio', ...server } },
      { file: 'AGENTS.md', what: 'text' },
    ],
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    signs: ['opencode.json', 'opencode.jsonc', '.opencode'],
    homeSigns: ['.config/opencode'],
    pieces: [
      { file: 'opencode.json', what: 'mcp', path: ['mcp', 'cleo'], value: { type: 'local', command: [command, 'mcp'], enabled: true } },
      ...agentFiles('.opencode/agents', (name, agent) =>
        withHead(agent, [
          `description: ${agent.description}`,
          'mode: subagent',
          // Whoever judges does not repair.
          ...(name === 'cleo-validator' ? ['permission:', '  edit: deny'] : []),
        ]),
      ),
      { file: 'AGENTS.md', what: 'text' },
    ],
    seeds: { 'opencode.json': '{\n  "$schema": "https://opencode.ai/config.json"\n}\n' },
  },
];

/** What stands between the marks of a file that agents read: the way to everything else, as short as it can be. */
export const agentText = `## Tasks: cleo

Work in this project is planned, claimed and handed on with cleo. Before you begin:

1. \`cleo briefing\`: session, focus, handoff, what is next.
2. \`cleo inject --tier minimal\`: how to work with it (\`standard\` and \`orchestrator\` say more).

Over MCP \`cleo_query\` reads and \`cleo_mutate\` writes; \`admin.help\` lists the operations. In a shell it is \`cleo help\`.
Every answer is JSON with an exit code; a refusal carries \`error.fix\`, a command that leads out of it.
`;

/** The table for Codex, which stands between marks. */
export const codexTable = `[mcp_servers.cleo]
command = "${command}"
args = ["mcp"]
`;
