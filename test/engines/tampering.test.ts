import { expect, test } from 'vitest';
import { openApp } from '../app.ts';
import { isFull, pickSize } from '../faults/processes.ts';
import { findMissedTampering } from '../tampering.ts';

test('audit verify reports every random change of the log on PostgreSQL', async () => {
  const app = await openApp({ engine: 'postgres' });
  expect(await findMissedTampering(app, 20, pickSize(50, 1000), isFull ? Date.now() >>> 0 : 1)).toEqual([]);
}, 600_000);
