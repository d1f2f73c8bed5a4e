/** Splits `localhost:4800`, `[::1]:4800` or `example.org` into name and port; undefined for anything else. */
export function splitHost(text: string): { name: string; port: string } | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(text.toLowerCase());
  return found?.[1] ? { name: found[1].replace(/^\[|\]$/g, ''), port: found[2] ?? '' } : undefined;
}

/** Checks for a name that always means this machine. */
export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || name === '::ffff:127.0.0.1' || /^127(?:\.\d{1,3}){3}$/.test(name);

const isAddress = (name: string): boolean => name.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);

/** Checks for the address that means all interfaces. */
const isWildcard = (name: string): boolean => name === '0.0.0.0' || name === '::';

/** Checks whether the server has this name. It rejects DNS rebinding, where a page resolves its own name to this machine. A server on
 *  all interfaces accepts any address, because an address cannot be rebound. */
export const isServedHost = (name: string, bound: string, others: string[]): boolean =>
  isLoopback(name) || name === bound || others.includes(name) || (isWildcard(bound) && isAddress(name));

/** Checks whether a page comes from this server: the same name and port, or another loopback name on the same port. */
export function isOwnOrigin(origin: string, host: { name: string; port: string }): boolean {
  const found = /^(https?):\/\/(.+)$/.exec(origin.toLowerCase());
  const page = found?.[2] ? splitHost(found[2]) : undefined;
  if (!page) return false;
  const defaultPort = found?.[1] === 'https' ? '443' : '80';
  // A proxy that terminates TLS forwards a Host header without a port.
  const isSamePort = (page.port || defaultPort) === (host.port || defaultPort);
  return isSamePort && (page.name === host.name || (isLoopback(page.name) && isLoopback(host.name)));
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
