import type { RunnerPlatform } from '#platform/runner/port.ts';
import { formatStopRequest, parseStopRequest, stopFile } from '../rules/stop-request.ts';

const pollMs = 250;

/** Aborts a signal when `construct stop` asks this process to stop the run. A file works on every system and in containers, where a signal
 *  to the process would not. `message` says who asked. */
export function listenForStop(
  platform: RunnerPlatform,
  runId: string,
): { signal: AbortSignal; message(): string | undefined; end(): void } {
  const controller = new AbortController();
  const own = platform.identifyProcess();
  let message: string | undefined;
  const timer = setInterval(() => {
    const request = parseStopRequest(platform.runs.read(runId, stopFile), own);
    if (!request) return;
    clearInterval(timer);
    message = formatStopRequest(request);
    controller.abort();
  }, pollMs);
  timer.unref();
  return { signal: controller.signal, message: () => message, end: () => clearInterval(timer) };
}
