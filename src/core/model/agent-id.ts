/** An agent, a session or an idempotency key. Every call checks them, so this file needs no schema. */
export const agentIdPattern = /^[\w.:@/-]{1,100}$/;
export const agentIdProblem = 'may contain letters, digits and . _ : @ / - (at most 100)';
