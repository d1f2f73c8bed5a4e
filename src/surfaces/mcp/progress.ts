import type { ServerContext } from '@modelcontextprotocol/server';
import type { EventObserver, Registry } from '#core/define.ts';
import type { ProgressReporter } from '#core/model/progress.ts';

/** Tells a client that asked for it, once a second, that work goes on; and of work that tells what happens, that too. */
export async function withProgress<T>(
  ctx: ServerContext,
  catalog: Registry,
  what: string,
  work: (observe?: EventObserver) => Promise<T>,
): Promise<T> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const narration = await (await catalog.find(what)?.load())?.progress?.();
  let progress = 0;
  const tell = (message: string): void => {
    progress++;
    // A client that is gone needs no progress; its call ends by itself.
    void ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
  };
  const story = narration && observeProgress(narration, tell);
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    tell(story?.now() ?? `${what}: ${seconds} s`);
  }, 1000);
  try {
    return await work(story?.observe);
  } finally {
    clearInterval(timer);
  }
}

/** In the words that people on a terminal read. */
function observeProgress(
  { initialState: begin, step, formatStatus: now }: ProgressReporter,
  tell: (message: string) => void,
): { observe: EventObserver; now(): string | undefined } {
  let tale = begin;
  return {
    observe(event, data, about) {
      const next = step(tale, { event, data, about }, performance.now());
      tale = next.state;
      for (const { text } of next.lines) tell(text);
    },
    now: () => now(tale, performance.now()),
  };
}
