/** The environment variables of each client: its name, its marks (`NAME` or `NAME=value`) and the variables that hold the id of the
 *  conversation, most reliable first. A variable that a person's terminal has too is not a mark: `CURSOR_TRACE_ID`, `TERM_PROGRAM`.
 *  This part of the table of clients is loaded by every command; `agent-clients.ts` and `agent-marks.ts` have the rest. */
export const clientVariables: [name: string, marks: string, conversations?: string][] = [
  ['claude', 'CLAUDECODE CLAUDE_CODE CLAUDE_CODE_IS_COWORK', 'CLAUDE_CODE_SESSION_ID'],
  ['codex', 'CODEX_SANDBOX CODEX_CI CODEX_MANAGED_BY_NPM', 'CODEX_THREAD_ID CODEX_SESSION_ID'],
  ['gemini', 'GEMINI_CLI', 'GEMINI_CLI_SESSION_ID GEMINI_SESSION_ID'],
  ['opencode', 'OPENCODE OPENCODE_CLIENT'],
  ['cursor', 'CURSOR_AGENT CURSOR_EXTENSION_HOST_ROLE=agent-exec'],
  ['aider', 'AIDER'],
  ['amp', 'AGENT=amp', 'AMP_CURRENT_THREAD_ID'],
  ['auggie', 'AUGMENT_AGENT'],
  ['cline', 'CLINE_ACTIVE'],
  ['copilot', 'COPILOT_CLI'],
  ['goose', 'GOOSE_TERMINAL'],
  ['junie', 'JUNIE_DATA JUNIE_SHIM_PATH'],
];
