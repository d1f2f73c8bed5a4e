import { expect, test } from 'vitest';
import { isFull, size } from '../faults/processes.ts';
import { openHouse } from '../house.ts';
import { missedTamperings } from '../tampering.ts';

test('every random tampering with the audit log is found on PostgreSQL too', async () => {
  const house = await openHouse({ engine: 'postgres' });
  expect(await missedTamperings(house, 20, size(50, 1000), isFull ? Date.now() >>> 0 : 1)).toEqual([]);
}, 600_000);
