import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { quote } from '../src/core/errors/catalog.ts';
import { runtimePath } from './built-cli.ts';
import { createTempFolder } from './temp-folder.ts';
import { cleoLine, runAtTerminal, type TerminalAnswer } from './terminal-session.ts';

const setPassphrase = ['--json', 'proof', 'passphrase'];
const [typeId, newPassphrase, repeat] = [/Type passphrase to confirm: /, /New passphrase.*: /, /Repeat it: /];
const printModes = "stty -a | grep -oE -e '-?(icanon|echo)\\b' | xargs";

function openFolder() {
  const cwd = createTempFolder();
  const env = { HOME: cwd, CLEO_HOME: join(cwd, 'home') };
  return { cwd, run: (line: string, answers: TerminalAnswer[] = []): Promise<string> => runAtTerminal(line, { cwd, env, answers }) };
}

test('each prompt takes the first line that is typed after it', async () => {
  const { run } = openFolder();
  const screen = await run(cleoLine(...setPassphrase), [
    [typeId, 'passphrase\n'],
    [newPassphrase, 'correct horse\r'],
    [repeat, 'correct horse\r'],
  ]);
  expect(screen).toContain('"success":true');
  expect(screen).not.toContain('horse');
});

test('lines that are typed ahead answer the next prompts, and the shell gets the line after them', async () => {
  const { run } = openFolder();
  const screen = await run(`${cleoLine(...setPassphrase)}; read -r line; echo "the shell read $line"`, [
    [typeId, 'passphrase\ncorrect horse\ncorrect horse\nfor the shell\n'],
  ]);
  expect(screen).toContain('"success":true');
  expect(screen).toContain('the shell read for the shell');
});

test('a line that is typed while the answer is used is for the shell', async () => {
  const { run } = openFolder();
  const screen = await run(`${cleoLine(...setPassphrase)}; read -r line; echo "the shell read $line"`, [
    [typeId, 'wrong\n'],
    [/"success":false/, 'for the shell\n'],
  ]);
  expect(screen).toContain('the shell read for the shell');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['Ctrl-C in the middle of a line', 'correct\u0003'],
])('%s at a secret prompt cancels it and switches the echo on', async (_, keys) => {
  const { run } = openFolder();
  const screen = await run(`${cleoLine(...setPassphrase)}; echo "ended with $?"; ${printModes}`, [
    [typeId, 'passphrase\n'],
    [newPassphrase, keys],
  ]);
  expect(screen).toContain('passphrase was not typed');
  expect(screen.trimEnd()).toMatch(/ended with \d+\s+icanon echo$/);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s at a secret prompt switches the echo on', async (signal) => {
  const { cwd, run } = openFolder();
  const kill = async (): Promise<string> => {
    process.kill(Number(readFileSync(join(cwd, 'pid'), 'utf8')), signal);
    return '';
  };
  const command = `sh -c ${quote(`echo $$ >pid; exec ${cleoLine(...setPassphrase)}`)}`;
  const screen = await run(`${command}; echo "ended with $?"; ${printModes}`, [
    [typeId, 'passphrase\n'],
    [newPassphrase, kill],
  ]);
  expect(screen.trimEnd()).toMatch(/ended with \d+\s+icanon echo$/);
});

/** Runs a module of TypeScript at a terminal, with the runtime of the build that is tested. */
async function runModule(contents: string, answers: TerminalAnswer[]): Promise<string> {
  const { cwd, run } = openFolder();
  const outfile = join(cwd, 'prompts.mjs');
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts' } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' });
  return run(`${runtimePath} ${quote(outfile)}; read -r line; echo "the shell read $line"; ${printModes}`, answers);
}

test('a prompt without an answer ends after its time, and what was typed answers the next one', async () => {
  const screen = await runModule(
    `import { createPersonTerminal } from './src/platform/terminal.ts';
     const { ask } = createPersonTerminal({});
     const startedAt = performance.now();
     const answers = [
       await ask('First? ', { timeoutMs: 300 }),
       await ask('Second? ', { timeoutMs: 300, isSecret: true }),
       performance.now() - startedAt > 600,
       await ask('Third? ', { timeoutMs: 60_000, isSecret: true }),
       await ask('Fourth? ', { timeoutMs: 60_000 }),
     ];
     console.log('answers: ' + JSON.stringify(answers));`,
    [
      [/Second\? /, ''],
      [/Third\? /, 'wrong\u007f\u007f\u007f\u007f\u007fgrün\u007f\u007fß\rsecond li'],
      [/Fourth\? /, 'ne\nfor the shell\n'],
    ],
  );
  expect(screen).toContain('answers: [null,null,true,"grß","second line"]');
  expect(screen.trimEnd()).toMatch(/the shell read for the shell\s+icanon echo$/);
});

test('a stream of standard input, which Windows needs, answers each prompt once', async () => {
  const screen = await runModule(
    `import { openConsole } from './src/platform/terminal-input.ts';
     const { readLine, setRawMode } = openConsole(process.stdin);
     const ask = (question, timeoutMs = 60_000) => {
       process.stdout.write(question);
       return readLine(timeoutMs);
     };
     const answers = [await ask('First? '), await ask('Second? ', 100), await ask('Third? ')];
     setRawMode(true);
     answers.push(await ask('Fourth? '), await ask('Fifth? '));
     setRawMode(false);
     console.log('answers: ' + JSON.stringify(answers));`,
    [
      [/First\? /, '1\n'],
      [/Third\? /, '3\n'],
      [/Fourth\? /, '4\r\n5\r'],
      [/answers/, 'for the shell\n'],
    ],
  );
  expect(screen).toContain('answers: ["1",null,"3","4","5"]');
});
