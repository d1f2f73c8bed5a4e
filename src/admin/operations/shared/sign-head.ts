import { CleoError } from '#core/errors/error.ts';
import type { Config } from '#core/model/config.ts';
import type { Platform } from '#platform/port.ts';
import type { Signing, SigningKey } from '#platform/signing/port.ts';
import type { SignedHead } from '../../model/signed-head.ts';
import { parseSigner, sshNamespace, toSignedText } from '../../rules/audit-heads.ts';

/** Signs records: the key of this user or server, or an SSH key. */
export interface RecordSigner {
  publicKey: string;
  /** The file, variable or agent that holds the key. */
  source: string;
  sign(text: string): string | Promise<string>;
}

/** Returns the key of this user or server; the first use creates it. */
export function findOrCreateKey(signing: Signing): { key: SigningKey; isNew: boolean } {
  const found = signing.find();
  return found ? { key: found, isNew: false } : { key: signing.create(), isNew: true };
}

/** Returns the key that signs: the own one or, with `ssh`, an SSH key of `audit.signers` that this user has. */
export async function findRecordSigner(
  platform: Platform,
  config: Pick<Config, 'audit.signers'>,
  ssh: boolean | undefined,
): Promise<{ key: RecordSigner; isNew: boolean }> {
  if (!ssh) return findOrCreateKey(await platform.loadSigning());
  const signatures = await platform.loadSshSignatures();
  const listed = config['audit.signers']
    .flatMap((text) => parseSigner(text) ?? [])
    .filter(({ publicKey }) => !publicKey.startsWith('ed25519:'));
  const key = await signatures.findKey(listed.map(({ publicKey }) => publicKey));
  if (!key)
    throw new CleoError('E_NOT_FOUND', {
      what: 'SSH key of this user in',
      id: 'audit.signers',
      fix: 'cleo audit keys',
    });
  const sign = async (text: string): Promise<string> => {
    const signed = await signatures.sign(key, sshNamespace, text);
    if ('signature' in signed) return signed.signature;
    throw new CleoError('E_DEPENDENCY_ERROR', { tool: 'ssh-keygen', problem: signed.problem, fix: 'cleo audit sign' });
  };
  return { key: { publicKey: key.publicKey, source: key.keyFile ?? 'the SSH agent', sign }, isNew: false };
}

/** Signs a record: the signature covers all of its other fields. */
export async function signRecord<T extends object>(
  key: Pick<RecordSigner, 'publicKey' | 'sign'>,
  record: T,
): Promise<T & { signer: string; signature: string }> {
  const unsigned = { ...record, signer: key.publicKey };
  return { ...unsigned, signature: await key.sign(toSignedText(unsigned)) };
}

/** Signs the last entry of a log. */
export const signHead = (
  key: Pick<RecordSigner, 'publicKey' | 'sign'>,
  log: { project: string; replica: string; entries: number; head: string; at: string },
): Promise<SignedHead> =>
  signRecord(key, {
    version: 1 as const,
    kind: 'head' as const,
    project: log.project,
    replica: log.replica,
    seq: log.entries,
    hash: log.head,
    at: log.at,
  });
