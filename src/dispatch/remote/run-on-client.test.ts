import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppOptions, type Json, openApp, type TestApp } from '../../../test/app.ts';
import { startServer } from '../../../test/http-server.ts';
import { grantToken, openRemoteCheckout, type RemoteCheckout } from '../../../test/remote-client.ts';
import { createRepository } from '../../../test/repository.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';
import { trustProject } from '../../../test/trust.ts';

/** Opens a project behind a server, and a client with a folder of its own. */
async function openRemote(
  options: AppOptions = {},
  env: Record<string, string> = {},
): Promise<RemoteCheckout & { app: TestApp; url: string }> {
  const app = await openApp(options);
  const server = await startServer(app);
  return { app, url: server.url, ...(await openRemoteCheckout(app, server, { env })) };
}

const readLog = async (app: TestApp, operation: string): Promise<Json[]> => (await app.call('admin.log', { operation })).entries;
const listJobs = ({ store }: TestApp) => store.read(({ health }) => health.listStartedJobs());

/** Adds a skill to the checkout of the client, whose user trusts it. */
async function addSkill(remote: RemoteCheckout): Promise<void> {
  const folder = join(remote.root, 'skills', 'reader');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\necho read\n', { mode: 0o755 });
  await trustProject(remote.root, remote.env);
}

/** Changes what the server receives, or loses its answers. */
function interceptRequests({ client }: RemoteCheckout, change: (body: Json, send: (body: Json) => Promise<unknown>) => Promise<unknown>) {
  const { connectServer } = client.platform;
  client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      post: (path, request) =>
        change(JSON.parse(request.body), (body) => connection.post(path, { ...request, body: JSON.stringify(body) })) as never,
    };
  };
}

