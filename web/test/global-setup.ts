import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { launchBrowser } from './launch-browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browserEndpoint: string;
  }
}

/** Builds the page if a source changed, and starts one browser for all files. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = resolve(import.meta.dirname, '../..');
  execFileSync(process.execPath, [join(root, 'scripts', 'build-web.mjs')], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const server = await launchBrowser();
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
