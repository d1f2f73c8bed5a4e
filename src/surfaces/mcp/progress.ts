import type { ServerContext } from '@modelcontextprotocol/server';
import type { EventObserver, Registry } from '#core/define.ts';
import type { ProgressReporter } from '#core/model/progress.ts';

/** The room for the activity in a notification. */
const statusColumns = 200;

/** Runs `work` and sends progress notifications once a second, if the client asked for them. Operations with a progress reporter also
 *  send a notification for each of its lines. */
export async function withProgress<T>(
  ctx: ServerContext,
  registry: Registry,
  operation: string,
  work: (observe?: EventObserver) => Promise<T>,
): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const reporter = await (await registry.find(operation)?.load())?.progress?.();
  let progress = 0;
  const notify = (message: string): void => {
    progress++;
    // A client that has disconnected cannot be notified, which is not an error of the call.
    void ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
  const observer = reporter && createObserver(reporter, notify);
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    notify(observer?.formatStatus() ?? `${operation}: ${seconds} s`);
  }, 1000);
  try {
    return await work(observer?.observe);
  } finally {
    clearInterval(timer);
  }
}

/** Creates an observer that sends the same lines as the terminal shows. */
function createObserver(
  { initialState, step, formatStatus }: ProgressReporter,
  notify: (message: string) => void,
): { observe: EventObserver; formatStatus(): string | undefined } {
  let state = initialState;
  return {
    observe(event, data, about) {
      const next = step(state, { event, data, about }, performance.now());
      state = next.state;
      for (const { text } of next.lines) notify(text);
    },
    formatStatus: () => formatStatus(state, performance.now(), statusColumns),
  };
}
