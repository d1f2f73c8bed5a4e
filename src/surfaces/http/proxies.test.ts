import { expect, test } from 'vitest';
import { parseProxies } from './proxies.ts';

test.each([
  ['', '127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['127.0.0.1', '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['127.0.0.1', '127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
  // A client can send the header itself; the proxy appends what it saw.
  ['127.0.0.1', '127.0.0.1', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
  ['127.0.0.1, 10.0.0.0/8', '127.0.0.1', '203.0.113.9, 10.1.2.3', '203.0.113.9'],
  ['127.0.0.1', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
  ['::1, fd00::/8', 'fd00::1', '[2001:db8::1]:443', '2001:db8::1'],
  ['127.0.0.1', '127.0.0.1', 'unknown', '127.0.0.1'],
])('with the trusted proxies %j a request from %s for %s is from %s', (trusted, address, forwarded, client) => {
  expect(parseProxies(trusted).findClient(address, forwarded)).toBe(client);
});

test.each(['proxy.example.com', '10.0.0.0/33', '10.0.0/8', 'true', '10.0.0.1/x'])('%s is a configuration error', (text) => {
  expect(() => parseProxies(text)).toThrow(expect.objectContaining({ code: 'E_CONFIG_ERROR' }));
});
