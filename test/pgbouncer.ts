import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { findFreePort } from './postgres.ts';

export interface Pooler {
  url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode in front of a server: every transaction may get another connection, and there are few of them. */
export async function startPgBouncer(serverUrl: string, poolSize = 4): Promise<Pooler> {
  const program = findProgram();
  const folder = mkdtempSync(join(tmpdir(), 'cleo-pgbouncer-'));
  const { hostname, port, pathname, username } = new URL(serverUrl);
  const ownPort = await findFreePort();
  const settings = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${username}" ""\n`);
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${ownPort}\nunix_socket_dir =`,
      `auth_type = trust\nauth_file = ${users}`,
      `pool_mode = transaction\ndefault_pool_size = ${poolSize}\nmax_client_conn = 1000`,
      '',
    ].join('\n'),
  );
  // PgBouncer does not run as root either.
  const nobody = { uid: 65_534, gid: 65_534 };
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  if (isRoot) for (const file of [folder, settings, users]) chownSync(file, nobody.uid, nobody.gid);
  const child: ChildProcess = spawn(program, ['-q', settings], { ...(isRoot ? nobody : {}), stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-4000);
  });
  const url = `postgres://${username}@127.0.0.1:${ownPort}${pathname}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++, await sleep(50)) {
    const client = postgres(url, { max: 1, connect_timeout: 2, prepare: false, onnotice: () => {} });
    const isUp = await client`select 1`.then(
      () => true,
      () => false,
    );
    await client.end({ timeout: 1 });
    if (isUp) return { url, stop };
  }
  await stop();
  throw new Error(`PgBouncer did not start:\n${log}`);
}

function findProgram(): string {
  for (const program of ['pgbouncer', '/usr/sbin/pgbouncer'])
    try {
      execFileSync(program, ['--version'], { stdio: 'pipe' });
      return program;
    } catch {
      // The next one.
    }
  throw new Error('pgbouncer is not installed; install it with the package manager: apt-get install pgbouncer');
}
