import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Scratch, TestClient } from './client.ts';

/** A running client. */
export interface ClientProcess {
  /** Rejects when the client ends; used to fail at once instead of waiting for a request that never comes. */
  whenEnded: Promise<number | null>;
  getOutput(): string;
  /** Types a line. Only an interactive client reads it. */
  type(line: string): Promise<void>;
  kill(): Promise<void>;
}

export interface StartOptions {
  args: string[];
  env: Record<string, string>;
  /** Runs the client on a pseudo terminal. */
  isInteractive: boolean;
}

/** Starts the client in a process group of its own, which is killed when the test ends. */
export function startClient(client: TestClient, scratch: Scratch, { args, env, isInteractive }: StartOptions): ClientProcess {
  const words = [getExecutable(client), ...args];
  const [file = '', ...rest] = isInteractive ? ['script', '-qfec', words.map(quote).join(' '), '/dev/null'] : words;
  const child = spawn(file, rest, {
    cwd: scratch.project,
    env: { ...scratch.env, ...(isInteractive ? { TERM: 'xterm-256color' } : {}), ...env },
    detached: true,
    stdio: [isInteractive ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const whenEnded = new Promise<number | null>((resolve) => child.on('close', resolve));
  const killGroup = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  onTestFinished(killGroup);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  child.stdin?.on('error', () => {});
  return {
    whenEnded,
    getOutput: () => output,
    async type(line) {
      child.stdin?.write(line);
      // Text and Enter that arrive together count as pasted text.
      await setTimeout(pauseMs);
      child.stdin?.write('\r');
    },
    async kill() {
      killGroup();
      await whenEnded;
    },
  };
}

const pauseMs = 500;

function getExecutable({ name }: TestClient): string {
  const folder = process.env.CLEO_CLIENTS_DIR;
  if (!folder) throw new Error('CLEO_CLIENTS_DIR is not set; run npm run test:clients');
  return join(folder, name, 'node_modules', '.bin', name);
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
