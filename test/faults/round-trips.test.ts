import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { openCountingProxy } from './counting-proxy.ts';
import { createFaultFolder, type FaultProject, isFull, openFaultProject } from './processes.ts';

let server: PostgresServer;
let url: string;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleo-hba-'));
  chmodSync(folder, 0o755);
  const hba = join(folder, 'hba.conf');
  writeFileSync(hba, 'host all cleo 0.0.0.0/0 trust\nhost all team 0.0.0.0/0 scram-sha-256\n', { mode: 0o644 });
  server = await startPostgres(['-c', `hba_file=${hba}`]);
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  await client.unsafe(`create role team login password 'secret'; grant create on database postgres to team; create extension pg_trgm`);
  await client.end();
  url = server.url.replace('cleo@', 'team:secret@');
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates a project in a git checkout, where a claim remembers the commit. */
async function openProject(databaseUrl: string): Promise<FaultProject> {
  const project = openFaultProject(createFaultFolder(), { CLEO_DATABASE_URL: databaseUrl, CLEO_AGENT_ID: 'agent-1' });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: project.root, stdio: 'pipe' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'First');
  await project.runOk(['init']);
  await project.runOk(['add', 'Release the parser', '--type', 'epic']);
  for (const title of ['Write the parser', 'Test the parser', 'Document the parser'])
    await project.runOk(['add', title, '--parent', 'T001', '--labels', 'parser', '--files', `src/${title.length}.ts`]);
  await project.runOk(['update', 'T003', '--depends', 'T002']);
  await project.runOk(['session', 'start', '--scope', 'epic:T001', '--name', 'Parser', '--auto-focus']);
  await project.runOk(['stop', 'T002']);
  return project;
}

test('commands need few round trips, and the delay of no more', async () => {
  const proxy = await openCountingProxy(url);
  const project = await openProject(proxy.url);
  const count = async (...args: string[]): Promise<number> => {
    proxy.takeCount();
    await project.runOk(args);
    return proxy.takeCount();
  };
  // A message in several packets is not counted twice, because no answer to the first one arrives in between.
  proxy.setDelay(60);
  const reads = {
    show: await count('show', 'T002'),
    exists: await count('exists', 'T002'),
    find: await count('find', 'parser'),
    next: await count('next'),
  };
  const writes = {
    add: await count('add', 'Publish the parser', '--parent', 'T001'),
    update: await count('update', 'T004', '--notes', 'With examples'),
    start: await count('start', 'T004'),
    stop: await count('stop', 'T004'),
  };
  const longer = {
    'claim-next': await count('next', '--claim'),
    complete: await count('complete', 'T002'),
  };
  console.log(`round trips: ${JSON.stringify({ ...reads, ...writes, ...longer })}`);
  const limits: Record<string, number> = { ...fill(reads, 6), ...fill(writes, 9), 'claim-next': 12, update: 8, stop: 8, complete: 9 };
  const counts: Record<string, number> = { ...reads, ...writes, ...longer };
  expect(Object.keys(limits).filter((command) => counts[command]! > limits[command]!)).toEqual([]);
  expect(await count('show', 'T004')).toBeLessThanOrEqual(6);
  // Outside git the files of the task are hashed, which the store names: that is a second transaction.
  rmSync(join(project.root, '.git'), { recursive: true });
  expect(await count('start', 'T004')).toBeLessThanOrEqual(11);

  // Other processes delay a run too, so the fastest one counts, and the delay of the short form is long.
  const [delayMs, runs] = isFull ? [20, 5] : [200, 1];
  const durations = { show: [] as number[], complete: [] as number[] };
  for (let i = 0; i < runs; i++) {
    proxy.setDelay(0);
    const { task } = await project.runOk(['add', `Check the parser ${i}`]);
    proxy.setDelay(delayMs);
    for (const command of ['show', 'complete'] as const) {
      proxy.takeCount();
      await project.runOk([command, task.id]);
      durations[command].push(Math.round(proxy.getDuration()));
    }
  }
  console.log(`with ${delayMs} ms: show ${durations.show.join(', ')} ms, complete ${durations.complete.join(', ')} ms`);
  expect(Math.min(...durations.show)).toBeLessThanOrEqual(8 * delayMs);
  expect(Math.min(...durations.complete)).toBeLessThanOrEqual(11 * delayMs);
});

const fill = (counts: Record<string, number>, limit: number): Record<string, number> =>
  Object.fromEntries(Object.keys(counts).map((command) => [command, limit]));
