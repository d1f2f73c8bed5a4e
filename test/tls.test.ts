import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asPerson, type Json } from './app.ts';
import { runCleo } from './built-cli.ts';
import { type Certificates, createCertificates } from './faults/fake-postgres.ts';
import { createEmptyFolder } from './folder.ts';
import { createBearerHeader, openServer, type TestServer } from './http-server.ts';

let certificates: Certificates;
beforeAll(() => {
  certificates = createCertificates();
});
afterAll(() => certificates.remove());

async function openTlsServer(more: Parameters<typeof openServer>[1] = {}): Promise<TestServer & { files: { cert: string; key: string } }> {
  const files = certificates.issue('IP:127.0.0.1,DNS:localhost');
  const server = await openServer({ tasks: ['T001'], config: { serve: { tlsCert: files.cert, tlsKey: files.key } } }, more);
  return { ...server, files };
}

/** Sends a request with a certificate check. */
function send(url: string, path: string, { agent, body, headers = {} }: { agent?: Agent; body?: object; headers?: object } = {}) {
  return new Promise<{ status: number; body: Json; serial: string }>((resolve, reject) => {
    const options = { method: body ? 'POST' : 'GET', ca: readFileSync(certificates.authority), agent: agent ?? false };
    const sent = request(
      `${url}${path}`,
      { ...options, headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers } },
      (answer) => {
        const { serialNumber } = (answer.socket as TLSSocket).getPeerCertificate();
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : {}, serial: serialNumber }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

test('speaks TLS with the configured certificate, and nothing else', async () => {
  const { url, port } = await openTlsServer();
  expect(url).toBe(`https://127.0.0.1:${port}`);
  expect(await send(url, '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await send(url, '/api/query/tasks/exists', { body: { taskId: 'T001' } })).toMatchObject({ status: 200, body: { exists: true } });
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  // A certificate that the client does not know is an error of the client.
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  const version = await new Promise<string>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
    socket.on('secureConnect', () => resolve(socket.getProtocol() ?? ''));
    socket.on('error', () => resolve('refused'));
  });
  expect(version).toBe('refused');
});

test('a new certificate is used by new connections, and one that does not fit is not', async () => {
  const warnings: string[] = [];
  const { url, files } = await openTlsServer({ certificateCheckMs: 20, warn: (problem) => warnings.push(problem) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(certificates.authority) });
  const { serial: first } = await send(url, '/healthz', { agent });
  const next = certificates.issue('IP:127.0.0.1');
  // A renewal writes one file after the other.
  copyFileSync(next.cert, files.cert);
  await expect.poll(() => warnings.length).toBe(1);
  expect(warnings[0]).toMatch(/^the previous certificate stays in use: .* are not a certificate and its key/);
  expect(await send(url, '/healthz')).toMatchObject({ status: 200, serial: first });
  copyFileSync(next.key, files.key);
  await expect.poll(async () => (await send(url, '/healthz')).serial).not.toBe(first);
  // The connection that is open continues.
  expect(await send(url, '/healthz', { agent })).toMatchObject({ status: 200, serial: first });
  agent.destroy();
});

test('running requests finish when a server with TLS stops, and idle connections do not delay it', async () => {
  const server = await openTlsServer();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(certificates.authority) });
  await send(server.url, '/healthz', { agent });
  const unfinished = connect({ host: '127.0.0.1', port: server.port, ca: readFileSync(certificates.authority) });
  unfinished.on('error', () => {});
  // This one never begins the handshake.
  const silent = connectTcp(server.port, '127.0.0.1');
  silent.on('error', () => {});
  const startedAt = performance.now();
  const running = send(server.url, '/api/mutate/tasks/add', { body: { title: 'last' } });
  await new Promise((resolve) => setTimeout(resolve, 30));
  await server.stop();
  expect(await running).toMatchObject({ status: 200 });
  expect(performance.now() - startedAt).toBeLessThan(5000);
  agent.destroy();
  unfinished.destroy();
  silent.destroy();
});

test.each([
  [{ tlsCert: 'cert.pem' }, 'serve.tlsKey'],
  [{ tlsKey: 'key.pem' }, 'serve.tlsCert'],
  [{ tlsCert: 'missing.pem', tlsKey: 'missing.key' }, 'serve.tlsCert'],
  [{ tlsCert: 'bad.pem', tlsKey: 'bad.pem' }, 'serve.tlsCert'],
])('does not start with %j', async (serve, path) => {
  const prepare = async ({ root }: { root: string }) => writeFileSync(`${root}/bad.pem`, 'no certificate');
  await expect(openServer({ config: { serve } }, { prepare })).rejects.toMatchObject({ code: 'E_CONFIG_ERROR', details: { path } });
});

test('warns of tokens that travel unencrypted, unless there is TLS or a trusted proxy', async () => {
  const warnings: string[] = [];
  const options = {
    host: '0.0.0.0',
    warn: (problem: string) => warnings.push(problem),
    prepare: (app: TestServer['app']) => app.call('admin.token.create', { name: 'ci', scope: 'query' }, asPerson),
  };
  await openServer({ config: { serve: { trustProxy: '10.0.0.0/8' } } }, options);
  await openTlsServer(options);
  expect(warnings).toEqual([]);
  await openServer({}, options);
  expect(warnings).toEqual([expect.stringMatching(/unencrypted/)]);
});

test('behind a trusted proxy, guessers of tokens are limited by their own address', async () => {
  const { createToken, url } = await openServer({ config: { serve: { trustProxy: '127.0.0.1', hosts: 'cleo.example.com' } } });
  const token = createBearerHeader(await createToken('query', 'ci'));
  const ask = async (client: string, headers: Record<string, string>) =>
    (
      await fetch(`${url}/api/query/tasks/list`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': client, ...headers },
        body: '{}',
      })
    ).status;
  const wrong = createBearerHeader(`cleo_${'A'.repeat(43)}`);
  const statuses: number[] = [];
  // 60 a minute: one more for each second that the test takes.
  while (statuses.at(-1) !== 429 && statuses.length < 200) statuses.push(await ask('203.0.113.9', wrong));
  expect(statuses.length).toBeGreaterThan(60);
  expect(statuses.at(-1)).toBe(429);
  expect(await ask('203.0.113.10', wrong)).toBe(401);
  expect(await ask('203.0.113.9', token)).toBe(200);
});

