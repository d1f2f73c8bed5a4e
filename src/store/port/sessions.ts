import type { Caller } from '#core/model/audit.ts';
import type { TaskId } from '#core/model/scalars.ts';
import type { SessionHandle, SessionStatus } from '#core/model/session-handle.ts';
import type { ContextUsage, SessionRecord } from '#sessions/model/session.ts';
import type { Page } from './page.ts';

/** What a session is searched by. */
interface SessionNames extends Pick<SessionRecord, 'id' | 'name' | 'scope'> {
  agent: string;
}

export interface SessionReads {
  /** Active sessions and the session `named`. `isMine`: the agent has started or resumed it. */
  findCandidates(agent: string, named: string | undefined): Promise<(SessionHandle & { isMine: boolean })[]>;
  get(id: string): Promise<SessionRecord | undefined>;
  /** Active sessions first, then suspended ones, the newest first. */
  list(status: SessionStatus | undefined, page: Page): Promise<SessionRecord[]>;
  count(status: SessionStatus | undefined): Promise<number>;
  /** The names of all sessions without their handoffs, in the order of `list`. */
  listNames(status: SessionStatus | undefined): Promise<SessionNames[]>;
  /** In the order of the ids. */
  getSeveral(ids: string[]): Promise<SessionRecord[]>;
  listActive(): Promise<SessionRecord[]>;
  /** The agents in the session, in the order they joined. Those that have left it are not listed. */
  listAgents(id: string): Promise<string[]>;
  /** The session that was handed off last, on this root or anywhere. */
  getLastHandoff(root: TaskId | undefined): Promise<SessionRecord | undefined>;
  /** Sessions that have not ended and have no activity since `before`. */
  findInactiveSince(before: string): Promise<SessionRecord[]>;
  /** Sessions that have not ended and whose root task does not exist. */
  findWithMissingRoot(): Promise<SessionRecord[]>;
  /** Ids that the latest successful writes of the session, or of one agent in it, created or updated. */
  listChangedIds(id: string, limit: number, agent?: string): Promise<string[]>;
  getContextUsage(caller: Caller): Promise<ContextUsage | undefined>;
  /** The latest report of each agent in the session, the newest first. */
  listContextUsage(id: string): Promise<(ContextUsage & { agent: string })[]>;
  /** The conversation that was recorded last for this client process. */
  findNewestConversation(process: string): Promise<string | undefined>;
}

/** The conversations of client processes. A process is its key on its host. */
export interface ConversationWrites {
  /** The process that this conversation was recorded in last. */
  findProcess(agent: string): Promise<string | undefined>;
  /** Records the conversation of a process, and makes it the newest one if `isNewest` is set. Returns the provisional agents of this
   *  process that no call has ever recorded, and forgets them. */
  record(process: string, agent: string, at: string, isNewest: boolean): Promise<string[]>;
  /** Remembers an agent that stands for a conversation that is not known yet. */
  recordProvisional(process: string, agent: string, at: string): Promise<void>;
  /** Gives the claims and sessions of one agent to another one. */
  moveAgent(from: string, to: string): Promise<void>;
}

export interface SessionWrites {
  insert(session: SessionRecord): Promise<void>;
  save(session: SessionRecord): Promise<void>;
  /** Returns false if the agent was attached already. */
  attach(id: string, agent: string, at: string): Promise<boolean>;
  detach(id: string, agent: string): Promise<void>;
  saveContextUsage(caller: Caller, usage: ContextUsage): Promise<void>;
}
