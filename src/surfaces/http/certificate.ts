import { readFileSync, statSync } from 'node:fs';
import type { Server as HttpsServer } from 'node:https';
import { createSecureContext } from 'node:tls';
import { CleoError } from '#core/errors/error.ts';

export interface CertificateFiles {
  /** The certificate of the server, followed by those of the authorities between it and the root. */
  cert: string;
  key: string;
}

/** Returns the files of the certificate; undefined without TLS. Throws if only one is configured. */
export function chooseCertificate(
  config: { 'serve.tlsCert': string; 'serve.tlsKey': string },
  resolvePath: (path: string) => string,
): CertificateFiles | undefined {
  const { 'serve.tlsCert': cert, 'serve.tlsKey': key } = config;
  if (cert === '' && key === '') return undefined;
  if (cert === '' || key === '')
    throw new CleoError('E_CONFIG_ERROR', {
      path: cert === '' ? 'serve.tlsCert' : 'serve.tlsKey',
      problem: 'is missing: TLS needs the file of the certificate and that of its key',
      fix: `cleo config set ${cert === '' ? 'serve.tlsCert cert.pem' : 'serve.tlsKey key.pem'}`,
    });
  return { cert: resolvePath(cert), key: resolvePath(key) };
}

/** Reads the files. Throws if they cannot be read, or do not fit together. */
export function readCertificate({ cert, key }: CertificateFiles): { cert: Buffer; key: Buffer } {
  const read = (name: 'tlsCert' | 'tlsKey', path: string): Buffer => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw createError(`serve.${name}`, `${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const certificate = { cert: read('tlsCert', cert), key: read('tlsKey', key) };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw createError('serve.tlsCert', `${cert} and ${key} are not a certificate and its key: ${(error as Error).message}`);
  }
  return certificate;
}

const createError = (path: string, problem: string): CleoError =>
  new CleoError('E_CONFIG_ERROR', {
    path,
    problem,
    fix: `cleo config get ${path}`,
    manual: 'Provide the certificate and its key as PEM files',
  });

/** Loads the certificate again when one of its files changes. New connections use it; present ones continue. Files that do not fit
 *  together, as between the writing of one and the other, leave the previous certificate in use. */
export function followCertificate(
  server: Pick<HttpsServer, 'setSecureContext'>,
  files: CertificateFiles,
  { warn, checkMs = 5000 }: { warn: (problem: string) => void; checkMs?: number },
): () => void {
  // Contents are compared by the state of the files behind links, which renewals replace.
  const readState = (): string =>
    [files.cert, files.key]
      .map((path) => statSync(path, { throwIfNoEntry: false }))
      .map((status) => (status ? `${status.ino} ${status.size} ${status.mtimeMs}` : ''))
      .join(' ');
  let state = readState();
  const check = (): void => {
    const next = readState();
    if (next === state) return;
    state = next;
    try {
      server.setSecureContext(readCertificate(files));
    } catch (error) {
      warn(`the previous certificate stays in use: ${(error as Error).message}`);
    }
  };
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}
