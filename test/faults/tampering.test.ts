import { expect, test } from 'vitest';
import { openHouse } from '../house.ts';
import { missedTamperings } from '../tampering.ts';
import { isFull, size } from './processes.ts';

test('every random tampering with the audit log is found, at the entry that it broke', async () => {
  const house = await openHouse({ engine: 'sqlite' });
  expect(await missedTamperings(house, 20, size(150, 1000), isFull ? Date.now() >>> 0 : 1)).toEqual([]);
});
