import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppOptions, type Json, openApp, type TestApp } from './app.ts';

export const node = process.execPath;
/** Evidence that opens the first two gates of a project that `openWorked` creates. */
export const work = 'files:work.txt';
export const tested = 'tool:test';
export const openWorked = async ({ config = {}, ...options }: AppOptions): Promise<TestApp> => {
  const verification = { ...(config.verification as object), tools: { test: [node, '-e', ''] } };
  const app = await openApp({ ...options, config: { ...config, verification } });
  write(app, 'work.txt', 'work');
  return app;
};
export const tools = (named: Record<string, string>, more = {}): AppOptions => ({
  config: {
    verification: { tools: Object.fromEntries(Object.entries(named).map(([name, code]) => [name, [node, '-e', code]])), ...more },
  },
});
export const notes = { config: { verification: { allowNotes: true } } };
export const write = ({ root }: TestApp, name: string, text: string): void => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
};
export const verify = ({ call }: Pick<TestApp, 'call'>, gate: string, evidence: string, more = {}): Promise<Json> =>
  call('verify.gate', { taskId: 'T001', gate, evidence, ...more });
export const held = async ({ call }: TestApp): Promise<string[]> =>
  (await call('verify.status', { taskId: 'T001' })).verification.gates.flatMap(({ gate, isHeld }: Json) => (isHeld ? [gate] : []));
