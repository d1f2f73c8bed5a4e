import { CleoError } from '#core/errors/error.ts';
import { type App, dispatch } from '#dispatch/dispatch.ts';
import { pulseOf } from '#dispatch/log-head.ts';
import { prepareFor } from '../human/text.ts';
import { frame } from './frame.ts';
import { keysIn } from './keys.ts';
import { press } from './press.ts';
import { type Tty, takeScreen } from './screen.ts';
import { begin, type Need, needOf, type Size, type State, take } from './state.ts';

export interface LiveOptions {
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
const lookEveryMs = 300;
const slowestMs = 600;
/** While the store cannot be read there is no hurry. */
const retryEveryMs = 1000;
/** Ages grow and claims lapse though nobody writes. */
const refreshEveryMs = 30_000;
/** A lone escape may be the beginning of a sequence; the rest of it comes at once. */
const escapeMs = 40;

/** Shows the project until it is left, drawing anew what has changed. Each look is a short read: nobody waits for it. */
export async function live(app: App, options: LiveOptions): Promise<number> {
  const { tty, stop } = options;
  // A title of any script may appear at any time.
  await prepareFor('\u6f22');
  let state = begin({ ...(options.epic ? { epic: options.epic } : {}), ...(options.listed ? { listed: options.listed } : {}) });
  // Who cannot look at all is told so where they typed it, not on a screen that is gone again.
  const seen = await pulseOf(app);
  const need = needOf(state);
  const { envelope, refusal } = await ask(app, need);
  if (refusal) throw refusal;
  state = take(state, need, envelope);
  const screen = takeScreen(tty);
  const draw = (): void => {
    const size = sizeOf(tty);
    screen.draw(frame(state, size, options.hasColour), size.columns);
  };
  const bell = bellOf(stop);
  const keyboard = keysFrom(tty, (keys) => {
    for (const key of keys) {
      if ('key' in key && key.key === 'suspend') void suspended();
      else if ('key' in key && key.key === 'redraw') screen.forget();
      else state = press(state, key, sizeOf(tty));
    }
    draw();
    bell.ring();
  });
  const suspended = async (): Promise<void> => {
    screen.giveBack();
    await options.suspend();
    screen.take();
    draw();
  };
  const resized = (): void => {
    screen.forget();
    draw();
  };
  tty.output.on('resize', resized);
  try {
    const show = (next: State): void => {
      state = next;
      draw();
    };
    draw();
    await look(app, { state: () => state, show, seen: seen.hash, bell, stop });
  } catch (error) {
    if (!isGone(error)) throw error;
  } finally {
    keyboard.close();
    tty.output.off('resize', resized);
    screen.giveBack();
  }
  return 0;
}

interface Looking {
  state(): State;
  show(next: State): void;
  /** What the log ended with when the first answer was asked for. */
  seen: string;
  bell: Bell;
  stop: AbortSignal;
}

/** Looks at the log again and again, and asks for what is on the screen when something was written, or something else is shown. */
async function look(app: App, { state, show, bell, stop, ...first }: Looking): Promise<void> {
  // Undefined where nothing is known: a log without entries has an empty end.
  let seen: string | undefined = first.seen;
  let loaded = JSON.stringify(needOf(state()));
  let loadedAt = performance.now();
  let pauseMs = lookEveryMs;
  for (;;) {
    if (JSON.stringify(needOf(state())) === loaded) await bell.heard(pauseMs);
    if (stop.aborted || state().isOver) return;
    const need = needOf(state());
    const wanted = JSON.stringify(need);
    const startedAt = performance.now();
    try {
      const { hash } = await pulseOf(app);
      if (hash !== seen || wanted !== loaded || startedAt - loadedAt > refreshEveryMs) {
        const { envelope, exitCode } = await ask(app, need);
        show(take(state(), need, envelope));
        loaded = wanted;
        loadedAt = startedAt;
        // What the store could not tell is asked again; what it refused is refused until something changes.
        seen = isOutage(exitCode) ? undefined : hash;
      }
      // What takes long to ask is asked less often, but a change is never older than a second.
      const tookMs = performance.now() - startedAt;
      pauseMs = seen === undefined ? retryEveryMs : Math.max(lookEveryMs, Math.min(2 * tookMs, slowestMs));
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

const ask = (app: App, need: Need) => dispatch(app, { ...need, gateway: 'cli' });

/** Where the size is not known it is that of the oldest terminals. */
const sizeOf = ({ output }: Tty): Size => ({ columns: output.columns || 80, rows: output.rows || 24 });

/** The terminal was closed. */
const isGone = (error: unknown): boolean => ['EIO', 'EPIPE', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');

function keysFrom({ input }: Tty, pressed: (keys: ReturnType<typeof keysIn>['keys']) => void): { close(): void } {
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const read = (text: string, isAll = false): void => {
    clearTimeout(timer);
    const found = keysIn(rest + text, isAll);
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

interface Bell {
  ring(): void;
  /** Until it rings, the process is stopped, or the time is up. */
  heard(ms: number): Promise<void>;
}

function bellOf(stop: AbortSignal): Bell {
  let wake: (() => void) | undefined;
  let hasRung = false;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  stop.addEventListener('abort', ring);
  return {
    ring,
    heard: (ms) =>
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
