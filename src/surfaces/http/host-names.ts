/** The parts of `localhost:4800`, `[::1]:4800` or `example.org`; undefined for what is none of these. */
export function splitHost(text: string): { name: string; port: string } | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/.exec(text.toLowerCase());
  return found?.[1] ? { name: found[1].replace(/^\[|\]$/g, ''), port: found[2] ?? '' } : undefined;
}

/** Names that lead to this machine wherever they are resolved. */
export const isLoopback = (name: string): boolean =>
  name === 'localhost' || name === '::1' || name === '::ffff:127.0.0.1' || /^127(?:\.\d{1,3}){3}$/.test(name);

const isAddress = (name: string): boolean => name.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name);

/** An address that stands for all there are. */
const isWildcard = (name: string): boolean => name === '0.0.0.0' || name === '::';

/** Whether the server answers under this name. A web page that has its own name resolve to us (DNS rebinding) comes with a
 *  name we do not know. Where the server listens on every address, any of them may be asked for: an address cannot be rebound. */
export const isServedHost = (name: string, bound: string, others: string[]): boolean =>
  isLoopback(name) || name === bound || others.includes(name) || (isWildcard(bound) && isAddress(name));

/** Whether a page of this origin is one of our own: the same name, or another of ours on the same port. */
export function isOwnOrigin(origin: string, host: { name: string; port: string }): boolean {
  const found = /^(https?):\/\/(.+)$/.exec(origin.toLowerCase());
  const page = found?.[2] ? splitHost(found[2]) : undefined;
  if (!page) return false;
  const usual = found?.[1] === 'https' ? '443' : '80';
  // A proxy that ends TLS hands on a Host without a port.
  const isSamePort = (page.port || usual) === (host.port || usual);
  return isSamePort && (page.name === host.name || (isLoopback(page.name) && isLoopback(host.name)));
}

export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
