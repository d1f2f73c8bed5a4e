export interface GithubRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Begins with a slash. */
  path: string;
  body?: unknown;
  /** Returns status 304 if the resource still has this ETag. */
  etag?: string;
}

export interface GithubResponse {
  /** 0 if there was no response. */
  status: number;
  /** By their names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** The reason if there was no response. */
  problem?: string;
}

/** The REST API of GitHub, with the token of the user. */
export interface GithubConnection {
  /** The address of the API. */
  url: string;
  /** False if the address would send the token in clear text over the network. */
  isSafe: boolean;
  hasToken(): Promise<boolean>;
  /** Identifies the token without revealing it. */
  identifyToken(): Promise<string>;
  send(request: GithubRequest): Promise<GithubResponse>;
  /** Waits, unless the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
