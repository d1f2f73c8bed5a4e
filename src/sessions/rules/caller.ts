import { isPlainName } from '#core/model/agent-id.ts';
import type { EnvironmentIdentity } from '../model/caller-identity.ts';
import { clientVariables } from '../model/client-variables.ts';

type Environment = Record<string, string | undefined>;

/** Identifies the agent by the environment. `getLogin` returns the login name of the person; it is called only for a person. */
export function identifyByEnvironment(env: Environment, getLogin: () => string | undefined): EnvironmentIdentity {
  if (env.CLEO_AGENT_ID) return { kind: 'named', agent: env.CLEO_AGENT_ID };
  const found: EnvironmentIdentity[] = [];
  for (const [client, marks, conversations] of clientVariables) {
    const agent = conversations && findConversation(client, conversations, env);
    if (agent) found.push({ kind: 'conversation', agent, client });
    else if (hasMark(marks, env)) found.push({ kind: 'mark', agent: client, client });
  }
  const [first] = found;
  if (!first) return { kind: 'person', agent: toIdPart(getLogin()) || 'main' };
  return found.length > 1 ? { ...first, kind: 'mark', nested: found } : first;
}

/** Loops, because every start looks for every client. */
function findConversation(client: string, names: string, env: Environment): string | undefined {
  for (const name of names.split(' ')) {
    const agent = env[name] && toConversationAgent(client, env[name]);
    if (agent) return agent;
  }
  return undefined;
}

function hasMark(marks: string, env: Environment): boolean {
  for (const mark of marks.split(' ')) if (isSet(mark, env)) return true;
  return false;
}

/** Checks a mark `NAME` or `NAME=value`. */
export function isSet(mark: string, env: Environment): boolean {
  const end = mark.indexOf('=');
  return end < 0 ? !!env[mark] : env[mark.slice(0, end)] === mark.slice(end + 1);
}

/** Returns the id of the agent that a conversation is, or undefined if the text has no character that an id may have. */
export function toConversationAgent(client: string, id: unknown): string | undefined {
  const part = toIdPart(id);
  return part && `${client}-${part}`;
}

const toIdPart = (text: unknown): string | undefined =>
  (typeof text === 'string' && (isPlainName(text) ? text : text.replace(/[^\w.-]/g, '')).slice(0, 60)) || undefined;
