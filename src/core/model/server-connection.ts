/** A request to a cleo server. */
export interface ServerRequest {
  body: string;
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

/** A connection to a cleo server, which is reused by the requests of this process. */
export interface ServerConnection {
  post(path: string, request: ServerRequest): Promise<ServerAnswer>;
  close(): void;
}

/** How the platform reaches a cleo server. */
export interface ServerAccess {
  /** The address of a cleo server from the environment. */
  serverUrl: string | undefined;
  connectServer(address: string): Promise<ServerConnection>;
}
