import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getOpenCommand, openBrowser } from '../src/platform/open-browser.ts';
import { createPassphrase } from '../src/platform/passphrase.ts';
import { asPerson, type Json } from './app.ts';
import { createEmptyFolder } from './folder.ts';
import { createBearerHeader, openServer, type TestServer } from './http-server.ts';

const starter = { agent: 'ada', isPerson: true };
const script = `console.log(${JSON.stringify('page '.repeat(500))});`;

/** Writes a built page and starts a server that serves it. */
async function openPageServer(options: Parameters<typeof openServer>[0] = {}, more: Parameters<typeof openServer>[1] = {}) {
  const webFolder = join(createEmptyFolder().root, 'web');
  mkdirSync(join(webFolder, 'assets'), { recursive: true });
  writeFileSync(join(webFolder, 'index.html'), '<!doctype html><title>cleo</title><script type="module" src="/assets/a-1.js"></script>');
  writeFileSync(join(webFolder, 'assets', 'a-1.js'), script);
  writeFileSync(join(webFolder, '..', 'secret.txt'), 'outside');
  symlinkSync(join(webFolder, '..', 'secret.txt'), join(webFolder, 'link.txt'));
  return openServer(options, { starter, webFolder, ...more });
}

const listTitles = async ({ app }: TestServer): Promise<string[]> =>
  (await app.call('tasks.list', {})).tasks.map(({ title }: Json) => title);

test('serves the page with strict headers, and its assets with a long life', async () => {
  const { get, url } = await openPageServer();
  const html = { accept: 'text/html,application/xhtml+xml' };
  for (const path of ['/', '/board?group=epic', '/task/T001']) {
    const page = await get(path, html);
    expect([path, page.status, page.text]).toEqual([path, 200, expect.stringContaining('<title>cleo')]);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const policy = page.headers.get('content-security-policy')!;
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  }
  const asset = await fetch(`${url}/assets/a-1.js`, { headers: { 'accept-encoding': 'gzip' } });
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-encoding')).toBe('gzip');
  expect(Number(asset.headers.get('content-length'))).toBeLessThan(200);
  expect(await asset.text()).toBe(script);
  const etag = asset.headers.get('etag')!;
  const again = await fetch(`${url}/assets/a-1.js`, { headers: { 'if-none-match': `"x", ${etag}`, 'accept-encoding': 'gzip' } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  const head = await fetch(`${url}/`, { method: 'HEAD' });
  expect([head.status, await head.text(), Number(head.headers.get('content-length')) > 0]).toEqual([200, '', true]);
  // A program that does not ask for a page gets the error of the API.
  expect(await get('/nowhere')).toMatchObject({ status: 404, body: { error: { code: 'E_INVALID_OPERATION' } } });
  expect(await get('/assets/missing.js', html)).toMatchObject({ status: 404 });
});

test('serves no file outside the folder of the page', async () => {
  const { sendRaw, get } = await openPageServer();
  for (const path of [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..\\..\\secret.txt',
    '//secret.txt',
  ]) {
    const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect([path, answer.slice(9, 12)]).toEqual([path, expect.stringMatching(/40[04]/)]);
    expect(answer).not.toContain('outside');
  }
  expect(await get('/link.txt')).toMatchObject({ status: 404 });
});

test('says what to do if the build has no page', async () => {
  const { get } = await openServer({}, { webFolder: join(createEmptyFolder().root, 'none'), starter });
  expect(await get('/')).toMatchObject({ status: 404, text: expect.stringContaining('has no web page') });
});

test('a browser reads without a token, and writes only with the secret of the page', async () => {
  const server = await openPageServer({ tasks: ['T001: First'] });
  const { post, pageHeaders, url } = server;
  const { 'cleo-page-secret': secret, ...browser } = pageHeaders;
  const wrong = createHash('sha256').update(secret!).digest('base64url');
  for (const headers of [browser, { origin: url }, { 'sec-fetch-site': 'same-origin' }, { ...browser, 'cleo-page-secret': wrong }]) {
    expect(await post('query/tasks/list', {}, headers)).toMatchObject({ status: 200, body: { tasks: [{ id: 'T001' }] } });
    expect(await post('mutate/tasks/add', { title: 'Forged' }, headers)).toMatchObject({
      status: 403,
      body: { error: { code: 'E_FORBIDDEN', details: { reason: 'secret' }, fix: 'Ask a person to run: cleo serve --open' } },
    });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: toolCall('Forged') };
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(call),
    });
    expect(await answer.text()).toContain('E_FORBIDDEN');
  }
  expect(await post('mutate/tasks/add', { title: 'By the page' }, pageHeaders)).toMatchObject({ status: 200 });
  // A program keeps the rule of the API.
  expect(await post('mutate/tasks/add', { title: 'By a program' })).toMatchObject({ status: 200 });
  expect(await listTitles(server)).toEqual(['First', 'By the page', 'By a program']);
});

