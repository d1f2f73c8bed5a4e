import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quote } from '../src/core/errors/quote.ts';
import { type Json, openApp } from './app.ts';
import { cleoPath, runCleo } from './built-cli.ts';

/** Runs the command on a terminal created by `script`. Of this process's environment it gets only PATH. */
function runOnTerminal(argv: string[], cwd: string, env: Record<string, string>): Json {
  const line = [process.execPath, cleoPath, '--json', ...argv].map(quote).join(' ');
  const out = execFileSync('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return JSON.parse(out);
}

test('only a person at a terminal can accept a decision', async () => {
  const { root } = await openApp({
    engine: 'sqlite',
    tasks: ['memory decision: Tokens are structs', 'memory decision: Tokens are classes'],
  });
  const env = { CLEO_ROOT: root, CLEO_HOME: join(root, 'home') };
  const words = ['memory', 'confirm', 'D-001'];
  const refused = { error: { code: 'E_AUTONOMOUS_BOUNDARY', exitCode: 64 } };
  const piped = await runCleo(['--json', ...words], { cwd: root, env });
  expect([JSON.parse(piped.out), piped.exitCode]).toMatchObject([refused, 64]);
  // No flag turns a pipe into a terminal or an agent into a person.
  expect((await runCleo([...words, '--human'], { cwd: root, env })).exitCode).toBe(64);
  const seen = (argv: string[], more: Record<string, string> = {}): Json => {
    try {
      return runOnTerminal(argv, root, { ...env, ...more });
    } catch (error) {
      return JSON.parse((error as { stdout: string }).stdout);
    }
  };
  expect(seen(words, { CLEO_AGENT_ID: 'ada' })).toMatchObject(refused);
  expect(seen(words, { CLAUDECODE: '1' })).toMatchObject(refused);
  expect(seen([...words, '--agent', 'ada'])).toMatchObject(refused);
  expect(seen(words)).toMatchObject({ memory: { id: 'D-001', confirmation_state: 'accepted' } });
  expect(seen(['memory', 'supersede', 'D-001', '--by', 'D-002'])).toMatchObject({ memory: { supersededBy: 'D-002' } });
});
