import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from '../app.ts';
import { startServer } from '../http-server.ts';
import { grantToken, openRemoteCheckout, type RemoteCheckout } from '../remote-client.ts';
import { createReviewRequest, writeReviews, writeRun } from '../run-files.ts';

/** Opens a project behind a server, and two clients on machines of their own. */
async function openRemotes(options: AppOptions = {}): Promise<{ app: TestApp; one: RemoteCheckout; other: RemoteCheckout }> {
  const app = await openApp(options);
  const server = await startServer(app);
  return {
    app,
    one: await openRemoteCheckout(app, server),
    other: await openRemoteCheckout(app, server, { token: 'other', env: { CLEO_AGENT_ID: 'other' } }),
  };
}

const manifestOf = ({ root }: Pick<RemoteCheckout, 'root'>): string => join(root, '.cleo', 'research', 'MANIFEST.jsonl');
const entry = (id: string) => ({ id, file: `docs/${id}.md`, title: id, status: 'complete', linkedTasks: ['T001'] });
const listIds = async (client: Pick<RemoteCheckout, 'call'>): Promise<string[]> =>
  ((await client.call('research.list')).entries as Json[]).map(({ id }) => id);

test.each(['sqlite', 'postgres'] as const)('research entries are those of the server on %s', async (engine) => {
  const { app, one, other } = await openRemotes({ tasks: ['T001', 'T002'], engine });
  // A server on SQLite has its records in files.
  const isShared = engine === 'postgres';
  expect(await one.call('research.add', entry('T001-a'))).toMatchObject({ success: true, entry: { id: 'T001-a' } });
  expect(await other.call('research.add', entry('T001-a'))).toMatchObject({ error: { code: 'E_ID_COLLISION' } });
  expect(await other.call('research.link', { taskId: 'T002', entryId: 'T001-a' })).toMatchObject({ linked: true });
  for (const client of [app, one, other])
    expect(await client.call('research.show', { entryId: 'T001-a' })).toMatchObject({ entry: { linked_tasks: ['T001', 'T002'] } });
  expect([one, other].map((client) => existsSync(manifestOf(client)))).toEqual([isShared, isShared]);
  if (!isShared) return;
  expect(readFileSync(manifestOf(one), 'utf8')).toBe(readFileSync(manifestOf(other), 'utf8'));

  // By hand on a client, and a file that is gone.
  const [line = ''] = readFileSync(manifestOf(one), 'utf8').split('\n');
  appendFileSync(manifestOf(one), `${line.replaceAll('T001-a', 'T001-b')}\n`);
  expect(await listIds(one)).toEqual(['T001-b', 'T001-a']);
  rmSync(manifestOf(other));
  expect(await listIds(other)).toEqual(['T001-b', 'T001-a']);
  expect(await other.call('research.archive', { entryId: 'T001-b' })).toMatchObject({ archived: ['T001-b'] });
  expect(readFileSync(manifestOf(other), 'utf8').trim().split('\n')).toHaveLength(1);
  expect(await listIds(one)).toEqual(['T001-a']);
  expect(readFileSync(manifestOf(one), 'utf8')).toBe(readFileSync(manifestOf(other), 'utf8'));
});

test('validate manifest checks the output files of the client', async () => {
  const { one, other } = await openRemotes({ tasks: ['T001'] });
  await one.call('research.add', entry('T001-a'));
  mkdirSync(join(other.root, 'docs'));
  appendFileSync(join(other.root, 'docs', 'T001-a.md'), '# A\n');
  const findProblem = async ({ call }: RemoteCheckout): Promise<string> =>
    (await call('validate.manifest')).error.details.findings[0].message;
  expect(await findProblem(one)).toBe('docs/T001-a.md is missing');
  expect(await findProblem(other)).toContain('docs/T001-a.md has no');
});

test('a run of the server and its reviews can be read and claimed by clients', async () => {
  const { app, one, other } = await openRemotes();
  writeRun(join(app.root, '.cleo'), { id: 'run-a' });
  writeReviews(join(app.root, '.cleo'), [createReviewRequest('rv-1', 'run-a')]);
  await app.call('trace.list');
  await app.call('review.list');
  const { runs } = await one.call('trace.list');
  expect(runs.map(({ id }: Json) => id)).toEqual(['run-a']);
  expect(await other.call('trace.verify', { run: 'run-a' })).toMatchObject({ success: true, traces: [{ lines: 15 }] });
  expect(await other.call('review.claim', { review: 'rv-1' })).toMatchObject({ success: true });
  expect((await one.call('review.list')).reviews).toMatchObject([{ id: 'rv-1', status: 'claimed' }]);
  expect((await one.call('assess.run', { runs: ['run-a'] })).success).toBe(true);
  expect((await app.call('trace.query', { event: 'score_recorded' })).lines.length).toBeGreaterThan(0);
});