const toolCall = (title: string) => ({ name: 'cleo_mutate', arguments: { domain: 'tasks', operation: 'add', params: { title } } });

test('rejects pages of other sites, also without an origin', async () => {
  const server = await openPageServer();
  const { post, get, pageHeaders } = server;
  const { origin: _, ...secret } = pageHeaders;
  for (const site of ['cross-site', 'same-site'])
    for (const dest of ['empty', 'script', 'image', 'iframe']) {
      const headers = { ...secret, 'sec-fetch-site': site, 'sec-fetch-dest': dest };
      expect(await post('mutate/tasks/add', { title: 'Forged' }, headers)).toMatchObject({ status: 403 });
      expect(await get('/api/openapi.json', headers)).toMatchObject({ status: 403 });
    }
  for (const origin of ['http://evil.example', 'http://localhost:3000', 'null'])
    expect(await post('mutate/tasks/add', { title: 'Forged' }, { ...pageHeaders, origin })).toMatchObject({ status: 403 });
  // A link of another site to the page.
  expect(await get('/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' })).toMatchObject({ status: 200 });
  const forged = await server.sendRaw(`GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  expect(forged).toMatch(/^HTTP\/1\.1 403 /);
  expect(await listTitles(server)).toEqual([]);
});

test('the page acts as the principal that started the server', async () => {
  const { post, pageHeaders, app } = await openPageServer();
  await post('mutate/tasks/add', { title: 'By the page' }, pageHeaders);
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.createdBy).toBe('ada');
  const [entry] = (await app.call('admin.log', { operation: 'tasks.add' })).entries;
  expect(entry).toMatchObject({ agent: 'ada', gateway: 'http', principal: { kind: 'person', via: 'page' } });
});

test('reads of a browser are in no session and not logged, also while the agent is graded', async () => {
  const { post, pageHeaders, app } = await openPageServer({ tasks: ['T001 epic', 'T002 in T001'] });
  const started = await app.as('ada').call('session.start', { scope: 'epic:T001', autoFocus: true, grade: true });
  const id = started.session.id;
  const readHead = async (): Promise<number> => (await app.as('eve').call('admin.log', { limit: 1 })).entries[0].seq;
  const before = await readHead();
  for (const operation of ['tasks/show', 'tasks/missing', 'session/status'])
    await post(`query/${operation}`, operation === 'tasks/show' ? { taskId: 'T002' } : {}, pageHeaders);
  expect(await post('query/tasks/show', { taskId: 'T002' }, { ...pageHeaders, 'cleo-session': id })).toMatchObject({
    status: 200,
    body: { _meta: expect.not.objectContaining({ sessionId: id }) },
  });
  expect(await readHead()).toBe(before);
});

test('a browser stores a grade only with the secret of the page', async () => {
  const { post, pageHeaders, app } = await openPageServer({ tasks: ['T001 epic', 'T002 in T001'] });
  const { session } = await app.as('ada').call('session.start', { scope: 'epic:T001', autoFocus: true, grade: true });
  const { 'cleo-page-secret': _, ...reader } = pageHeaders;
  const countGrades = async (): Promise<number> => (await app.call('admin.grade.list')).grades.length;
  const graded = await post('query/admin/grade', { sessionId: session.id }, reader);
  expect(graded).toMatchObject({ status: 200, body: { grade: { sessionId: session.id } } });
  expect(await countGrades()).toBe(0);
  await post('query/admin/grade', { sessionId: session.id }, pageHeaders);
  expect(await countGrades()).toBe(1);
});

test('a token in the page has its own scope, and a revoked one is out', async () => {
  const { post, pageHeaders, createToken, app } = await openPageServer(
    { config: { serve: { requireToken: true } } },
    {
      prepare: (it) => it.call('admin.token.create', { name: 'first', scope: 'query' }, asPerson),
    },
  );
  const { 'cleo-page-secret': secret, ...browser } = pageHeaders;
  expect(secret).toBe('');
  expect(await post('query/tasks/list', {}, browser)).toMatchObject({ status: 401 });
  const reader = { ...browser, ...createBearerHeader(await createToken('query', 'reader')) };
  expect(await post('query/tasks/list', {}, reader)).toMatchObject({ status: 200 });
  expect(await post('mutate/tasks/add', { title: 'x' }, reader)).toMatchObject({
    status: 403,
    body: { error: { details: { scope: 'query' } } },
  });
  const writer = { ...browser, ...createBearerHeader(await createToken('mutate', 'writer')) };
  expect(await post('mutate/tasks/add', { title: 'x' }, writer)).toMatchObject({ status: 200 });
  await app.call('admin.token.revoke', { name: 'writer' }, asPerson);
  expect(await post('mutate/tasks/add', { title: 'y' }, writer)).toMatchObject({ status: 401 });
});

test('a decision in the page: the command for a terminal, or the passphrase', async () => {
  const server = await openPageServer();
  const { post, pageHeaders, app } = server;
  await app.call('memory.store', { type: 'decision', content: 'Use SQLite' });
  const confirm = (headers = {}) => post('mutate/memory/confirm', { id: 'D-001' }, { ...pageHeaders, ...headers });
  expect(await confirm()).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'proof', proof: 'terminal', command: 'cleo memory confirm D-001' } } },
  });
  await app.call('admin.config.set', { key: 'decide.proof', value: 'ssh' }, asPerson);
  expect(await confirm()).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'proof', proof: 'ssh', command: 'cleo memory confirm D-001' } } },
  });
  await createPassphrase(app.env.CLEO_HOME!).set('correct hörse');
  await app.call('admin.config.set', { key: 'decide.proof', value: 'passphrase' }, asPerson);
  expect(await confirm()).toMatchObject({ status: 403, body: { error: { details: { reason: 'proof', proof: 'passphrase' } } } });
  expect(await confirm({ 'cleo-passphrase': 'wrong' })).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining('the passphrase is wrong') } },
  });
  const right = { 'cleo-passphrase': encodeURIComponent('correct hörse') };
  // The passphrase alone, from a program, proves nothing.
  expect(await post('mutate/memory/confirm', { id: 'D-001' }, right)).toMatchObject({ status: 403 });
  expect(await confirm(right)).toMatchObject({ status: 200, body: { memory: { confirmation_state: 'accepted' } } });
  expect(await post('mutate/admin/doctor.fix', {}, { ...pageHeaders, ...right })).toMatchObject({ status: 403 });
  const [entry] = (await app.call('admin.log', { operation: 'memory.confirm' })).entries;
  expect(entry.principal).toMatchObject({ kind: 'person', via: 'passphrase', evidence: { subject: 'D-001', page: true } });
  expect(JSON.stringify((await app.call('admin.log', {})).entries)).not.toMatch(/h%C3%B6rse|hörse/);
});

test('opens the browser without a shell, and reports a missing one', async () => {
  const address = 'http://127.0.0.1:1/#secret=a&b|c';
  expect(getOpenCommand(address, 'linux')).toEqual(['xdg-open', [address]]);
  expect(getOpenCommand(address, 'darwin')).toEqual(['open', [address]]);
  expect(getOpenCommand(address, 'win32')).toEqual(['rundll32', ['url.dll,FileProtocolHandler', address]]);
  expect(await openBrowser(address, process.platform === 'win32' ? 'darwin' : 'win32')).toMatch(/is not installed$/);
});
