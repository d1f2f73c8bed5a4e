import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../src/store/dialects/postgres.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { createTempFolder } from '../temp-folder.ts';
import { type Certificates, createCertificates, requests, startFakePostgres } from './fake-postgres.ts';
import { runCleoProcess } from './processes.ts';

/** An address of this machine that counts as another machine, because it is not a loopback address. */
const remote = '0.0.0.0';
const secret = 'correct-horse-battery';
let certificates: Certificates;
let server: PostgresServer;
let port: string;

beforeAll(async () => {
  certificates = createCertificates();
  const { cert, key } = certificates.issue('IP:0.0.0.0');
  const hba = join(certificates.folder, 'hba.conf');
  const lines = ['md5user md5', 'clearuser password', 'scramuser scram-sha-256', 'cleo trust'].map((line) => {
    const [user, method] = line.split(' ');
    return `host all ${user} 0.0.0.0/0 ${method}`;
  });
  writeFileSync(hba, `${lines.join('\n')}\n`);
  chmodSync(certificates.folder, 0o755);
  chmodSync(key, 0o600);
  // The server runs as the user nobody if the tests run as root.
  if (process.getuid?.() === 0) for (const file of [hba, cert, key]) chownSync(file, 65_534, 65_534);
  server = await startPostgres(['-c', 'ssl=on', '-c', `ssl_cert_file=${cert}`, '-c', `ssl_key_file=${key}`, '-c', `hba_file=${hba}`]);
  port = new URL(server.url).port;
  const client = postgres(server.url, { max: 1, onnotice: () => {} });
  await client.unsafe(
    `set password_encryption = 'md5'; create role md5user login password '${secret}'; set password_encryption = 'scram-sha-256';
     create role scramuser login password '${secret}'; create role clearuser login password '${secret}';`,
  );
  await client.end();
});
afterAll(async () => {
  await server?.stop();
  certificates?.remove();
});

/** Logs in; an answer of the database means that the login succeeded. */
async function login(url: string, more: Partial<PostgresOptions> = {}): Promise<string> {
  const store = openPostgres({ url, schema: 'cleo_none', busyTimeoutMs: 1000, connectTimeoutMs: 5000, ...more });
  try {
    await store.read((reads) => reads.audit.getHead());
    return 'unexpected';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return code === 'E_STORE_DAMAGED' && message.includes('no schema') ? 'logged in' : `${code}: ${message}`;
  } finally {
    await store.close();
  }
}
const trusted = (more: Record<string, string> = {}) => ({ environment: { PGSSLROOTCERT: certificates.authority, ...more } });

