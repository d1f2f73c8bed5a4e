import type { Json } from '../app.ts';

/** A call that the scripted model makes. */
export interface ToolCall {
  id: string;
  name: string;
  /** Codex addresses the tools of an MCP server by namespace and name. */
  namespace?: string;
  args: Json;
}

/** The next reply of the scripted model: calls, or a text that ends the turn. */
export type ModelReply = { calls: ToolCall[] } | { text: string };

/** One request of a client to the model API. */
export interface ModelRequest {
  method: string;
  path: string;
  body: Json;
}

export interface HttpReply {
  contentType: string;
  body: string;
}

/** One of the model APIs: how its requests are read and its replies are written. */
export interface ModelApi {
  /** True for a request of the conversation; false for titles, token counts and model lists. */
  isConversation(request: ModelRequest): boolean;
  write(reply: ModelReply, request: ModelRequest): HttpReply;
  writeSide(request: ModelRequest): HttpReply;
  /** The results of the last calls, as the model reads them. */
  readResults(body: Json): { id: string; text: string }[];
  /** Everything the model reads except the tool definitions, as one text. */
  readPrompt(body: Json): string;
  /** The definitions of our tools as the client passes them on. */
  readTools(body: Json): Json[];
}

let lastId = 0;

/** Creates the id of a reply. Clients join replies that have the same id. */
export const createId = (prefix: string): string => `${prefix}_${++lastId}`;

export const usage = { input: 10, output: 5 };

export const writeJson = (value: unknown): HttpReply => ({ contentType: 'application/json', body: JSON.stringify(value) });

/** Writes server-sent events. An event with a `type` is also named by it, as two of the APIs require. */
export const writeEvents = (events: object[], end = ''): HttpReply => ({
  contentType: 'text/event-stream',
  body:
    events.map((event) => `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('') + end,
});

/** Joins every text of a value: strings that are values of `text` or `content`, in order. */
export function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(joinTexts).filter(Boolean).join('\n');
  if (value === null || typeof value !== 'object') return '';
  const { text, content, parts } = value as Record<string, unknown>;
  return joinTexts([text, content, parts].filter((each) => each !== undefined));
}
