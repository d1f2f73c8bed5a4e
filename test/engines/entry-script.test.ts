import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { Json } from '../app.ts';
import { cleoPath, cleoRunner } from '../built-cli.ts';
import { readProjectKey } from '../folder.ts';
import { createTempFolder } from '../temp-folder.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/guide/team-server-operation.md'), 'utf8');
const [, guideScript = ''] = /```sh\n(#!\/bin\/sh\n[\s\S]*?)```/.exec(page) ?? [];

test('the entry script of the guide starts a server, and starts it again', async () => {
  const folder = createTempFolder();
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const name of [project, home, join(folder, 'bin')]) mkdirSync(name);
  writeFileSync(join(folder, 'bin', 'cleo'), `#!/bin/sh\nexec '${cleoRunner}' '${cleoPath}' "$@"\n`, { mode: 0o755 });
  expect(guideScript).toContain('exec cleo serve');
  const script = guideScript.replaceAll('/var/lib/cleo', home).replace('--host 0.0.0.0 --port 4800', '--port 0');
  writeFileSync(join(folder, 'start.sh'), script, { mode: 0o755 });
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    HOME: home,
    CLEO_HOME: join(home, '.cleo'),
    LOGNAME: 'cleo',
    CLEO_DATABASE_URL: inject('databaseUrl'),
  };
  onTestFinished(async () => {
    const client = postgres(inject('databaseUrl'), { max: 1, onnotice: () => {} });
    await client.unsafe(`drop schema if exists "cleo_${readProjectKey(project)}" cascade`);
    await client.end({ timeout: 5 });
  });
  const secrets: string[] = [];
  for (let i = 0; i < 2; i++) {
    const child = spawn(join(folder, 'start.sh'), { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    await expect.poll(() => out, { timeout: 30_000 }).toContain('"listening"');
    const { listening }: Json = JSON.parse(out.trim().split('\n').at(-1)!);
    const secret = readFileSync(join(home, 'admin.token'), 'utf8').trim();
    secrets.push(secret);
    const response = await fetch(`${listening.url}/api/query/admin/token.list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body: '{}',
    });
    expect(await response.json()).toMatchObject({ tokens: [{ name: 'admin', scope: 'admin' }] });
    child.kill('SIGTERM');
    // `exec` makes the server receive the signal.
    expect((await ended)[0]).toBe(0);
  }
  expect(secrets[1]).toBe(secrets[0]);
});
