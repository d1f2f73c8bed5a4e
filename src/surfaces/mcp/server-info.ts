// The name, capabilities and instructions of the server. This file imports nothing, because the first message is answered before the SDK is
// loaded.

export const toServerInfo = (version: string): { name: string; title: string; version: string } => ({
  name: 'cleo',
  title: 'CLEO',
  version,
});

/** Returns the capabilities of a server that notifies its clients of changed resources, or of one that does not. */
export const toCapabilities = (notifiesChanges: boolean) => ({
  tools: {},
  resources: notifiesChanges ? { subscribe: true, listChanged: true } : {},
  prompts: {},
  completions: {},
});

/** Clients read this once at the start of every conversation. */
export const instructions = `CLEO stores the tasks of this project: their order, who works on which, and the evidence that they are done.
cleo_query reads, cleo_mutate writes. Both take {domain, operation, params}; admin.help {} has the parameters of the everyday ones.
A typical session: session.list, then session.start {scope, autoFocus}; tasks.find and tasks.show to read (not whole lists); tasks.start to claim a task; tasks.complete when it is verified; tasks.next for the next task; session.end with a note for the next agent.
Give every new task a description, and check a parent with tasks.exists before you add below it.
After an error send error.call (tool, domain, operation, params), or the call of one of error.alternatives; error.message has the cause. Without a call, error.details.manual says what a person must do. After "not found" call tasks.find or tasks.exists. _meta.exitCode 100 to 102 are not errors: no match, already exists, no change.`;
