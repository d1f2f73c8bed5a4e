import type { EnvironmentIdentity } from '../model/caller-identity.ts';
import { clientVariables } from '../model/client-variables.ts';

type Environment = Record<string, string | undefined>;

/** Identifies the agent by the environment. `getLogin` returns the login name of the person; it is called only for a person. */
export function identifyByEnvironment(env: Environment, getLogin: () => string | undefined): EnvironmentIdentity {
  if (env.CLEO_AGENT_ID) return { kind: 'named', agent: env.CLEO_AGENT_ID };
  const found: EnvironmentIdentity[] = [];
  for (const [client, marks, conversations] of clientVariables) {
    const id = conversations?.split(' ').find((name) => toConversationAgent(client, env[name]));
    if (id) found.push({ kind: 'conversation', agent: toConversationAgent(client, env[id]) as string, client });
    else if (marks.split(' ').some((mark) => isSet(mark, env))) found.push({ kind: 'mark', agent: client, client });
  }
  const [first] = found;
  if (!first) return { kind: 'person', agent: toIdPart(getLogin()) || 'main' };
  return found.length > 1 ? { ...first, kind: 'mark', nested: found } : first;
}

/** Checks a mark `NAME` or `NAME=value`. */
export function isSet(mark: string, env: Environment): boolean {
  const [name = '', value] = mark.split('=');
  return value ? env[name] === value : !!env[name];
}

/** Returns the id of the agent that a conversation is, or undefined if the text has no character that an id may have. */
export function toConversationAgent(client: string, id: unknown): string | undefined {
  const part = toIdPart(id);
  return part && `${client}-${part}`;
}

const toIdPart = (text: unknown): string | undefined =>
  (typeof text === 'string' && text.replace(/[^\w.-]/g, '').slice(0, 60)) || undefined;
