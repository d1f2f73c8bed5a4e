import { expect, test } from 'vitest';
import { openHouse } from '../../../test/house.ts';
import { buildHouse } from '../../main.ts';
import { processes } from '../../operations/processes.ts';
import { platformOf } from '../../platform/platform.ts';
import { runCli } from './run.ts';

/** A command line whose processes only say how they were called. */
async function open() {
  const { root, env } = await openHouse();
  const house = buildHouse(platformOf(env, root, '0.0.0-test'));
  return async (...argv: string[]) => {
    const started: unknown[][] = [];
    let out = '';
    const write = (text: string): void => {
      out += text;
    };
    const exitCode = await runCli(house, argv, {
      isTerminal: false,
      columns: 80,
      hasColour: false,
      isDebugging: false,
      format: undefined,
      write,
      writeError: write,
      houseAt: () => house,
      start: async (...words) => {
        started.push(words);
        return 0;
      },
    });
    return { exitCode, out, started };
  };
}

test('a process is started with its flags, checked by their schema', async () => {
  const run = await open();
  expect((await run('mcp')).started).toEqual([['mcp', {}, {}]]);
  expect((await run('mcp', '--agent', 'me')).started).toEqual([['mcp', {}, { agent: 'me' }]]);
  expect((await run('serve', '--port', '0')).started).toMatchObject([['serve', { port: 0 }, {}]]);
});

test('words that are no call of it start nothing, and say what was meant', async () => {
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

test.each(processes.map(({ name, summary }) => [name, summary]))('help and completion know %s', async (name, summary) => {
  const run = await open();
  for (const words of [
    [name, '--help'],
    ['help', name],
  ]) {
    const { exitCode, out, started } = await run(...words, '--human');
    expect([exitCode, started]).toEqual([0, []]);
    expect(out).toContain(summary);
    expect(out).toContain(`Usage: cleo ${name}`);
  }
  expect((await run('help', '--human')).out).toContain(summary);
  expect(JSON.parse((await run('help', name, '--json')).out)).toMatchObject({ help: { process: name, summary } });
  expect((await run('completion', 'bash')).out).toMatch(new RegExp(`'[^']*\\b${name}\\b[^']*'`));
});
