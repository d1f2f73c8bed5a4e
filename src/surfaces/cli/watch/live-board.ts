import { CleoError } from '#core/errors/error.ts';
import { prepareWidths } from '#core/terminal/index.ts';
import { type App, dispatch } from '#dispatch/dispatch.ts';
import { type ChangeFollower, followChanges } from '#dispatch/feed/follow-changes.ts';
import { drawFrame } from './frame.ts';
import { openFullScreen, type Tty } from './full-screen.ts';
import { reduceKey } from './key-reducer.ts';
import { parseKeys } from './keys.ts';
import { readLogEnd } from './log-end.ts';
import { applyAnswer, createState, getQuery, type ScreenSize, type WatchQuery, type WatchState } from './state.ts';

interface LiveBoardOptions {
  tty: Tty;
  hasColour: boolean;
  stop: AbortSignal;
  epic?: string;
  /** The parameters of `list --watch`. */
  listParams?: Record<string, unknown>;
  /** Suspends the process; resolves when the shell continues it. */
  suspend(): Promise<void>;
}

/** Many changes in a short time are drawn together, and a slow query is repeated less often. A change is on the screen within a second. */
const minPauseMs = 100;
const maxPauseMs = 600;
const retryEveryMs = 1000;
/** Ages and expired claims change without a write. */
const refreshEveryMs = 30_000;
/** What agents print is in files, so that no write of the store reports it. */
const refreshWorkEveryMs = 1000;
/** A single escape may begin a key sequence, whose rest arrives at once. */
const escapeMs = 40;

/** Shows the live board until it is closed. Each read is short, so writers are not blocked. */
export async function showLiveBoard(app: App, options: LiveBoardOptions): Promise<number> {
  const { tty, stop } = options;
  // Titles in any script may appear later, so the width tables are loaded now.
  await prepareWidths('\u6f22');
  let state = createState({
    ...(options.epic ? { epic: options.epic } : {}),
    ...(options.listParams ? { listParams: options.listParams } : {}),
  });
  // A store that cannot be read is reported before the screen is taken over, or the message would vanish with it.
  const head = await readLogEnd(app);
  const query = getQuery(state);
  const { envelope, error: queryError } = await runQuery(app, query);
  if (queryError) throw queryError;
  state = applyAnswer(state, query, envelope);
  const screen = openFullScreen(tty);
  const draw = (): void => {
    const size = getSize(tty);
    screen.draw(drawFrame(state, size, options.hasColour), size.columns);
  };
  const changes = followChanges(await app.getLogFeed());
  stop.addEventListener('abort', changes.ring);
  const keyboard = readKeys(tty, (keys) => {
    for (const key of keys) {
      if ('key' in key && key.key === 'suspend') void suspend();
      else if ('key' in key && key.key === 'redraw') screen.clear();
      else state = reduceKey(state, key, getSize(tty));
    }
    draw();
    changes.ring();
  });
  const suspend = async (): Promise<void> => {
    screen.restore();
    await options.suspend();
    screen.enter();
    draw();
  };
  const redraw = (): void => {
    screen.clear();
    draw();
  };
  tty.output.on('resize', redraw);
  try {
    const show = (next: WatchState): void => {
      state = next;
      draw();
    };
    draw();
    await reloadOnChange(app, { state: () => state, show, logHash: head.hash, changes, stop });
  } catch (error) {
    if (!isTerminalClosed(error)) throw error;
  } finally {
    keyboard.close();
    changes.close();
    tty.output.off('resize', redraw);
    screen.restore();
  }
  return 0;
}

interface ReloadOptions {
  state(): WatchState;
  show(next: WatchState): void;
  /** The hash of the log at the time of the first answer. */
  logHash: string;
  changes: ChangeFollower;
  stop: AbortSignal;
}

/** Reloads the current view after a write, after a key that changed the view, and every 30 seconds. */
async function reloadOnChange(app: App, { state, show, changes, stop, ...first }: ReloadOptions): Promise<void> {
  // Undefined while the store cannot be read; an empty log has an empty hash.
  let logHash: string | undefined = first.logHash;
  let loaded = JSON.stringify(getQuery(state()));
  let loadedAt = performance.now();
  let pausedUntil = loadedAt;
  for (;;) {
    const isUnchanged = (): boolean => JSON.stringify(getQuery(state())) === loaded;
    const refreshMs = state().view === 'work' ? refreshWorkEveryMs : refreshEveryMs;
    if (isUnchanged()) await changes.wait(logHash === undefined ? retryEveryMs : refreshMs);
    while (isUnchanged() && !stop.aborted && !state().isClosed && performance.now() < pausedUntil)
      await changes.wait(pausedUntil - performance.now());
    if (stop.aborted || state().isClosed) return;
    const query = getQuery(state());
    const queryText = JSON.stringify(query);
    const startedAt = performance.now();
    try {
      const { hash } = await readLogEnd(app);
      if (hash !== logHash || queryText !== loaded || startedAt - loadedAt >= refreshMs) {
        const { envelope, exitCode } = await runQuery(app, query);
        show(applyAnswer(state(), query, envelope));
        loaded = queryText;
        loadedAt = startedAt;
        // After an outage the query is retried; any other error stays until something is written.
        logHash = isOutage(exitCode) ? undefined : hash;
      }
      const endedAt = performance.now();
      pausedUntil = endedAt + Math.max(minPauseMs, Math.min(2 * (endedAt - startedAt), maxPauseMs));
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      const { code, message, fix } = error;
      show({ ...state(), problem: { code, message, fix } });
      loaded = queryText;
      logHash = undefined;
      pausedUntil = performance.now() + retryEveryMs;
    }
  }
}

const isOutage = (exitCode: number): boolean => [1, 3, 7, 8].includes(exitCode);

const runQuery = (app: App, query: WatchQuery) => dispatch(app, { ...query, gateway: 'cli' });

/** Returns the size of the terminal, 80 × 24 if it is unknown. */
const getSize = ({ output }: Tty): ScreenSize => ({ columns: output.columns || 80, rows: output.rows || 24 });

const isTerminalClosed = (error: unknown): boolean => ['EIO', 'EPIPE', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');

function readKeys({ input }: Tty, onKeys: (keys: ReturnType<typeof parseKeys>['keys']) => void): { close(): void } {
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const read = (text: string, isAll = false): void => {
    clearTimeout(timer);
    const parsed = parseKeys(rest + text, isAll);
    rest = parsed.rest;
    if (rest) timer = setTimeout(() => read('', true), escapeMs);
    if (parsed.keys.length > 0) onKeys(parsed.keys);
  };
  const onData = (text: string): void => read(text);
  input?.setEncoding('utf8').on('data', onData);
  return {
    close() {
      clearTimeout(timer);
      input?.off('data', onData);
    },
  };
}
