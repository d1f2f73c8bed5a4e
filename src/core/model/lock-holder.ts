/** The session that holds the write lock of a project on PostgreSQL. A role that may not see the sessions of others knows only the
 *  process id and the user. */
export interface LockHolder {
  pid: number;
  /** `cleo`, the operation and the agent. */
  name?: string;
  user?: string;
  /** The address of its machine. Absent for the server's own machine over a Unix socket. */
  client?: string;
  /** When its transaction began. */
  since?: string;
  heldMs?: number;
  /** `idle in transaction`: it holds the lock and asks for nothing. */
  state?: string;
}
