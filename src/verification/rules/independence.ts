/** The agent instance behind a call, as far as the log knows it. */
export interface AgentInstance {
  agent: string;
  /** False for entries of older versions, which recorded the name only. */
  isRecorded: boolean;
  token?: string;
  /** The client process of the agent. */
  process?: string;
  /** The conversation of the call, and the conversations that were seen in its client process. An agent that is not named outright is
   *  called like its conversation. */
  conversations: readonly string[];
}

/** The reason why a judge may be the same instance as an agent that worked on the task; undefined if they differ. A name proves nothing,
 *  because an agent can choose it. Neither does a fact that is missing: an agent can detach from its client. */
export function findSharedFact(judge: AgentInstance, worker: AgentInstance): string | undefined {
  const { agent } = worker;
  if (judge.agent === agent) return `${agent} worked on it`;
  if (judge.token !== undefined && judge.token === worker.token) return `the call has the same token as ${agent}`;
  if (judge.process !== undefined && judge.process === worker.process) return `the call comes from the same client process as ${agent}`;
  if (judge.conversations.some((each) => worker.conversations.includes(each))) return `the call belongs to the conversation of ${agent}`;
  const isDistinct = !worker.isRecorded || judge.token !== undefined || (judge.process !== undefined && worker.process !== undefined);
  return isDistinct ? undefined : `nothing but the name tells the call from one of ${agent}`;
}
