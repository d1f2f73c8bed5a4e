import type { hookClients } from '../model/agent-clients.ts';

/** Formats a text that a hook adds to the conversation. Claude Code and Codex add plain text. Gemini CLI shows plain text only to the
 *  person. */
export function formatHookOutput(text: string, hook: (typeof hookClients)[number], input: unknown): string {
  if (hook !== 'gemini') return text;
  const name = (input as { hook_event_name?: unknown } | undefined)?.hook_event_name;
  const hookEventName = typeof name === 'string' ? name : 'SessionStart';
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: text } });
}
