import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import { createPrivate } from '../files.ts';
import type { Signing, SigningKey } from './port.ts';

/** DER header of an Ed25519 public key; the 32 bytes of the key follow. */
const publicKeyHeader = Buffer.from('302a300506032b6570032100', 'hex');
const prefix = 'ed25519:';

/** Access to the signing key of this user or server, in `$CLEO_HOME/keys`, or in CLEO_AUDIT_KEY on a CI runner. */
export function createSigning(env: Record<string, string | undefined>, home: string): Signing {
  const folder = join(home, 'keys');
  const path = join(folder, 'audit.pem');
  return {
    path,
    find() {
      if (env.CLEO_AUDIT_KEY) return toSigningKey(parsePrivateKey(env.CLEO_AUDIT_KEY, 'CLEO_AUDIT_KEY'), 'CLEO_AUDIT_KEY');
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found) return undefined;
      checkPrivate(path, found.mode);
      return toSigningKey(parsePrivateKey(readFileSync(path, 'utf8'), path), path);
    },
    create() {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const { privateKey } = generateKeyPairSync('ed25519');
      // Of several concurrent calls one creates the file; the others use its key.
      createPrivate(path, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
      return this.find()!;
    },
    verify(publicKey, text, signature) {
      if (!publicKey.startsWith(prefix)) return false;
      try {
        const der = Buffer.concat([publicKeyHeader, Buffer.from(publicKey.slice(prefix.length), 'base64')]);
        return verify(
          null,
          Buffer.from(text),
          createPublicKey({ key: der, format: 'der', type: 'spki' }),
          Buffer.from(signature, 'base64'),
        );
      } catch {
        // The key or the signature has the wrong length.
        return false;
      }
    },
  };
}

function parsePrivateKey(text: string, source: string): KeyObject {
  try {
    const key = createPrivateKey(text.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below, without the text of the key.
  }
  throw new CleoError('E_FILE_ERROR', {
    path: source,
    problem: 'is not an Ed25519 private key in PEM format',
    fix: 'cleo audit keys',
    manual: 'Restore the key from a backup, or remove it; the next `cleo audit sign` creates another',
  });
}

function toSigningKey(privateKey: KeyObject, source: string): SigningKey {
  const der = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const publicKey = `${prefix}${der.subarray(publicKeyHeader.length).toString('base64')}`;
  return {
    publicKey,
    fingerprint: createHash('sha256').update(publicKey).digest('hex').slice(0, 16),
    source,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

/** Rejects a key that other users can read, as ssh does. Windows has no such modes. */
function checkPrivate(path: string, mode: number): void {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  throw new CleoError('E_FILE_ERROR', {
    path,
    problem: `can be read by other users (mode ${(mode & 0o777).toString(8)}), so its signatures prove nothing`,
    fix: `chmod 600 ${quote(path)}`,
  });
}
