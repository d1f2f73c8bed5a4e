import type { Json } from './app.ts';

export interface ServerEvent {
  id?: number;
  event: string;
  data: Json;
}

export interface EventReader {
  status: number;
  headers: Headers;
  events: ServerEvent[];
  /** Comments that keep the connection open. */
  comments: number;
  /** Waits until an event matches. */
  find(isIt: (event: ServerEvent) => boolean, timeoutMs?: number): Promise<ServerEvent>;
  /** Settles when the stream has ended. */
  ended: Promise<void>;
  close(): void;
}

/** Reads a stream of server-sent events, as the web page does. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const wakes = new Set<() => void>();
  const reader: EventReader = {
    status: response.status,
    headers: response.headers,
    events: [],
    comments: 0,
    async find(isIt, timeoutMs = 10_000) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const found = reader.events.find(isIt);
        if (found) return found;
        if (performance.now() > deadline) throw new Error(`no such event among ${JSON.stringify(reader.events).slice(0, 2000)}`);
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            wakes.delete(wake);
            resolve();
          };
          wakes.add(wake);
          setTimeout(wake, 50);
        });
      }
    },
    ended: Promise.resolve(),
    close: () => controller.abort(),
  };
  reader.ended = readBody(response, reader, () => {
    for (const wake of wakes) wake();
  }).catch(() => {});
  return reader;
}

async function readBody(response: Response, reader: EventReader, onEvent: () => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of response.body!) {
    text += decoder.decode(part, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      if (block.startsWith(':')) reader.comments++;
      else reader.events.push(parseEvent(block));
    }
    onEvent();
  }
}

function parseEvent(block: string): ServerEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  return { ...(fields.id ? { id: Number(fields.id) } : {}), event: fields.event!, data: JSON.parse(fields.data!) };
}
