/** Something in a project that makes cleo run a program or connect to a server. */
export interface TrustItem {
  /** A configuration key, or the path of a skill folder or construct from the project folder. */
  name: string;
  /** The configured value; for a file, its SHA-256. */
  value: unknown;
  /** The file that contains it. */
  file: string;
  kind: 'setting' | 'file';
}

/** An item that the user has not trusted as it is. */
export interface TrustChange extends TrustItem {
  state: 'new' | 'changed';
  /** The value that was trusted. */
  before?: unknown;
}

/** Names what a call is about to use. `keys` are settings of the project's configuration file. */
export type TrustSubject =
  | { keys: string[] }
  | { name: string; value: unknown; file: string }
  | { files: { path: string; sha256: string }[] };

/** An entry of `.cleo`, or the folder itself, as `lstat` describes it. */
export interface FolderEntry {
  name: string;
  /** The target, if it is a link. */
  link?: string;
  uid: number;
  /** Undefined if the file system has no modes. */
  mode?: number;
}

/** Reasons against obeying `.cleo` that the user has accepted for this path. */
export interface AcceptedFolder {
  folder: string[];
}

/** What a user has trusted in one project: the file `$CLEO_HOME/trusted/<hash of the path>.json`. */
export interface TrustRecord extends AcceptedFolder {
  version: 1;
  path: string;
  /** Owner of `.cleo`; absent where files have no owners. */
  owner?: number;
  trustedAt: string;
  trustedBy: string;
  values: Record<string, unknown>;
  /** SHA-256 by the path of a skill folder or construct. */
  files: Record<string, string>;
  /** The other settings that need the scope admin, as the clone brought them or as `config set` wrote them. */
  policy?: Record<string, unknown>;
}
