import { parseWorkStop, workStopFile } from '../../rules/stored-work.ts';
import { saveProcess, type WorkRun } from './work-run.ts';

const pollMs = 250;

/** Reads the requests of `work stop`: for this process, and for each task it works on. A file works on every system and in containers,
 *  where a signal would not. */
export function followStopRequests(work: WorkRun): { end(): void } {
  const { runner, process, drain, kill, active } = work;
  const isLater = (at: string, since: string): boolean => at >= since;
  const timer = setInterval(() => {
    const request = parseWorkStop(runner.work.read(process.workId, workStopFile));
    if (request && isLater(request.at, process.startedAt)) {
      if (!drain.signal.aborted) {
        saveProcess(work, { ending: `stopped by ${request.by}` });
        drain.abort();
      }
      if (request.isNow && !kill.signal.aborted) kill.abort();
    }
    for (const [taskId, task] of active) {
      const stop = parseWorkStop(runner.work.read(taskId, workStopFile));
      if (!stop || !isLater(stop.at, task.item.startedAt)) continue;
      work.except.add(taskId);
      task.isStopping = true;
      if (stop.isNow) task.kill.abort();
    }
  }, pollMs);
  timer.unref();
  return { end: () => clearInterval(timer) };
}
