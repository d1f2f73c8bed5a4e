import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../program-path.ts';
import type { SshKey, SshSignatures, SshVerification } from './port.ts';

/** Signs and verifies texts with `ssh-keygen -Y`, as git does. A private key stays with ssh-keygen, the SSH agent or the hardware. */
export function createSshSignatures(env: Record<string, string | undefined>): SshSignatures {
  const run = (words: string[], input?: string, isInteractive = false): Promise<SshResult> =>
    runOnTerminal(env, 'ssh-keygen', words, input, isInteractive);
  return {
    async findKey(publicKeys) {
      const folder = join(env.HOME || homedir(), '.ssh');
      for (const path of listPublicKeyFiles(folder)) {
        const publicKey = readPublicKey(path);
        const keyFile = path.slice(0, -'.pub'.length);
        if (!publicKey || !publicKeys.includes(publicKey) || !existsSync(keyFile)) continue;
        return { publicKey, keyFile, protection: await findProtection(run, publicKey, keyFile) };
      }
      const inAgent = (await runOnTerminal(env, 'ssh-add', ['-L'])).stdout.split('\n').map(toPublicKey);
      const publicKey = publicKeys.find((key) => inAgent.includes(key));
      return publicKey === undefined ? undefined : { publicKey, protection: publicKey.startsWith('sk-') ? 'hardware' : 'agent' };
    },
    sign: ({ publicKey, keyFile }, namespace, text) =>
      withScratchFolder(async (folder) => {
        const path = keyFile ?? writeScratch(folder, 'key.pub', `${publicKey}\n`);
        // The passphrase of the key is asked by ssh-keygen itself, on the terminal.
        const { exitCode, stdout, stderr } = await run(['-Y', 'sign', '-q', '-n', namespace, '-f', path], text, true);
        return exitCode === 0 && stdout.includes('BEGIN SSH SIGNATURE') ? { signature: stdout } : { problem: describe(stderr) };
      }),
    verify: ({ signers, namespace, text, signature, at }) =>
      withScratchFolder(async (folder): Promise<SshVerification> => {
        const files = [writeScratch(folder, 'allowed_signers', `${signers.join('\n')}\n`), writeScratch(folder, 'signature', signature)];
        const [allowed = '', signed = ''] = files;
        const time = at === undefined ? [] : ['-O', `verify-time=${at.replace(/\.\d+/, '').replace(/[-:T]/g, '')}`];
        const found = await run(['-Y', 'find-principals', '-s', signed, '-f', allowed, ...time]);
        const signer = found.stdout.split('\n')[0]?.split(',')[0]?.trim();
        if (found.exitCode !== 0 || !signer) return { isValid: false, problem: describe(found.stderr) };
        const words = ['-Y', 'verify', '-f', allowed, '-I', signer, '-n', namespace, '-s', signed, ...time];
        const { exitCode, stdout, stderr } = await run(words, text);
        if (exitCode !== 0) return { isValid: false, problem: describe(stderr || stdout) };
        return { isValid: true, signer, fingerprint: /SHA256:[\w+/]+/.exec(stdout)?.[0] ?? '' };
      }),
  };
}

interface SshResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Finds out whether a program that can read the key file can sign with it. */
async function findProtection(
  run: (words: string[]) => Promise<SshResult>,
  publicKey: string,
  keyFile: string,
): Promise<SshKey['protection']> {
  if (publicKey.startsWith('sk-')) return 'hardware';
  return (await run(['-y', '-P', '', '-f', keyFile])).exitCode === 0 ? 'none' : 'passphrase';
}

function listPublicKeyFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pub'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readPublicKey(path: string): string | undefined {
  try {
    return toPublicKey(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the type and the key, without the comment. */
const toPublicKey = (line: string): string => line.trim().split(/\s+/).slice(0, 2).join(' ');

const describe = (stderr: string): string => stderr.trim().split(/\r?\n/).at(-1) || 'ssh-keygen failed';

/** Runs a program in the process group of this one, so that it can ask for a passphrase on the terminal. */
function runOnTerminal(
  env: Record<string, string | undefined>,
  program: string,
  words: string[],
  input = '',
  isInteractive = false,
): Promise<SshResult> {
  return new Promise((resolve) => {
    const child = spawn(findProgram(program, env), words, { env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const result: SshResult = { exitCode: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      result.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      result.stderr += text;
      // A hardware key asks for a touch on standard error.
      if (isInteractive && process.stderr.isTTY) process.stderr.write(text);
    });
    child.on('error', (error) => resolve({ ...result, stderr: `${program} could not be started: ${error.message}` }));
    child.on('close', (exitCode) => resolve({ ...result, exitCode }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-ssh-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeScratch(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
