import { BlockList, isIP } from 'node:net';
import { CleoError } from '#core/errors/error.ts';
import { splitList } from './host-names.ts';

export interface Proxies {
  /** Returns the address of the client of a request that arrived from `address`: the last one of `X-Forwarded-For` that is not that of a
   *  trusted proxy. Only a trusted proxy is believed. */
  findClient(address: string, forwardedFor: string | undefined): string;
}

/** Parses the addresses of `serve.trustProxy`: single ones, and networks such as 10.0.0.0/8. */
export function parseProxies(text: string): Proxies {
  const list = new BlockList();
  const items = splitList(text);
  for (const item of items) {
    const [address = '', bits] = item.split('/');
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    if (family === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)))
      throw new CleoError('E_CONFIG_ERROR', {
        path: 'serve.trustProxy',
        problem: `has ${item}, which is not an address or network such as 127.0.0.1 or 10.0.0.0/8`,
        fix: 'cleo config get serve.trustProxy',
      });
    if (bits === undefined) list.addAddress(address, family === 6 ? 'ipv6' : 'ipv4');
    else list.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  }
  const isTrusted = (address: string): boolean => {
    const plain = toPlainAddress(address);
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
  return {
    findClient(address, forwardedFor) {
      if (items.length === 0 || !isTrusted(address)) return address;
      const chain = (forwardedFor ?? '').split(',').map((entry) => entry.trim());
      // The entries on the left are what the client sent.
      const client = chain.findLast((entry) => isIP(toPlainAddress(entry)) !== 0 && !isTrusted(entry));
      return client === undefined ? address : toPlainAddress(client);
    },
  };
}

/** Removes a port, and the prefix of an IPv4 address that arrived at an IPv6 socket. */
const toPlainAddress = (address: string): string =>
  address
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
