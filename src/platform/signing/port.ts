/** A key that the user can sign with. Without `keyFile` the SSH agent has it. */
export interface SshKey {
  /** The type and the key, without names and comment. */
  publicKey: string;
  keyFile?: string;
  /** What signing needs besides being the user: the passphrase of the key, a touch of the hardware, the SSH agent, or nothing. */
  protection: 'passphrase' | 'hardware' | 'agent' | 'none';
}

export type SshVerification = { isValid: true; signer: string; fingerprint: string } | { isValid: false; problem: string };

/** Signatures by `ssh-keygen -Y`. */
export interface SshSignatures {
  /** Finds a key of this user among the public keys: in `~/.ssh`, else in the SSH agent. */
  findKey(publicKeys: string[]): Promise<SshKey | undefined>;
  sign(key: Pick<SshKey, 'publicKey' | 'keyFile'>, namespace: string, text: string): Promise<{ signature: string } | { problem: string }>;
  /** Verifies a signature with lines of an `allowed_signers` file, as they were valid at the time `at`. */
  verify(signed: { signers: string[]; namespace: string; text: string; signature: string; at?: string }): Promise<SshVerification>;
}

/** A key that signs the audit log. */
export interface SigningKey {
  /** `ed25519:` and the key in base64. */
  publicKey: string;
  /** Names the key in the signature of an entry. */
  fingerprint: string;
  /** The file or environment variable that holds the key. */
  source: string;
  sign(text: string): string;
}

export interface Signing {
  /** The file of the key. */
  path: string;
  /** Returns the key of this user or server; undefined if there is none. Throws if other users can read it. */
  find(): SigningKey | undefined;
  /** Creates the key, unless it exists. */
  create(): SigningKey;
  verify(publicKey: string, text: string, signature: string): boolean;
}
