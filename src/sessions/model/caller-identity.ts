/** The agent as far as the environment tells. */
export interface EnvironmentIdentity {
  /** `named`: CLEO_AGENT_ID. `conversation`: the client passes its id. `mark`: only the client is known. `person`: none of these.
   *  `shared`: an HTTP server, whose callers are not known by its environment. */
  kind: 'named' | 'conversation' | 'mark' | 'person' | 'shared';
  agent: string;
  client?: string;
  /** The identities by each client, if the environment has the marks of several because one started another. Then `kind` is `mark`,
   *  and the nearest process decides. */
  nested?: EnvironmentIdentity[];
}

/** A process as the process table shows it. */
export interface ProcessEntry {
  pid: number;
  parentPid: number;
  /** Empty if unknown. With the pid it identifies a process until the next boot. */
  startTime: string;
  /** The short name, the path of the executable and the words of the command line, as far as they are readable. */
  name: string;
  executable: string;
  argv: string[];
}

/** The process of an agent client. `key` identifies it in the store. */
export interface ClientProcess {
  client: string;
  pid: number;
  startTime: string;
  key: string;
}
