/** Formats a text that a hook adds to the conversation. Claude Code and Codex add plain text. Gemini CLI shows plain text only to the
 *  person. */
export function formatHookOutput(text: string, client: string, input: unknown): string {
  if (client !== 'gemini') return text;
  const name = (input as { hook_event_name?: unknown } | undefined)?.hook_event_name;
  const hookEventName = typeof name === 'string' ? name : 'SessionStart';
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: text } });
}