test.each(['sqlite', 'postgres'] as const)('the policy of the project is that of the server on %s', async (engine) => {
  const { app, one, other } = await openRemotes({ engine });
  const isShared = engine === 'postgres';
  const key = 'hierarchy.maxSiblings';
  expect(await one.call('admin.config.set', { key, value: 3 })).toMatchObject({ value: 3, source: isShared ? 'store' : 'server' });
  for (const client of [app, one, other]) expect(await client.call('admin.config.get', { key })).toMatchObject({ value: 3 });
  expect(await one.call('admin.config.set', { key: 'claims.ttlMinutes', value: 1 })).toMatchObject({ error: { code: 'E_FORBIDDEN' } });
  // The list names the settings of the server, and those of the checkout of the client.
  const ofClient = { hierarchy: { maxSiblings: 9 }, verification: { tools: { test: ['true'] } }, orchestrate: { outputDir: 'out' } };
  writeFileSync(join(other.root, '.cleo', 'config.json'), JSON.stringify(ofClient));
  const { config } = await other.call('admin.config.list');
  const list = new Map<string, unknown[]>(config.map((each: Json) => [each.key, [each.value, each.source]]));
  expect(list.get(key)).toEqual([3, isShared ? 'store' : 'server']);
  expect(list.get('claims.ttlMinutes')?.at(1)).toBe('default');
  expect(list.get('orchestrate.outputDir')).toEqual(['out', 'project']);
  expect(list.get('verification.tools.test')).toEqual([['true'], 'project']);
  expect((await app.call('admin.config.unset', { key }, asPerson)).success).toBe(true);
  expect(await one.call('admin.config.get', { key })).toMatchObject({ value: 7, source: 'default' });
});

test('the server rejects records of a token that may only read, and contents with another hash', async () => {
  const app = await openApp();
  const server = await startServer(app);
  const tokens = { query: await grantToken(app, 'query', 'reader'), mutate: await grantToken(app, 'mutate', 'writer') };
  const send = async (scope: 'query' | 'mutate', request: object) => {
    const headers = { authorization: `Bearer ${tokens[scope]}`, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/api/records`, { method: 'POST', headers, body: JSON.stringify({ agent: 'x', request }) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const record = { name: 'a', hash: '0'.repeat(64), size: 1, stored: { encoding: 'utf8', content: 'a' } };
  const save = { action: 'save', kind: 'grades', records: [record] };
  expect((await send('query', { action: 'list', kinds: ['grades'] })).status).toBe(200);
  expect((await send('query', { action: 'list', kinds: ['settings'] })).status).toBe(422);
  expect((await send('query', save)).body.error.code).toBe('E_FORBIDDEN');
  expect((await send('mutate', save)).body.error.code).toBe('E_CHECKSUM_MISMATCH');
  expect(await app.store.read(({ records }) => records.list('grades'))).toEqual([]);
});

test('the server rejects a verdict, and the removal of a run, from a token without the scope of the command', async () => {
  const app = await openApp({ engine: 'postgres' });
  const server = await startServer(app);
  const secrets = { mutate: await grantToken(app, 'mutate', 'worker'), decide: await grantToken(app, 'decide', 'sam') };
  const send = async (scope: 'mutate' | 'decide', request: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${secrets[scope]}` };
    return (await server.post('records', { agent: 'x', request }, headers)).body;
  };
  const toRecord = (line: object) => {
    const content = JSON.stringify(line);
    const hash = createHash('sha256').update(content).digest('hex');
    return { name: hash, hash, size: content.length, stored: { encoding: 'utf8', content } };
  };
  const event = { event: 'review_resolved', review_id: 'rv-1', at: '2026-01-01T00:00:00.000Z', by: 'sam', verdict: 'pass', score: 1 };
  const verdict = { action: 'save', kind: 'reviews', records: [toRecord(event)] };
  const removal = { action: 'remove', kind: 'runs', names: ['runs/run-a/run.json'] };
  for (const request of [verdict, removal])
    expect(await send('mutate', request)).toMatchObject({ error: { code: 'E_FORBIDDEN', details: { scope: 'decide' } } });
  expect(await app.store.read(({ records }) => records.list('reviews'))).toEqual([]);
  for (const request of [verdict, removal]) expect(await send('decide', request)).toEqual({ records: [] });
  expect(await app.store.read(({ records }) => records.list('reviews'))).toHaveLength(1);
});

test('a record is outdated if the store has another content than the client compared, not if it has the same', async () => {
  const app = await openApp({ engine: 'postgres' });
  const server = await startServer(app);
  const headers = { authorization: `Bearer ${await grantToken(app, 'mutate', 'worker')}` };
  const save = async (content: string): Promise<Json> => {
    const hash = createHash('sha256').update(content).digest('hex');
    const record = { name: 'runs/run-a/run.json', hash, size: content.length, stored: { encoding: 'utf8', content }, expected: null };
    return (await server.post('records', { agent: 'x', request: { action: 'save', kind: 'runs', records: [record] } }, headers)).body;
  };
  expect([await save('{}'), await save('{}'), await save('[]')]).toEqual([
    { records: [] },
    { records: [] },
    { records: ['runs/run-a/run.json'] },
  ]);
});

test('of two clients that store a file at once, the second one gets the state of the first and a warning', async () => {
  const { app, one, other } = await openRemotes({ engine: 'postgres' });
  for (const [client, agent] of [
    [one, 'first'],
    [other, 'second'],
  ] as const)
    writeRun(join(client.root, '.cleo'), { id: 'run-a', agent });
  const { platform } = other.client;
  const { connectServer } = platform;
  let saves = 0;
  platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      async post(path, request) {
        // Between the comparison and the request.
        if (request.body.includes('"action":"save"') && saves++ === 0) await one.call('trace.list');
        return connection.post(path, request);
      },
    };
  };
  const { _meta } = await other.call('trace.list');
  expect(_meta.warnings).toEqual([expect.stringContaining('differed from the shared store')]);
  expect(saves).toBeGreaterThan(0);
  const read = ({ root }: Pick<RemoteCheckout, 'root'>): string => readFileSync(join(root, '.cleo', 'runs', 'run-a', 'run.json'), 'utf8');
  expect(read(other)).toBe(read(one));
  expect(await app.store.read(({ records }) => records.list('runs'))).not.toEqual([]);
});
