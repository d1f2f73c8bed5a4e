import { CleoError } from '#core/errors/error.ts';

const form = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:[/?#].*)?$/i;

/** Refuses an address that is none, and one whose password would end up in a file that is shared. `retry` is the same
 *  call with another address. */
export function checkAddress(address: string, field: string, retry: (address: string) => string): void {
  const parts = form.exec(address);
  if (!parts)
    throw new CleoError('E_VALIDATION', {
      field,
      problem: 'must be an address such as postgres://user@host:5432/name',
      fix: 'cleo help init',
    });
  const clean = withoutPassword(address);
  if (clean !== address)
    throw new CleoError('E_VALIDATION', {
      field,
      problem: 'must not hold a password: the file is shared. Set PGPASSWORD, or the whole address in CLEO_DATABASE_URL',
      fix: retry(clean),
    });
}

export function withoutPassword(address: string): string {
  const user = form.exec(address)?.[1];
  const plain = user === undefined ? address : address.replace(`${user}@`, `${user.split(':', 1)[0]}@`);
  return plain.replace(/([?&])(?:password|pass|sslpassword)=[^&#]*&?/gi, '$1').replace(/[?&]$/, '');
}
