/** True for a child process that Ctrl-C seems to have killed before it began. The signal of a terminal reaches every process of a group, also
 *  a child that was just created and has not left the group of its parent yet. A parent that survives Ctrl-C starts such a child again, once. */
export const isInterruptedStart = ({ signal, outputBytes }: { signal?: string | undefined; outputBytes: number }): boolean =>
  signal === 'SIGINT' && outputBytes === 0;
