/** A long text that is sent in parts, so that it is never in memory as a whole. */
export interface TextParts {
  chunks(): Iterable<string>;
}

/** A request to a cleo server. */
export interface ServerRequest {
  body: string;
  /** Long texts of the body, which are sent after it. */
  texts?: TextParts[] | undefined;
  headers: Record<string, string>;
  connectTimeoutMs: number;
  /** The time that the server may be silent after the request was sent. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface ServerAnswer {
  status: number;
  text: string;
}

/** A stream of server-sent events. */
export interface ServerStream {
  headers: Record<string, string>;
  connectTimeoutMs: number;
  /** The time that the stream may be silent. The server sends comments in between. */
  timeoutMs: number;
  signal: AbortSignal;
  onText(text: string): void;
}

/** A connection to a cleo server, which is reused by the requests of this process. */
export interface ServerConnection {
  post(path: string, request: ServerRequest): Promise<ServerAnswer>;
  /** Reads a stream, on a connection of its own. Resolves when it ends; the answer has a text only if it is no stream. */
  follow(path: string, stream: ServerStream): Promise<ServerAnswer>;
  close(): void;
}

/** How the platform reaches a cleo server. */
export interface ServerAccess {
  /** The address of a cleo server from the environment. */
  serverUrl: string | undefined;
  connectServer(address: string): Promise<ServerConnection>;
}
