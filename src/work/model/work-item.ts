import { array, exactOptional, type InferOutput, number, object, picklist, pipe, regex, string } from 'valibot';

/** What an item waits for, or how it ended. `waiting`: its work is done and cannot be merged now. */
const itemStates = ['working', 'checking', 'judging', 'integrating', 'waiting', 'done', 'stopped', 'attention'] as const;

const UsageSchema = object({ inputTokens: number(), outputTokens: number(), costUsd: number() });

/** A process beyond its pid, which the system may assign again. */
const processFields = { pid: number(), began: string(), boot: string() };

/** A clone can bring these files. Their names become parts of paths and of calls of git. */
const Name = pipe(string(), regex(/^[A-Za-z0-9][\w-]{0,127}$/));
/** Only the last part of it, without the name of a token, is part of a path. */
const AgentName = pipe(string(), regex(/^(?:[A-Za-z0-9][\w.:@-]*\/)*[A-Za-z0-9][\w-]{0,127}$/));
const Branch = pipe(string(), regex(/^cleo\/[A-Za-z0-9][\w-]{0,127}$/));
const Commit = pipe(string(), regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/));

/** `.cleo/worktrees/.state/<task>/item.json`: a task that an agent of this machine works on, or worked on last. */
export const WorkItemSchema = object({
  ...processFields,
  taskId: Name,
  title: string(),
  agentId: AgentName,
  profile: string(),
  /** The run whose trace and logs the item has. */
  runId: Name,
  /** The `cleo work` that it belongs to. */
  workId: Name,
  /** The name of its worktree; absent if the agent works in the project folder. */
  worktree: exactOptional(Name),
  branch: exactOptional(Branch),
  base: string(),
  /** The commit that the branch started from. */
  start: Commit,
  promptFile: string(),
  outputDir: string(),
  round: number(),
  state: picklist(itemStates),
  startedAt: string(),
  endedAt: exactOptional(string()),
  usage: UsageSchema,
  lastLine: string(),
  commit: exactOptional(Commit),
  note: exactOptional(string()),
  session: exactOptional(string()),
  findings: exactOptional(array(string())),
});
export type WorkItem = InferOutput<typeof WorkItemSchema>;

/** `.cleo/worktrees/.state/<work id>/work.json`: one `cleo work`. */
export const WorkProcessSchema = object({
  ...processFields,
  workId: Name,
  profile: string(),
  parallel: number(),
  scope: exactOptional(string()),
  startedAt: string(),
  endedAt: exactOptional(string()),
  /** Why it takes no further tasks. */
  ending: exactOptional(string()),
  tasks: number(),
  failures: number(),
  usage: UsageSchema,
});
export type WorkProcess = InferOutput<typeof WorkProcessSchema>;

/** A request to a running `cleo work`: end a task or all of them, now or after the current round. */
export interface WorkStop {
  by: string;
  at: string;
  isNow: boolean;
}

/** How the work on a task ended. */
export type WorkOutcome = 'done' | 'waiting' | 'stopped' | 'attention' | 'lost';
