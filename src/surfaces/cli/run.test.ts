import { expect, test } from 'vitest';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { openApp } from '../../../test/app.ts';
import { runCli, type Terminal } from './run.ts';

/** Creates an app with an operation that cannot be loaded, and a terminal that records its output. */
async function brokenApp(more: Partial<Terminal> = {}) {
  const { root, env } = await openApp();
  const app = createApp(createPlatform(env, root, '0.0.0-test'));
  const under = (word: string) =>
    app.registry
      .findByFirstWord(word)
      .map((entry) => (entry.name === 'tasks.show' ? { ...entry, load: () => Promise.reject(new Error('part is gone')) } : entry));
  const seen = { out: '', err: '' };
  const terminal: Terminal = {
    isTerminal: false,
    columns: 80,
    hasColour: false,
    isDebugging: false,
    format: undefined,
    write: (text) => {
      seen.out += text;
    },
    writeError: (text) => {
      seen.err += text;
    },
    appAt: () => app,
    start: async () => 0,
    ...more,
  };
  const run = async (...argv: string[]) => ({
    exitCode: await runCli({ ...app, registry: { ...app.registry, findByFirstWord: under } }, argv, terminal),
    ...seen,
  });
  return { run };
}

test('reports an unexpected error as exit 1 with an envelope and without a stack', async () => {
  const { run } = await brokenApp();
  const { exitCode, out, err } = await run('show', 'T1');
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: '' });
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'E_GENERAL_ERROR', message: 'Unexpected: part is gone', fix: 'cleo doctor' } });
});

test('prints the stack to standard error when debugging', async () => {
  const { run } = await brokenApp({ isDebugging: true });
  const { err } = await run('show', 'T1');
  expect(err).toMatch(/^Error: part is gone\n\s+at /);
});

test('prints text to a terminal, or JSON with CLEO_FORMAT=json', async () => {
  expect((await (await brokenApp({ isTerminal: true })).run('list')).out).toBe('Nothing found.\n');
  expect((await (await brokenApp({ isTerminal: true, format: 'json' })).run('list')).out).toMatch(/^\{/);
  expect((await (await brokenApp({ isTerminal: true, format: 'json' })).run('list', '--human')).out).toBe('Nothing found.\n');
});