test('the command line calls a server with TLS whose authority it knows, and no other', async () => {
  const { cert, key } = certificates.issue('IP:127.0.0.1');
  const server = await openServer({ tasks: ['T001: Over TLS'], config: { serve: { tlsCert: cert, tlsKey: key } } });
  const secret = await server.createToken('mutate', 'ada');
  const { root } = createEmptyFolder();
  const { project } = JSON.parse(readFileSync(`${server.app.root}/.cleo/config.json`, 'utf8'));
  const env = { HOME: `${root}/../home-of-client`, CLEO_TOKEN: secret, CLEO_SERVER: server.url };
  const known = { ...env, NODE_EXTRA_CA_CERTS: certificates.authority };
  const init = await runCleo(['init', '--server', server.url, '--project', project?.key], { cwd: root, env: known });
  expect(init).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await runCleo(['show', 'T001'], { cwd: root, env: known })).out)).toMatchObject({ task: { title: 'Over TLS' } });
  const startedAt = performance.now();
  for (const words of [
    ['show', 'T001'],
    ['add', 'x'],
  ]) {
    const { exitCode, out } = await runCleo(words, { cwd: root, env });
    expect([exitCode, JSON.parse(out).error]).toMatchObject([
      3,
      { code: 'E_STORE_UNREACHABLE', message: expect.stringMatching(/NODE_EXTRA_CA_CERTS/), fix: 'cleo config get server.url' },
    ]);
  }
  // It is not tried again until the busy timeout.
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});
