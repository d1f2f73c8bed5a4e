import { expect, test } from 'vitest';
import { processes } from '#admin/operations/shared/processes.ts';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { openApp } from '../../../test/app.ts';
import { runCli } from './run.ts';

/** Opens a command line whose processes only record how they were started. */
async function open() {
  const { root, env } = await openApp();
  const app = createApp(createPlatform(env, root, '0.0.0-test'));
  return async (...argv: string[]) => {
    const started: unknown[][] = [];
    let out = '';
    const write = (text: string): void => {
      out += text;
    };
    const exitCode = await runCli(app, argv, {
      isTerminal: false,
      columns: 80,
      hasColour: false,
      isDebugging: false,
      format: undefined,
      write,
      writeError: write,
      appAt: () => app,
      start: async (command, params, globals) => {
        started.push([command, params, globals]);
        return 0;
      },
    });
    return { exitCode, out, started };
  };
}

test('starts a process with validated flags', async () => {
  const run = await open();
  expect((await run('mcp')).started).toEqual([['mcp', {}, {}]]);
  expect((await run('mcp', '--agent', 'me')).started).toEqual([['mcp', {}, { agent: 'me' }]]);
  expect((await run('serve', '--port', '0')).started).toMatchObject([['serve', { port: 0 }, {}]]);
});

test('starts nothing for invalid words and suggests a fix', async () => {
  const run = await open();
  for (const [words, fix] of [
    [['mcp', '--bogus'], 'cleo help mcp'],
    [['mcp', 'extra'], 'cleo help mcp'],
    [['serve', '--prot', '80'], 'cleo serve --port 80'],
    [['serve', '--port', 'x'], 'cleo help serve'],
    [['mpc'], 'cleo mcp'],
  ] as const) {
    const { exitCode, out, started } = await run(...words);
    expect([exitCode, started, JSON.parse(out).error.fix], words.join(' ')).toEqual([2, [], fix]);
  }
});

test('distinguishes a process from an operation with the same command by its flag', async () => {
  const run = await open();
  expect((await run('list', '--watch', '--status', 'active')).started).toMatchObject([['list-watch', { status: ['active'] }, {}]]);
  expect((await run('list', '--watch=true')).started).toEqual([]);
  expect((await run('list', '--status', 'active')).started).toEqual([]);
  expect((await run('watch', 't1', '--json')).started).toEqual([['watch', { epic: 'T001' }, { json: true }]]);
  expect(JSON.parse((await run('list', '--watch', '--bogus')).out).error.fix).toBe('cleo help list');
  expect(JSON.parse((await run('find', 'x', '--watch')).out).error.code).toBe('E_INVALID_INPUT');
});

test.each(processes.map((process) => [process.name, process] as const))(
  'lists %s in help and completion',
  async (name, { cli, summary }) => {
    const run = await open();
    const words = [String(cli.command), ...(cli.select ? [`--${cli.select}`] : [])];
    for (const line of [
      [...words, '--help'],
      ['help', name],
    ]) {
      const { exitCode, out, started } = await run(...line, '--human');
      expect([exitCode, started]).toEqual([0, []]);
      expect(out.replace(/\s+/g, ' ')).toContain(summary);
      expect(out).toContain(`Usage: cleo ${words.join(' ')}`);
    }
    const all = (await run('help', '--human')).out;
    expect(all).toContain(`  ${words.join(' ')} `);
    expect(all.replace(/\s+/g, ' ')).toContain(summary);
    expect(JSON.parse((await run('help', name, '--json')).out)).toMatchObject({ help: { process: name, summary } });
    expect((await run('__complete', '--', ...words)).out).toMatch(new RegExp(`^${words.at(-1)}\\t`, 'm'));
  },
);

test('names the process that shares a command in the help of the command', async () => {
  const run = await open();
  expect((await run('help', 'list', '--human')).out).toMatch(/See also\n +cleo help list-watch +cleo list --watch/);
});
