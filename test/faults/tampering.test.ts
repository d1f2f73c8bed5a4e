import { expect, test } from 'vitest';
import { openApp } from '../app.ts';
import { findMissedTampering } from '../tampering.ts';
import { isFull, pickSize } from './processes.ts';

test('audit verify reports every random change of the log at its entry', async () => {
  const app = await openApp({ engine: 'sqlite' });
  expect(await findMissedTampering(app, 20, pickSize(150, 1000), isFull ? Date.now() >>> 0 : 1)).toEqual([]);
});
