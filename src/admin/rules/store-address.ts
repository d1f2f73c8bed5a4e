import { CleoError } from '#core/errors/error.ts';
import { parsePostgresAddress } from '#core/rules/postgres-address.ts';

const addressPattern = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:[/?#].*)?$/i;

/** Rejects an invalid address, and one with a password, because it would be written to a shared file. `retry` formats the same call with
 *  another address. */
export function checkStoreAddress(address: string, field: string, retry: (address: string) => string): void {
  const parts = addressPattern.exec(address);
  if (!parts)
    throw new CleoError('E_VALIDATION', {
      field,
      problem: 'must be an address such as postgres://user@host:5432/name',
      fix: 'cleo help init',
    });
  const clean = removePassword(address);
  if (clean !== address)
    throw new CleoError('E_VALIDATION', {
      field,
      problem: 'must not contain a password, because the file is shared; set PGPASSWORD, or the whole address in CLEO_DATABASE_URL',
      fix: retry(clean),
    });
  const parsed = parsePostgresAddress(address);
  if ('problem' in parsed)
    throw new CleoError('E_VALIDATION', { field, problem: parsed.problem, fix: retry(address.split('?', 1)[0] ?? '') });
}

export function removePassword(address: string): string {
  const user = addressPattern.exec(address)?.[1];
  const plain = user === undefined ? address : address.replace(`${user}@`, `${user.split(':', 1)[0]}@`);
  return plain.replace(/([?&])(?:password|pass|sslpassword)=[^&#]*&?/gi, '$1').replace(/[?&]$/, '');
}