test('an export is written in the checkout of the client', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001', 'T002'] });
  expect(await call('tasks.export.file', { output: 'tasks.jsonl' })).toMatchObject({ success: true, file: 'tasks.jsonl', count: 2 });
  expect(readFileSync(join(root, 'tasks.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
  expect(existsSync(join(app.root, 'tasks.jsonl'))).toBe(false);
  // Start, tasks, and the entry in the log.
  expect(requests).toHaveLength(3);
  expect(await readLog(app, 'tasks.export.file')).toMatchObject([{ success: true, agent: 'tester', gateway: 'cli' }]);
  expect(await listJobs(app)).toEqual([]);
});

test('a failure on the client is logged by the server and ends the job', async () => {
  const { app, call } = await openRemote({ tasks: ['T001'] });
  const failed = await call('tasks.export.file', { output: '../tasks.jsonl' });
  expect(failed).toMatchObject({ success: false, error: { code: 'E_FILE_ERROR' } });
  // As on one machine, a file error is not in the log.
  expect(await readLog(app, 'tasks.export.file')).toEqual([]);
  expect(await call('release.ship', { version: 'v9.0.0' })).toMatchObject({
    error: { code: 'E_NOT_FOUND', fix: 'cleo release create v9.0.0' },
  });
  expect(await readLog(app, 'release.ship')).toMatchObject([{ success: false, errorCode: 'E_NOT_FOUND' }]);
  expect(await listJobs(app)).toEqual([]);
});

test('a release is shipped from the checkout of the client', async () => {
  const { env } = createRepository(join(createTempFolder(), 'unused'));
  const { app, call, root } = await openRemote({ tasks: ['T001 done'] }, env);
  const repository = createRepository(root);
  repository.commit({ 'package.json': '{"version": "0.9.0"}\n', '.gitignore': '.cleo\nhome\n' });
  expect(await call('release.create', { version: 'v1.0.0' })).toMatchObject({ success: true });
  const shipped = await call('release.ship', { version: 'v1.0.0', bumpVersion: true, createTag: true });
  expect(shipped).toMatchObject({
    release: { status: 'shipped', tag: 'v1.0.0', provenance: { tasks: ['T001'] } },
    data: { updated: ['v1.0.0'] },
  });
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain('1.0.0');
  expect(repository.git('rev-parse', 'v1.0.0^{commit}').trim()).toBe(shipped.release.commit);
  const shown = await app.call('release.show', { version: 'v1.0.0' });
  expect(shown.release).toEqual(shipped.release);
  expect(await readLog(app, 'release.ship')).toMatchObject([{ success: true, agent: 'tester', updated: ['v1.0.0'] }]);
  expect(await call('release.ship', { version: 'v1.0.0' })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('a skill runs on the client, and its run is linked to the task on the server', async () => {
  const remote = await openRemote({ tasks: ['T001'] });
  const { app, call } = remote;
  await addSkill(remote);
  const { run, error, data } = await call('skills.run', { name: 'reader', task: 'T001' });
  expect(error).toBeUndefined();
  expect(run.task).toMatchObject({ id: 'T001', note: `${run.id} (reader) succeeded; it wrote no files` });
  expect(data).toMatchObject({ created: [run.id], updated: ['T001'] });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.notes).toMatchObject([{ text: run.task.note, by: 'tester' }]);
  expect(await readLog(app, 'skills.run')).toMatchObject([{ success: true, created: [run.id], updated: ['T001'] }]);
  const unknown = { name: 'reader', task: 'T002' };
  expect((await call('skills.run', unknown)).error).toEqual((await app.call('skills.run', unknown)).error);
});

test('a write whose answer was lost has one effect', async () => {
  const remote = await openRemote({ tasks: ['T001'] });
  const { app, call } = remote;
  await addSkill(remote);
  const lost: string[] = [];
  interceptRequests(remote, async (body, send) => {
    const answer = await send(body);
    if (!body.part || body.attempt > 1) return answer;
    lost.push(body.part.action);
    throw Object.assign(new Error('connection reset'), { wasSent: true });
  });
  expect(await call('skills.run', { name: 'reader', task: 'T001' })).toMatchObject({ success: true });
  expect(lost).toEqual(['begin', 'step', 'step', 'finish']);
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.notes).toHaveLength(1);
  expect(await readLog(app, 'skills.run')).toHaveLength(1);
  expect(await listJobs(app)).toEqual([]);
});

test('the same idempotency key has the same answer', async () => {
  const { call, root } = await openRemote({ tasks: ['T001'] });
  const first = await call('tasks.export.file', { output: 'a.jsonl' }, { idempotencyKey: 'once' });
  writeFileSync(join(root, 'a.jsonl'), '');
  const again = await call('tasks.export.file', { output: 'a.jsonl' }, { idempotencyKey: 'once' });
  expect(again).toMatchObject({ file: first.file, count: 1, _meta: { replayed: true } });
  expect(readFileSync(join(root, 'a.jsonl'), 'utf8')).toBe('');
});

test('a server does not run the operation itself, and makes no write without a job that has started', async () => {
  const { app, url } = await openRemote({ tasks: ['T001'] });
  const headers = { authorization: `Bearer ${await grantToken(app, 'mutate', 'writer')}`, 'content-type': 'application/json' };
  const caller = { identity: { kind: 'named', agent: 'writer' }, grade: { isEnabled: false } };
  const send = async (operation: string, params: object, part?: object): Promise<string> => {
    const body = JSON.stringify({ params, gateway: 'cli', attempt: 1, caller, part });
    const response = await fetch(`${url}/api/${part ? 'part' : 'call'}/${operation}`, { method: 'POST', headers, body });
    return ((await response.json()) as Json).envelope.error.code;
  };
  expect(await send('tasks.export.file', { output: 'x.jsonl' })).toBe('E_SERVER_VERSION');
  expect(existsSync(join(app.root, 'x.jsonl'))).toBe(false);
  const ship = { version: 'v1.0.0' };
  await app.call('release.create', ship);
  const save = { action: 'step', key: 'a', name: 'save', params: { ...ship, status: 'shipped', steps: [] } };
  expect(await send('release.ship', ship, save)).toBe('E_VALIDATION_JOB');
  expect(await send('release.ship', ship, { ...save, name: 'remove' })).toBe('E_SERVER_VERSION');
  expect((await app.call('release.show', ship)).release.status).toBe('created');
});

test('a forced gate needs the scope of the token', async () => {
  const { call, app } = await openRemote({ tasks: ['T001'] });
  const forced = await call('skills.run', { name: 'reader', force: 'output', reason: 'because' });
  expect(forced.error).toMatchObject({ code: 'E_FORBIDDEN' });
  expect(await listJobs(app)).toEqual([]);
});

test('a client signs the log of the server with its own key, but not one that contradicts what it has signed', async () => {
  const remote = await openRemote({ tasks: ['T001'] });
  const { app, call, root } = remote;
  let isRebuilt = false;
  interceptRequests(remote, async (body, send) => {
    const answer = (await send(body)) as { text: string };
    return isRebuilt ? { ...answer, text: answer.text.replace(/"hashes":\["[^"]+"/, `"hashes":["${'0'.repeat(64)}"`) } : answer;
  });
  await call('tasks.start', { taskId: 'T001' });
  const { signedHead } = await call('admin.audit.sign');
  const heads = join(root, '.cleo', 'audit-heads.jsonl');
  expect(JSON.parse(readFileSync(heads, 'utf8'))).toEqual(signedHead);
  expect(existsSync(join(app.root, '.cleo', 'audit-heads.jsonl'))).toBe(false);
  expect((await call('admin.audit.sign')).success).toBe(true);
  isRebuilt = true;
  expect(await call('admin.audit.sign')).toMatchObject({ error: { code: 'E_CHECKSUM_MISMATCH', details: { seq: signedHead.seq } } });
  expect(readFileSync(heads, 'utf8').trim().split('\n')).toHaveLength(2);
});

test('a session is graded on the server and signed on the client', async () => {
  const { app, call, root } = await openRemote({ tasks: ['T001 epic', 'T002 in T001'] });
  const { session } = await call('session.start', { scope: 'epic:T001', name: 'Day', grade: true, autoFocus: true });
  await call('session.list');
  const { grade, file } = await call('admin.grade.sign', { sessionId: session.id });
  expect(grade).toMatchObject({ sessionId: session.id, letter: expect.any(String) });
  expect(existsSync(join(root, file))).toBe(true);
  expect(existsSync(join(app.root, file))).toBe(false);
  // A read of a graded session is in the log.
  expect(await readLog(app, 'admin.grade.sign')).toMatchObject([{ success: true, session: session.id }]);
  expect(await call('admin.grade.sign', { sessionId: 'session-x' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
});

test('an import writes its report in the checkout of the client, also in a dry run', async () => {
  const { app, call, root, requests } = await openRemote();
  const content = '{"id":"bd-1","title":"Write the parser","status":"open","priority":1}\n';
  const request = { content, from: 'beads', report: 'report.jsonl' };
  expect(await call('tasks.import', { ...request, dryRun: true })).toMatchObject({ imported: 1, data: { dryRun: true } });
  expect(readFileSync(join(root, 'report.jsonl'), 'utf8')).toContain('"kind":"id"');
  expect(await call('tasks.import', { ...request, report: '../report.jsonl' })).toMatchObject({ error: { code: 'E_FILE_ERROR' } });
  expect((await app.call('tasks.find', { query: 'parser' })).tasks ?? []).toEqual([]);
  requests.splice(0);
  expect(await call('tasks.import', request)).toMatchObject({ imported: 1, report: 'report.jsonl' });
  expect(requests).toHaveLength(1);
  expect(existsSync(join(app.root, 'report.jsonl'))).toBe(false);
});

test('validate protocol checks the output file of the client', async () => {
  const { call, root } = await openRemote({ tasks: ['T001'] });
  await call('research.add', { id: 'T001-a', file: 'docs/T001-a.md', title: 'A', status: 'complete', linkedTasks: ['T001'] });
  const findMessages = async (): Promise<string> =>
    JSON.stringify((await call('validate.protocol', { taskId: 'T001' })).error.details.findings);
  expect(await findMessages()).toContain('docs/T001-a.md is missing');
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs', 'T001-a.md'), '# A\n');
  expect(await findMessages()).toContain('has no **Task**');
});

test('doctor checks the files of the client and the store of the server, and repairs both', async () => {
  const { app, call, root } = await openRemote({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await call('admin.doctor')).toMatchObject({ success: true, findings: [] });
  writeFileSync(join(root, '.cleo', 'GRADES.jsonl'), '{"a":');
  await app.store.write({ at: '2026-01-01T00:00:00.000Z', by: 'x' }, ({ jobs }) =>
    jobs.start('release.ship', 'x', '2026-01-01T00:00:00.000Z'),
  );
  const { findings, checks } = await call('admin.doctor');
  expect(findings.map(({ check }: Json) => check)).toEqual(['files', 'jobs']);
  expect(checks.find(({ check }: Json) => check === 'tasks')).toMatchObject({ ok: true, detail: '2 tasks' });
  const { repairs, findings: left } = await call('admin.doctor.fix');
  expect(repairs.map(({ check }: Json) => check)).toEqual(['files', 'jobs']);
  expect(left).toEqual([]);
  expect(await listJobs(app)).toEqual([]);
  expect(await readLog(app, 'admin.doctor.fix')).toMatchObject([{ success: true, agent: 'tester' }]);
  expect(await call('admin.doctor.store')).toMatchObject({ success: true });
});

test('agents of cleo work on a client act below the name of its token, and do the tasks of the server', async () => {
  const { env } = createRepository(join(createTempFolder(), 'unused'));
  const remote = await openRemote(
    { tasks: ['T001 epic', 'T002 in T001', 'T003 in T001 depends T002'], config: { lifecycleEnforcement: { mode: 'off' } } },
    env,
  );
  const { app, call, root } = remote;
  const repository = createRepository(root);
  repository.commit({ 'a.txt': 'first', '.gitignore': '.cleo\nhome\n' });
  const code = `
    const { execFileSync } = require('node:child_process');
    require('node:fs').writeFileSync(process.env.CLEO_AGENT_ID.split('/').at(-1) + '.txt', process.env.CLEO_TOKEN ? 'with token' : 'without');
    execFileSync('git', ['add', '--all']);
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'work']);
    console.log('Implementation complete. See MANIFEST.jsonl for summary.');`;
  const config = {
    store: { engine: 'server' },
    lifecycleEnforcement: { mode: 'off' },
    work: { profile: 'scripted', rounds: 1 },
    profiles: { scripted: { argv: [process.execPath, '-e', code] } },
  };
  writeFileSync(join(root, '.cleo', 'config.json'), JSON.stringify(config));
  await trustProject(root, remote.env);
  const { work, error } = await call('work.run', { scope: 'epic:T001' });
  expect(error).toBeUndefined();
  expect(work).toMatchObject({
    reason: 'nothing-ready',
    tasks: [
      { taskId: 'T002', outcome: 'done', agentId: 'tester/T002-worker-1' },
      { taskId: 'T003', outcome: 'done', agentId: 'tester/T003-worker-1' },
    ],
  });
  expect(repository.git('show', `${work.tasks[1].branch}:T002-worker-1.txt`)).toBe('with token');
  expect((await app.call('tasks.show', { taskId: 'T003' })).task).toMatchObject({ status: 'done' });
  expect(await readLog(app, 'work.run')).toMatchObject([{ success: true, agent: 'tester', updated: ['T002', 'T003'] }]);
  const claims = await readLog(app, 'work.claim');
  expect(claims.map(({ agent }) => agent)).toEqual([1, 2].map(() => expect.stringMatching(/^tester\/work\/scripted\//)));
  expect(await call('work.status')).toMatchObject({ work: { tasks: [{ state: 'done' }, { state: 'done' }] } });
  expect(await listJobs(app)).toEqual([]);
});

test('cleo work gives its agents no token that may do what only people may', async () => {
  const { app, root, call, env, client } = await openRemote({ tasks: ['T001 epic', 'T002 in T001'] });
  createRepository(root).commit({ 'a.txt': 'first' });
  await trustProject(root, env);
  client.platform.token = await grantToken(app, 'admin', 'boss');
  client.platform.identity = { kind: 'person', agent: 'boss' };
  client.platform.caller = { agent: 'boss' };
  expect(await call('work.run')).toMatchObject({ error: { code: 'E_FORBIDDEN', message: expect.stringContaining('scope mutate') } });
  expect(await listJobs(app)).toEqual([]);
});

test('a server of before is used as far as it goes, and says so where it does not', async () => {
  const remote = await openRemote({ tasks: ['T001'] });
  const { client, call, root } = remote;
  const { connectServer } = client.platform;
  // It does not know these paths, nor an operation of later.
  const unknown = ['/api/records', '/api/part/', '/api/call/tasks.reopen'];
  client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    const post: typeof connection.post = (path, request) =>
      connection.post(unknown.some((prefix) => path.startsWith(prefix)) ? '/api/nothing' : path, request);
    return { ...connection, post };
  };
  expect(await call('research.list')).toMatchObject({ success: true, entries: [] });
  expect(await call('tasks.show', { taskId: 'T001' })).toMatchObject({ success: true });
  for (const [operation, params] of [
    ['tasks.export.file', { output: 'a.jsonl' }],
    ['admin.audit.sign', {}],
    ['work.status', {}],
    ['tasks.reopen', { taskId: 'T001' }],
  ] as const)
    expect(await call(operation, params)).toMatchObject({ _meta: { exitCode: 8 }, error: { code: 'E_SERVER_VERSION' } });
  expect(existsSync(join(root, 'a.jsonl'))).toBe(false);
});
