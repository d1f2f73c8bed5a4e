import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from './main.ts';
import { createPlatform } from './platform/platform.ts';

test('closing the stores succeeds after one could not be opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-main-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const app = createApp(createPlatform({ CLEO_HOME: join(folder, 'home') }, folder, '0.0.0-test'));
  await expect(app.openStore('read')).rejects.toThrow();
  await expect(app.closeStores()).resolves.toBeUndefined();
});