describe('TLS beyond this machine', () => {
  test('checks certificate and host name by default', async () => {
    expect(await login(`postgres://cleo@${remote}:${port}/postgres`, trusted())).toBe('logged in');
    expect(await login(`postgres://cleo@${remote}:${port}/postgres`)).toMatch(/E_STORE_UNREACHABLE.*certificate.*PGSSLROOTCERT/);
  });

  test('an IP address needs a certificate for that address', async () => {
    const fake = await startFakePostgres([requests.ok], certificates.issue('DNS:localhost'));
    for (const url of [`postgres://${remote}:${fake.port}/x`, `postgres://127.0.0.1:${fake.port}/x?sslmode=verify-full`])
      expect(await login(url, trusted({ PGPASSWORD: secret }))).toMatch(/E_STORE_UNREACHABLE.*(IP|altnames)/);
    expect(fake.received()).toBe('');
  });

  test('a name needs a certificate for that name', async () => {
    const wrong = await startFakePostgres([requests.ok], certificates.issue('DNS:other.example'));
    expect(await login(`postgres://localhost:${wrong.port}/x?sslmode=verify-full`, trusted())).toMatch(/E_STORE_UNREACHABLE.*altnames/);
    expect(wrong.received()).toBe('');
  });

  test('does not continue without TLS', async () => {
    const fake = await startFakePostgres([requests.clearText]);
    const answer = await login(`postgres://ada@${remote}:${fake.port}/x`, trusted({ PGPASSWORD: secret }));
    expect(answer).toMatch(/E_STORE_UNREACHABLE.*offers no TLS/);
    expect(fake.received()).toBe('');
  });

  test('only the own configuration of the user weakens the check', async () => {
    const url = `postgres://cleo@${remote}:${port}/postgres?sslmode=require`;
    expect(await login(url)).toMatch(/the project's address asks for sslmode=require, which only your own configuration may decide/);
    expect(await login(url, { isOwnAddress: true })).toBe('logged in');
    expect(await login(url, { environment: { PGSSLMODE: 'require' } })).toBe('logged in');
    expect(await login(`postgres://cleo@${remote}:${port}/postgres?sslmode=disable`, { isOwnAddress: true })).toBe('logged in');
    expect(await login(`postgres://cleo@${remote}:${port}/postgres?sslmode=disable`)).toMatch(/E_STORE_UNREACHABLE/);
  });
});

describe('passwords', () => {
  const weak = { PGPASSWORD: secret, PGSSLMODE: 'disable' };
  test.each([
    ['clearText', 'in clear text'],
    ['md5', 'as an MD5 hash'],
  ] as const)('%s is not answered beyond this machine', async (request, text) => {
    const fake = await startFakePostgres([requests[request]]);
    expect(await login(`postgres://ada@${remote}:${fake.port}/x`, { environment: weak })).toMatch(`asks for the password ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(fake.received()).toContain('ada');
    expect(fake.received()).not.toMatch(/correct-horse|md5[0-9a-f]{32}/);
    // A second connection would be a second chance.
    expect(fake.connections()).toBe(1);
  });

  test('a real server with clear-text or MD5 passwords is used on this machine only', async () => {
    for (const user of ['md5user', 'clearuser']) {
      expect(await login(`postgres://${user}@127.0.0.1:${port}/postgres`, { environment: weak })).toBe('logged in');
      expect(await login(`postgres://${user}@${remote}:${port}/postgres`, trusted(weak))).toMatch(/which is allowed only on this machine/);
    }
  });

  test('SCRAM logs in over verified TLS', async () => {
    const url = `postgres://scramuser@${remote}:${port}/postgres`;
    expect(await login(url, trusted({ PGPASSWORD: secret }))).toBe('logged in');
    expect(await login(url, trusted({ PGPASSWORD: 'wrong' }))).toMatch(/E_STORE_UNREACHABLE.*password authentication failed/);
    expect(await login(url, trusted())).toMatch(/E_STORE_UNREACHABLE.*set PGPASSWORD/);
  });

  test('a server that skips its proof of the password is rejected', async () => {
    const fake = await startFakePostgres([requests.scram, requests.ok]);
    expect(await login(`postgres://ada@${remote}:${fake.port}/x`, { environment: weak })).toMatch(/did not prove/);
  });

  test('reads the password file as psql does, for its host only, and only if others cannot read it', async () => {
    const folder = createTempFolder();
    const file = join(folder, '.pgpass');
    writeFileSync(file, `other.example:*:*:scramuser:wrong\n${remote}:${port}:postgres:scramuser:${secret}\n`, { mode: 0o600 });
    const url = `postgres://scramuser@${remote}:${port}/postgres`;
    expect(await login(url, trusted({ PGPASSFILE: file }))).toBe('logged in');
    expect(await login(url, trusted({ HOME: folder }))).toBe('logged in');
    expect(await login(`postgres://scramuser@127.0.0.1:${port}/postgres`, trusted({ PGPASSFILE: file }))).toMatch(/asks for a password/);
    chmodSync(file, 0o644);
    expect(await login(url, trusted({ PGPASSFILE: file }))).toMatch(/others can read it/);
  });
});

describe('commands that need no store', () => {
  const createProject = (address: string): { folder: string; env: Record<string, string> } => {
    const folder = createTempFolder();
    mkdirSync(join(folder, '.cleo'));
    writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key: 'abc' } }));
    return { folder, env: { CLEO_HOME: join(folder, 'home'), PGPASSWORD: secret, CLEO_DATABASE_URL: address } };
  };

  test.each([
    [['version']],
    [['--version']],
    [['help']],
    [['add', '--help']],
    [['show']],
    [['add']],
    [['add', 'x', '--mood', 'good']],
    [['nonsense']],
  ])('%j does not connect', async (words) => {
    const fake = await startFakePostgres([requests.clearText]);
    const { folder, env } = createProject(`postgres://ada@127.0.0.1:${fake.port}/x`);
    const { exitCode } = await runCleoProcess(words, { cwd: folder, env });
    expect([0, 2, 4, 6]).toContain(exitCode);
    expect([fake.connections(), fake.received()]).toEqual([0, '']);
  });

  test.each(['target_session_attrs=x', 'mood=good', 'sslmode=x'])('?%s is a configuration error', async (query) => {
    const { folder, env } = createProject(`postgres://ada@127.0.0.1:1/x?${query}`);
    const { exitCode, answer } = await runCleoProcess(['list'], { cwd: folder, env });
    expect([exitCode, answer.error.code]).toEqual([8, 'E_CONFIG_ERROR']);
    expect(answer.error.message).toContain(query.split('=')[0]);
  });
});

test('PGSERVICE names the server, the user and the password', async () => {
  const file = join(createTempFolder(), 'services.conf');
  writeFileSync(file, `[team]\nhost=${remote}\nport=${port}\ndbname=postgres\nuser=scramuser\npassword=${secret}\n`, { mode: 0o600 });
  expect(await login('postgres:///', trusted({ PGSERVICE: 'team', PGSERVICEFILE: file, PGPORT: '1' }))).toBe('logged in');
  expect(await login('postgres:///', trusted({ PGSERVICE: 'others', PGSERVICEFILE: file }))).toMatch(/E_CONFIG_ERROR.*others is not in/);
});
