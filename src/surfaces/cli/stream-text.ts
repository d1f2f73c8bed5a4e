import type { Call } from '#dispatch/dispatch.ts';
import { escapeInvisible } from '#lib/invisible.ts';
import type { Terminal } from './run.ts';

/** Writes the text of an event as it comes. The call is ended when its reader is gone. */
export function streamText(event: string, { isTerminal, write }: Terminal): Pick<Call, 'observe' | 'signal'> {
  const reader = new AbortController();
  return {
    signal: reader.signal,
    observe(name, { text }) {
      if (name !== event || reader.signal.aborted) return;
      try {
        write(isTerminal ? escapeInvisible(String(text)) : String(text), true);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        reader.abort();
      }
    },
  };
}
