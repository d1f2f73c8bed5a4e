import type { SessionHandle } from '#core/model/session-handle.ts';
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
  (typeof text === 'string' && text.replace(/[^\w.-]/g, '').slice(0, 60)) || undefined;

export interface SessionCandidate extends SessionHandle {
  /** The caller has started or resumed this session. */
  isMine: boolean;
}

/** A session id that came with a call: as a parameter of the call, or from the environment of the process. */
export interface SessionReference {
  id: string;
  by: 'call' | 'environment';
}

type SessionChoice =
  | { session: SessionHandle }
  /** The call names a session that does not exist. */
  | { unknown: string }
  /** The named session is not active, and no other session fits. */
  | { inactive: SessionHandle }
  /** An id from the environment that the store does not know. It only labels audit entries. */
  | { tag: string }
  /** The caller has several active sessions, and nothing says which one is meant. */
  | { ambiguous: string[] }
  /** The caller is in no session; these are the active ones of other agents. */
  | { others: string[] };

/** Chooses the session a call belongs to: the one the call names; else the one the environment names, while it is active; else the
 *  active session of this agent; else none. */
export function chooseSession(candidates: readonly SessionCandidate[], named: SessionReference | undefined): SessionChoice {
  const match = named && candidates.find(({ id }) => id === named.id);
  if (match?.status === 'active') return { session: match };
  if (named?.by === 'call') return match ? { inactive: match } : { unknown: named.id };
  if (named && !match) return { tag: named.id };
  const active = candidates.filter(({ status }) => status === 'active');
  const [first, ...rest] = active.filter(({ isMine }) => isMine);
  if (first) return rest.length > 0 ? { ambiguous: [first, ...rest].map(({ id }) => id) } : { session: first };
  return match ? { inactive: match } : { others: active.map(({ id }) => id) };
}
