import type { ServerContext } from '@modelcontextprotocol/server';

/** Tells a client that asked for it, once a second, that work goes on. */
export async function withProgress<T>(ctx: ServerContext, what: string, work: () => Promise<T>): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    const params = { progressToken, progress: seconds, message: `${what}: ${seconds} s` };
    // A client that is gone needs no progress; its call ends by itself.
    void ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  }, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
