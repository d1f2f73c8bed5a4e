import { expect, test } from 'vitest';
import { createPlatform } from '#platform/platform.ts';
import { connectTo } from './send-call.ts';

test('a platform keeps its connection to an address, and does not use that of another platform', async () => {
  const [one, other] = [createPlatform({}, '/', '0.0.0-test'), createPlatform({}, '/', '0.0.0-test')];
  const url = 'http://127.0.0.1:9';
  const connection = await connectTo(one, url);
  expect(await connectTo({ ...one }, url)).toBe(connection);
  expect(await connectTo(other, url)).not.toBe(connection);
});
