import { CleoError } from '#core/errors/error.ts';
import { prepareWidths } from '#core/terminal/text.ts';
import { type App, dispatch } from '#dispatch/dispatch.ts';
import { readLogHead } from '#dispatch/log-head.ts';
import { drawFrame } from './frame.ts';
import { openFullScreen, type Tty } from './full-screen.ts';
import { reduceKey } from './key-reducer.ts';
import { parseKeys } from './keys.ts';
import { applyAnswer, createState, getQuery, type ScreenSize, type WatchQuery, type WatchState } from './state.ts';

export interface LiveBoardOptions {
  tty: Tty;
  hasColour: boolean;
  stop: AbortSignal;
  epic?: string;
  /** Of `list --watch`: the parameters of the list. */
  listed?: Record<string, unknown>;
  /** Stops this process until its shell goes on with it; settles then. */
  suspend(): Promise<void>;
}

/** How often the log is looked at. A write is on the screen well within a second, and a look costs next to nothing. */
const pollEveryMs = 300;
const maxPollMs = 600;
/** While the store cannot be read there is no hurry. */
const retryEveryMs = 1000;
/** Ages grow and claims lapse though nobody writes. */
const refreshEveryMs = 30_000;
/** A lone escape may be the beginning of a sequence; the rest of it comes at once. */
const escapeMs = 40;

/** Shows the project until it is left, drawing anew what has changed. Each look is a short read: nobody waits for it. */
export async function showLiveBoard(app: App, options: LiveBoardOptions): Promise<number> {
  const { tty, stop } = options;
  // A title of any script may appear at any time.
  await prepareWidths('\u6f22');
  let state = createState({ ...(options.epic ? { epic: options.epic } : {}), ...(options.listed ? { listed: options.listed } : {}) });
  // Who cannot look at all is told so where they typed it, not on a screen that is gone again.
  const seen = await readLogHead(app);
  const need = getQuery(state);
  const { envelope, error: refusal } = await query(app, need);
  if (refusal) throw refusal;
  state = applyAnswer(state, need, envelope);
  const screen = openFullScreen(tty);
  const draw = (): void => {
    const size = getSize(tty);
    screen.draw(drawFrame(state, size, options.hasColour), size.columns);
  };
  const bell = createAlarm(stop);
  const keyboard = readKeys(tty, (keys) => {
    for (const key of keys) {
      if ('key' in key && key.key === 'suspend') void suspended();
      else if ('key' in key && key.key === 'redraw') screen.clear();
      else state = reduceKey(state, key, getSize(tty));
    }
    draw();
    bell.ring();
  });
  const suspended = async (): Promise<void> => {
    screen.restore();
    await options.suspend();
    screen.enter();
    draw();
  };
  const resized = (): void => {
    screen.clear();
    draw();
  };
  tty.output.on('resize', resized);
  try {
    const show = (next: WatchState): void => {
      state = next;
      draw();
    };
    draw();
    await pollStore(app, { state: () => state, show, seen: seen.hash, bell, stop });
  } catch (error) {
    if (!isTerminalClosed(error)) throw error;
  } finally {
    keyboard.close();
    tty.output.off('resize', resized);
    screen.restore();
  }
  return 0;
}

interface PollOptions {
  state(): WatchState;
  show(next: WatchState): void;
  /** What the log ended with when the first answer was asked for. */
  seen: string;
  bell: Alarm;
  stop: AbortSignal;
}

/** Looks at the log again and again, and asks for what is on the screen when something was written, or something else is shown. */
async function pollStore(app: App, { state, show, bell, stop, ...first }: PollOptions): Promise<void> {
  // Undefined where nothing is known: a log without entries has an empty end.
  let seen: string | undefined = first.seen;
  let loaded = JSON.stringify(getQuery(state()));
  let loadedAt = performance.now();
  let pauseMs = pollEveryMs;
  for (;;) {
    if (JSON.stringify(getQuery(state())) === loaded) await bell.wait(pauseMs);
    if (stop.aborted || state().isClosed) return;
    const need = getQuery(state());
    const wanted = JSON.stringify(need);
    const startedAt = performance.now();
    try {
      const { hash } = await readLogHead(app);
      if (hash !== seen || wanted !== loaded || startedAt - loadedAt > refreshEveryMs) {
        const { envelope, exitCode } = await query(app, need);
        show(applyAnswer(state(), need, envelope));
        loaded = wanted;
        loadedAt = startedAt;
        // What the store could not tell is asked again; what it refused is refused until something changes.
        seen = isOutage(exitCode) ? undefined : hash;
      }
      // What takes long to ask is asked less often, but a change is never older than a second.
      const tookMs = performance.now() - startedAt;
      pauseMs = seen === undefined ? retryEveryMs : Math.max(pollEveryMs, Math.min(2 * tookMs, maxPollMs));
    } catch (error) {
      if (!(error instanceof CleoError)) throw error;
      const { code, message, fix } = error;
      show({ ...state(), problem: { code, message, fix } });
      loaded = wanted;
      seen = undefined;
      pauseMs = retryEveryMs;
    }
  }
}

const isOutage = (exitCode: number): boolean => [1, 3, 7, 8].includes(exitCode);

const query = (app: App, need: WatchQuery) => dispatch(app, { ...need, gateway: 'cli' });

/** Where the size is not known it is that of the oldest terminals. */
const getSize = ({ output }: Tty): ScreenSize => ({ columns: output.columns || 80, rows: output.rows || 24 });

/** The terminal was closed. */
const isTerminalClosed = (error: unknown): boolean => ['EIO', 'EPIPE', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');

function readKeys({ input }: Tty, pressed: (keys: ReturnType<typeof parseKeys>['keys']) => void): { close(): void } {
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const read = (text: string, isAll = false): void => {
    clearTimeout(timer);
    const found = parseKeys(rest + text, isAll);
    rest = found.rest;
    if (rest) timer = setTimeout(() => read('', true), escapeMs);
    if (found.keys.length > 0) pressed(found.keys);
  };
  const typed = (text: string): void => read(text);
  input?.setEncoding('utf8').on('data', typed);
  return {
    close() {
      clearTimeout(timer);
      input?.off('data', typed);
    },
  };
}

interface Alarm {
  ring(): void;
  /** Until it rings, the process is stopped, or the time is up. */
  wait(ms: number): Promise<void>;
}

function createAlarm(stop: AbortSignal): Alarm {
  let wake: (() => void) | undefined;
  let hasRung = false;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  stop.addEventListener('abort', ring);
  return {
    ring,
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => wake?.(), hasRung ? 0 : ms);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          hasRung = false;
          resolve();
        };
      }),
  };
}
