import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cleoPath, runCleo } from '../built-cli.ts';
import { createRepository } from '../repository.ts';
import { type Scratch, type TestClient, writeFile } from './client.ts';

/** Creates a home folder and a project with one commit, set up for the client. It is removed when the test ends, and every process that
 *  still works in it is killed; `CLEO_CLIENTS_KEEP` preserves the files. */
export async function createScratch(client: TestClient): Promise<Scratch> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `cleo-clients-${client.name}-`)));
  onTestFinished(() => {
    killProcessesIn(folder);
    if (!process.env.CLEO_CLIENTS_KEEP) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const [home, project, bin, temp] = ['home', 'project', 'bin', 'tmp'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [home, project, bin, temp]) mkdirSync(path);
  writeFile(join(bin, 'cleo'), `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(cleoPath)} "$@"\n`);
  chmodSync(join(bin, 'cleo'), 0o755);
  const repository = createRepository(project);
  repository.commit({ 'README.md': '# Project\n' }, 'Start');
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    TMPDIR: temp,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    USER: 'ada',
    ...Object.fromEntries(Object.entries(repository.env).filter(([name]) => name !== 'PATH')),
  };
  const scratch = { folder, home, project, bin, env };
  await runAsPerson(scratch, ['init']);
  await runAsPerson(scratch, ['setup', client.name]);
  client.configure(scratch);
  return scratch;
}

/** Runs `cleo` outside the client, under a name of its own. */
export async function runAsPerson({ project, env }: Scratch, words: string[]): Promise<string> {
  const { exitCode, out, err } = await runCleo(words, { cwd: project, env: { ...env, CLEO_AGENT_ID: 'person' } });
  if (exitCode !== 0) throw new Error(`cleo ${words.join(' ')} exited with ${exitCode}: ${out}${err}`);
  return out;
}

/** Kills every process whose working directory is in the folder. A shell tool of a killed client can survive in a session of its own. */
export function killProcessesIn(folder: string): void {
  if (!existsSync('/proc/self/cwd')) return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
