import { clientVariables } from './client-variables.ts';

/** One agent client, and every fact about it that tells who is calling. */
export interface AgentClient {
  /** Begins the ids of its agents: `claude-…`. */
  name: string;
  /** Names of its executables and scripts. */
  programs: string[];
  /** The npm package whose scripts start it under other names. */
  package?: string;
  /** Keys of `_meta` in an MCP request that hold the id of the conversation. */
  requestKeys?: string[];
  /** The facts that each surface of the client has, as observed with the versions of `npm run test:clients`. A provisional id is
   *  replaced when another surface reports the conversation. */
  surfaces?: { server: string; shell: string; hook?: string; statusline?: string };
}

/** The clients that have a hook for the start of a session. */
export const hookClients = ['claude', 'codex', 'gemini'] as const;

export const agentClients: AgentClient[] = [
  {
    name: 'claude',
    programs: ['claude'],
    package: '@anthropic-ai/claude-code',
    surfaces: {
      server: 'CLAUDE_CODE_SESSION_ID (provisional after --continue), process',
      shell: 'CLAUDE_CODE_SESSION_ID',
      hook: 'session_id on standard input, process',
      statusline: 'session_id on standard input, process',
    },
  },
  {
    name: 'codex',
    programs: ['codex'],
    package: '@openai/codex',
    requestKeys: ['threadId'],
    surfaces: { server: '_meta.threadId of each call, process', shell: 'CODEX_THREAD_ID', hook: 'session_id on standard input, process' },
  },
  {
    name: 'gemini',
    programs: ['gemini'],
    package: '@google/gemini-cli',
    surfaces: {
      server: 'GEMINI_CLI, process',
      shell: 'GEMINI_CLI, process',
      hook: 'GEMINI_SESSION_ID, session_id on standard input, process',
    },
  },
  {
    name: 'opencode',
    programs: ['opencode'],
    package: 'opencode-ai',
    surfaces: { server: 'OPENCODE, process', shell: 'OPENCODE, process' },
  },
  { name: 'cursor', programs: ['cursor-agent'] },
  { name: 'vscode', programs: [], requestKeys: ['vscode.conversationId'] },
  { name: 'aider', programs: ['aider'] },
  { name: 'amp', programs: ['amp'], package: '@sourcegraph/amp' },
  { name: 'auggie', programs: ['auggie'], package: '@augmentcode/auggie' },
  { name: 'cline', programs: ['cline'], package: 'cline' },
  { name: 'copilot', programs: ['copilot'], package: '@github/copilot' },
  { name: 'crush', programs: ['crush'], package: '@charmland/crush' },
  { name: 'droid', programs: ['droid'] },
  { name: 'goose', programs: ['goose', 'goosed'] },
  { name: 'junie', programs: ['junie'] },
  { name: 'kilo', programs: ['kilo', 'kilocode'], package: '@kilocode/cli' },
  { name: 'kiro', programs: ['kiro-cli', 'kiro-cli-chat'] },
  { name: 'openhands', programs: ['openhands'] },
  { name: 'pi', programs: ['pi-coding-agent'], package: '@mariozechner/pi-coding-agent' },
  { name: 'plandex', programs: ['plandex'] },
  { name: 'qwen', programs: ['qwen'], package: '@qwen-code/qwen-code' },
];

/** Lists the clients with their variables, for `npm run test:clients`. */
export const describeClients = (): (AgentClient & { marks: string[]; conversations: string[] })[] =>
  agentClients.map((client) => {
    const [, marks = '', conversations = ''] = clientVariables.find(([name]) => name === client.name) ?? [];
    return { ...client, marks: marks.split(' ').filter(Boolean), conversations: conversations.split(' ').filter(Boolean) };
  });
