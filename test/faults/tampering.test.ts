import { expect, test } from 'vitest';
import { openApp } from '../app.ts';
import { missedTamperings } from '../tampering.ts';
import { isFull, size } from './processes.ts';

test('every random tampering with the audit log is found, at the entry that it broke', async () => {
  const app = await openApp({ engine: 'sqlite' });
  expect(await missedTamperings(app, 20, size(150, 1000), isFull ? Date.now() >>> 0 : 1)).toEqual([]);
});
