import { isLoopbackHost } from './postgres-address.ts';

/** Returns the problem with the address of a server, or undefined. A token must not travel unencrypted beyond this machine, unless the user's
 *  own configuration says so. */
export function findServerAddressProblem(address: string, isOwnAddress: boolean): string | undefined {
  const url = parseUrl(address);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) return 'must be an address such as https://cleo.example.com';
  if (url.username || url.password) return 'must not contain a name or password; set the token in CLEO_TOKEN';
  if (url.search || url.hash) return 'must not contain a query or a fragment';
  if (url.protocol === 'http:' && !isOwnAddress && !isLoopbackHost(url.hostname.replace(/^\[|\]$/g, '')))
    return 'must begin with https, because the token would be sent unencrypted';
  return undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Compares the versions of a client and a server: they understand each other within one major version. */
export const isSameMajor = (one: string, other: string): boolean => getMajor(one) === getMajor(other);

const getMajor = (version: string): string => /^\d+/.exec(version)?.[0] ?? '';
