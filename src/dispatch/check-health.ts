import { CleoError } from '#core/errors/error.ts';
import { type App, requireProject } from './call-context.ts';

/** `busy`: other writers hold the write lock; the server itself can write. */
type Health = 'ok' | 'busy' | 'failing';

/** The result of a check counts for this time, so that nobody can keep the database busy with checks. */
const validMs = 5000;
/** The longest time until a check is answered. */
const maxAnswerMs = 5000;
/** A write that takes longer waits for the lock, or for a database that is down. */
const slowWriteMs = 1000;

/** Creates the health check of a server: a write that is committed. Requests at the same time share one. */
export function createHealthCheck({ openStore, platform }: App): () => Promise<Health> {
  let running: Promise<Health> | undefined;
  let startedAtMs = 0;
  let last: { health: Health; atMs: number } | undefined;
  /** A read waits for no lock, so that one without an answer means that the database is down. */
  const readOnce = async (): Promise<boolean> => {
    try {
      await (await openStore('read')).read(({ audit }) => audit.getHead());
      return true;
    } catch {
      return false;
    }
  };
  let reading: Promise<boolean> | undefined;
  const canRead = (): Promise<boolean> => {
    reading ??= readOnce().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const writeOnce = async (): Promise<Health> => {
    try {
      const at = platform.now();
      await (await openStore('write')).write({ at, by: 'cleo serve', operation: 'healthz' }, ({ health }) => health.recordCheck(at));
      return 'ok';
    } catch (error) {
      // Calls that wait for a database that is down use the connections of this server, too.
      return error instanceof CleoError && error.row === 'E_LOCK_TIMEOUT' && (await canRead()) ? 'busy' : 'failing';
    }
  };
  return async () => {
    const nowMs = platform.monotonicMs();
    if (last && nowMs - last.atMs < validMs) return last.health;
    if (!running) {
      startedAtMs = nowMs;
      running = writeOnce().then((health) => {
        running = undefined;
        // A failure is checked again, so that a database that is back is noticed at once.
        last = health === 'failing' ? undefined : { health, atMs: platform.monotonicMs() };
        return health;
      });
    }
    // A write waits for the lock for as long as a call; a database that is silent for longer has failed.
    const busyTimeoutMs = platform.config.load(requireProject(platform))['store.busyTimeoutMs'];
    const isOverdue = nowMs - startedAtMs > busyTimeoutMs + maxAnswerMs;
    const timers: NodeJS.Timeout[] = [];
    const wait = (ms: number): Promise<void> => new Promise((resolve) => void timers.push(setTimeout(resolve, ms)));
    const explainWait = async (): Promise<Health> => {
      await wait(slowWriteMs);
      const isAnswered = await Promise.race([canRead(), wait(maxAnswerMs - slowWriteMs).then(() => false)]);
      return isAnswered && !isOverdue ? 'busy' : 'failing';
    };
    return Promise.race([running, explainWait()]).finally(() => timers.forEach(clearTimeout));
  };
}
