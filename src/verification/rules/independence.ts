/** The agent instance behind a call, as far as the log knows it. */
export interface AgentInstance {
  agent: string;
  /** False for entries of older versions, which recorded the name only. */
  isRecorded: boolean;
  token?: string;
  /** The client process of the agent. */
  process?: string;
  /** The conversation of the call, and the conversations that were seen in its client process. An agent without an explicit name is named
   *  after its conversation. */
  conversations: readonly string[];
}

/** A fact that a judge shares with an agent that worked on the task. */
interface SharedFact {
  problem: string;
  /** Both are the same instance. Otherwise nothing shows that they differ. */
  isSame: boolean;
}

/** Finds the fact by which a judge may be the same instance as an agent that worked on the task; undefined if they differ. A name proves
 *  nothing, because an agent can choose it. A missing fact proves nothing either, because an agent can detach from its client. */
export function findSharedFact(judge: AgentInstance, worker: AgentInstance): SharedFact | undefined {
  const { agent } = worker;
  const same = (problem: string): SharedFact => ({ problem, isSame: true });
  if (judge.agent === agent) return same(`${agent} worked on it`);
  if (judge.token !== undefined && judge.token === worker.token) return same(`the call has the same token as ${agent}`);
  if (judge.process !== undefined && judge.process === worker.process)
    return same(`the call comes from the same client process as ${agent}`);
  if (judge.conversations.some((each) => worker.conversations.includes(each)))
    return same(`the call belongs to the conversation of ${agent}`);
  const isDistinct = !worker.isRecorded || judge.token !== undefined || (judge.process !== undefined && worker.process !== undefined);
  return isDistinct ? undefined : { problem: `only the name distinguishes the call from one of ${agent}`, isSame: false };
}
