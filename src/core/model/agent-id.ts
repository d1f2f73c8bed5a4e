/** An agent, a session or an idempotency key. Every call checks them, so this file needs no schema. */
export const agentIdPattern = /^[\w.:@/-]{1,100}$/;
/** Checks the usual form of an id first: using a pattern for the first time takes longer than this loop. */
export const isAgentId = (text: string): boolean => (text !== '' && text.length <= 100 && isPlainName(text)) || agentIdPattern.test(text);

/** Checks for a text of lower-case letters, digits and hyphens only. */
export function isPlainName(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isPlain = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 45;
    if (!isPlain) return false;
  }
  return true;
}

export const agentIdProblem = 'may contain letters, digits and . _ : @ / - (at most 100)';
