/** An agent of another clone holds a task in the claims of this one as `agent@replica`. */
const pattern = /^(.+)@([0-9a-f]{16})$/;

export const formatForeignAgent = (agent: string, replica: string): string => `${agent.slice(0, 83)}@${replica}`;

/** Returns the agent and its clone; undefined for an agent of this clone. */
export function toForeignAgent(name: string): { agent: string; replica: string } | undefined {
  const [, agent, replica] = pattern.exec(name) ?? [];
  return agent !== undefined && replica !== undefined ? { agent, replica } : undefined;
}
