import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';
import { startServer } from '../../../test/http-server.ts';
import { openNexus, updateConfig } from '../../../test/nexus-world.ts';
import { openRemoteCheckout } from '../../../test/remote-client.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';
import { trustProject } from '../../../test/trust.ts';

const worlds = { api: ['T001: Serve tasks', 'T002: Log'], web: ['T001: Show tasks', 'T002: Write the parser'] };

test('creates the registry once and registers a project under its folder name', async () => {
  const folder = createEmptyFolder();
  await folder.call('admin.init');
  expect(await folder.call('nexus.init')).toMatchObject({ registry: { created: true } });
  expect(await folder.call('nexus.init')).toMatchObject({ _meta: { exitCode: 101 }, registry: { created: false } });
  expect(await folder.call('nexus.list')).toMatchObject({ _meta: { exitCode: 100 }, projects: [] });
  expect(await folder.call('nexus.register')).toMatchObject({
    project: { name: 'project', path: folder.root, permission: 'read' },
    data: { created: ['project'] },
  });
  expect(await folder.call('nexus.register', { path: '.' })).toMatchObject({ _meta: { exitCode: 101 } });
  expect(await folder.call('nexus.list')).toMatchObject({ projects: [{ name: 'project', state: 'ok', here: true }] });
  expect(await folder.call('nexus.unregister', { name: 'project' })).toMatchObject({ data: { deleted: ['project'] } });
  expect(await folder.call('nexus.list')).toMatchObject({ projects: [] });
});

test('works outside a project and refuses a folder without .cleo', async () => {
  const { apps, home } = await openNexus(worlds);
  const outside = createEmptyFolder().withEnv({ CLEO_HOME: home });
  expect(await outside.call('nexus.query', { query: 'web:T002' })).toMatchObject({
    tasks: [{ project: 'web', title: 'Write the parser' }],
  });
  expect(await outside.call('nexus.register')).toMatchObject({ error: { exitCode: 8, fix: 'cleo init' } });
  expect(await outside.call('nexus.register', { path: outside.root })).toMatchObject({
    error: { code: 'E_VALIDATION_PATH', fix: `cd ${outside.root} && cleo init` },
  });
  expect(await outside.call('nexus.register', { path: 'nowhere' })).toMatchObject({ error: { code: 'E_VALIDATION_PATH' } });
  expect(await outside.call('nexus.register', { path: apps.web!.root })).toMatchObject({
    _meta: { exitCode: 101 },
    project: { name: 'web' },
  });
});

test('a registered project that names a hostile server is not contacted', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('data', () => socket.end()).on('error', () => {});
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = createTempFolder();
  const env = { CLEO_HOME: home, PGPASSWORD: 'secret-of-ada' };
  const api = await openApp({ tasks: worlds.api, env, isUntrusted: true });
  const web = await openApp({ tasks: worlds.web, env, isUntrusted: true, engine: 'sqlite' });
  await api.call('nexus.init');
  await api.call('nexus.register', { name: 'api' });
  await web.call('nexus.register', { name: 'web' });
  updateConfig(web, (config) => {
    config.store = { url: `postgres://ada@127.0.0.1:${port}/x?connect_timeout=1` };
  });
  const { error } = await api.call('nexus.query', { query: 'web:T002' });
  expect(error).toMatchObject({ code: 'E_NEXUS_QUERY_FAILED', message: expect.stringContaining('store.url') });
  expect(error.fix).toMatch(/^Ask a person to run: .*CLEO_ROOT=\S+ cleo trust$/);
  await api.call('nexus.query', { query: '*:parser' });
  await api.call('nexus.deps.add', { taskId: 'T001', on: 'web:T002' });
  for (const operation of ['nexus.list', 'nexus.graph', 'nexus.sync']) await api.call(operation);
  await api.call('nexus.deps', { task: 'web:T002' });
  expect(connections).toBe(0);
  // The server would have noticed a connection: a trusted address is contacted.
  await trustProject(web.root, web.env);
  await api.call('nexus.query', { query: 'web:T002' });
  expect(connections).toBeGreaterThan(0);
});

test('preserves unknown fields in the registry', async () => {
  const { home, registry, readRegistry } = await openNexus({});
  mkdirSync(home, { recursive: true });
  writeFileSync(registry, JSON.stringify({ $comment: 'by hand', format: 'cleo-nexus', version: 1, projects: [] }));
  const folders = Array.from({ length: 3 }, (_, i) => join(home, `p${i}`));
  for (const [i, folder] of folders.entries()) {
    mkdirSync(join(folder, '.cleo'), { recursive: true });
    writeFileSync(join(folder, '.cleo', 'config.json'), JSON.stringify({ project: { key: `p${i}` } }));
  }
  const outside = createEmptyFolder().withEnv({ CLEO_HOME: home });
  await Promise.all(folders.map((path) => outside.call('nexus.register', { path })));
  expect(JSON.parse(readRegistry())).toMatchObject({ $comment: 'by hand', projects: { length: 3 } });
});

test('recognizes a moved project by its key and refuses a copy', async () => {
  const { apps } = await openNexus(worlds);
  const { api, web } = apps;
  const copy = join(api!.root, 'copy');
  cpSync(join(web!.root, '.cleo'), join(copy, '.cleo'), { recursive: true });
  expect(await api!.call('nexus.register', { path: copy })).toMatchObject({
    error: { exitCode: 76, fix: expect.stringMatching(/^Ask a person to run: CLEO_ROOT=\S+copy cleo config set project\.key \S+_copy$/) },
  });
  renameSync(join(web!.root, '.cleo', 'config.json'), join(web!.root, '.cleo', 'config.away'));
  expect(await api!.call('nexus.list')).toMatchObject({ projects: [{ name: 'api' }, { name: 'web', state: 'replaced' }] });
  expect(await api!.call('nexus.register', { path: copy })).toMatchObject({ project: { name: 'web', path: copy }, movedFrom: web!.root });
  expect(await api!.call('nexus.query', { query: 'web:T002' })).toMatchObject({ tasks: [{ title: 'Write the parser' }] });
  renameSync(join(web!.root, '.cleo', 'config.away'), join(web!.root, '.cleo', 'config.json'));
});

test('updates the path of a moved project on sync', async () => {
  const { apps, registry } = await openNexus(worlds);
  const { api } = apps;
  const stale = readFileSync(registry, 'utf8').replace(JSON.stringify(api!.root), JSON.stringify(join(api!.root, 'before')));
  writeFileSync(registry, stale);
  expect(await api!.call('nexus.list')).toMatchObject({ projects: [{ name: 'api', state: 'gone', here: true }, {}] });
  expect(await api!.call('nexus.sync')).toMatchObject({ success: true, sync: { movedFrom: join(api!.root, 'before') } });
  expect(await api!.call('nexus.list')).toMatchObject({ projects: [{ name: 'api', state: 'ok', path: api!.root }, {}] });
});

test('searches all projects in turn and reports unreachable ones', async () => {
  const { apps } = await openNexus({ ...worlds, docs: ['T001: Describe the parser', 'T002: Parser tasks'] });
  const { api, docs } = apps;
  expect(await api!.call('nexus.query', { query: '*:tasks', limit: 2 })).toMatchObject({
    _meta: { truncated: { shown: 2, total: 3 } },
    tasks: [{ project: 'api' }, { project: 'docs' }],
  });
  updateConfig(docs!, (config) => {
    config.mood = 'good';
  });
  const answer = await api!.call('nexus.query', { query: '*:parser' });
  expect(answer).toMatchObject({ tasks: [{ project: 'web', id: 'T002' }], unanswered: [{ project: 'docs' }] });
  expect(answer._meta.warnings).toEqual([expect.stringContaining('docs could not be queried')]);
});

test('counts the tasks beyond the limit in one project', async () => {
  const { apps } = await openNexus({ ...worlds, docs: ['T001: Describe the parser', 'T002: Parser tasks'] });
  const search = async (limit: number) => (await apps.api!.call('nexus.query', { query: 'docs:parser', limit }))._meta;
  expect(await search(1)).toMatchObject({ truncated: { shown: 1, total: 2 } });
  expect(await search(2)).not.toHaveProperty('truncated');
});

test('suggests an existing task for an unknown one', async () => {
  const { apps } = await openNexus(worlds);
  const refused = await apps.api!.call('nexus.query', { query: 'web:T020' });
  expect(refused).toMatchObject({ error: { exitCode: 4, message: 'There is no task web:T020', fix: 'cleo nexus query web:T002' } });
  expect((await apps.api!.cli(refused.error.fix)).exitCode).toBe(0);
});

test('blocks a task until sync finds its remote dependency done', async () => {
  const { apps } = await openNexus(worlds);
  const { api, web } = apps;
  expect(await api!.call('nexus.deps.add', { taskId: 'T001', on: 'web:2' })).toMatchObject({
    task: { status: 'blocked', blockedBy: 'waits for web:T002' },
    on: { project: 'web', id: 'T002', title: 'Write the parser', status: 'pending' },
    data: { updated: ['T001'] },
  });
  // The dependencies of a task name it too, without opening the other project.
  expect((await api!.call('tasks.deps', { taskId: 'T001' })).deps.remote).toEqual([
    { project: 'web', id: 'T002', title: 'Write the parser', status: 'pending', seenAt: expect.any(String) },
  ]);
  expect(await api!.call('tasks.next')).toMatchObject({ recommendation: { taskId: 'T002' } });
  expect(await web!.call('nexus.deps', { task: 'T002' })).toMatchObject({ deps: { waitedForBy: [{ project: 'api', id: 'T001' }] } });
  await web!.call('tasks.complete', { taskId: 'T002' });
  expect(await api!.call('nexus.deps', { task: 'T001' })).toMatchObject({
    deps: { waitsFor: [{ status: 'done', note: 'was pending at the last sync' }] },
  });
  expect(await api!.call('nexus.sync')).toMatchObject({
    sync: { projects: ['web'], changed: [{ task: 'T001', on: 'web:T002', from: 'pending', to: 'done' }], freed: ['T001'], blocked: [] },
    data: { updated: ['T001'] },
  });
  expect(await api!.call('nexus.sync')).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await api!.call('tasks.start', { taskId: 'T001' })).toMatchObject({ task: { status: 'active' } });
  await web!.call('tasks.reopen', { taskId: 'T002' });
  const late = await api!.call('nexus.sync');
  expect(late).toMatchObject({ sync: { changed: [{ to: 'active' }], blocked: [] } });
  expect(late._meta.warnings).toEqual(['T001 is active although it waits']);
});

test('keeps a block with another reason and reports a deleted dependency', async () => {
  const { apps } = await openNexus(worlds);
  const { api, web } = apps;
  await api!.call('nexus.deps.add', { taskId: 'T001', on: 'web:T002' });
  await api!.call('nexus.deps.add', { taskId: 'T002', on: 'web:T001' });
  await api!.call('tasks.update', { taskId: 'T001', blockedBy: 'no plan yet' });
  await web!.call('tasks.complete', { taskId: 'T002' });
  await web!.call('tasks.delete', { taskId: 'T001' });
  const synced = await api!.call('nexus.sync');
  expect(synced).toMatchObject({
    sync: {
      freed: [],
      changed: [
        { task: 'T001', to: 'done' },
        { task: 'T002', to: 'missing' },
      ],
    },
  });
  expect(synced._meta.warnings).toEqual(['web:T001, which T002 waits for, no longer exists']);
  expect(await api!.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'blocked', blockedBy: 'no plan yet' } });
  expect(await api!.call('nexus.deps.remove', { taskId: 'T002', on: 'web:T001' })).toMatchObject({ task: { status: 'pending' } });
  expect(await api!.call('nexus.deps.remove', { taskId: 'T002', on: 'web:T001' })).toMatchObject({ _meta: { exitCode: 102 } });
});

test('does not block for a done dependency and refuses a task of the own project', async () => {
  const { apps } = await openNexus({ ...worlds, web: ['T001 done'] });
  const { api } = apps;
  expect(await api!.call('nexus.deps.add', { taskId: 'T001', on: 'web:T001' })).toMatchObject({ task: { status: 'pending' } });
  expect(await api!.call('nexus.deps.add', { taskId: 'T001', on: 'api:T002' })).toMatchObject({
    error: { code: 'E_VALIDATION_ON', fix: 'cleo update T001 --add-depends T002' },
  });
});

test('lets only the holder block an active task', async () => {
  const { apps } = await openNexus({ ...worlds, api: ['T001 active by ada'] });
  const { api } = apps;
  expect(await api!.call('nexus.deps.add', { taskId: 'T001', on: 'web:T001' })).toMatchObject({ error: { exitCode: 35 } });
  expect(await api!.as('ada').call('nexus.deps.add', { taskId: 'T001', on: 'web:T001' })).toMatchObject({ task: { status: 'blocked' } });
});

test('sync --all updates only projects with write, and logs there', async () => {
  const { apps } = await openNexus({ ...worlds, docs: ['T001'] }, { permissions: { web: 'write' } });
  const { api, web, docs } = apps;
  for (const app of [web!, docs!]) await app.call('nexus.deps.add', { taskId: 'T001', on: 'api:T002' });
  await api!.call('tasks.complete', { taskId: 'T002' });
  expect(await api!.call('nexus.sync', { all: true })).toMatchObject({
    sync: { freed: ['web:T001'], left: [{ project: 'docs', why: 'has the permission read, not write' }] },
  });
  expect(await web!.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'pending' } });
  expect(await docs!.call('tasks.show', { taskId: 'T001' })).toMatchObject({ task: { status: 'blocked' } });
  expect(await web!.call('admin.log', { limit: 1 })).toMatchObject({ entries: [{ operation: 'nexus.sync', updated: ['T001'] }] });
  expect(await web!.call('admin.audit.verify')).toMatchObject({ success: true });
});

test('sync --all --except leaves a project out', async () => {
  const { apps } = await openNexus({ ...worlds, docs: ['T001'] }, { permissions: { web: 'write', docs: 'write' } });
  const { api, web, docs } = apps;
  for (const app of [web!, docs!]) await app.call('nexus.deps.add', { taskId: 'T001', on: 'api:T002' });
  await api!.call('tasks.complete', { taskId: 'T002' });
  expect(await api!.call('nexus.sync', { all: true, except: ['docs'] })).toMatchObject({ sync: { changed: [{ task: 'web:T001' }] } });
  const readStatus = async (app: TestApp) => (await app.call('tasks.show', { taskId: 'T001' })).task.status;
  expect([await readStatus(web!), await readStatus(docs!)]).toEqual(['pending', 'blocked']);
});

test('a dependency on another project is added only in the scope of the session', async () => {
  const { apps } = await openNexus({ ...worlds, own: ['T001 epic', 'T002 in T001', 'T003', 'session session-1 epic:T001 by tester'] });
  expect(await apps.own!.call('nexus.deps.add', { taskId: 'T003', on: 'web:T002' })).toMatchObject({ error: { exitCode: 34 } });
  expect(await apps.own!.call('nexus.deps.add', { taskId: 'T002', on: 'web:T002' })).toMatchObject({ success: true });
});

test('shows ends, inside edges and later cycles in the graph', async () => {
  const { apps } = await openNexus({ api: ['T001', 'T002'], web: ['T001', 'T002 depends T003', 'T003 depends T004', 'T004'] });
  const { api, web } = apps;
  await api!.call('nexus.deps.add', { taskId: 'T001', on: 'web:T002' });
  await web!.call('nexus.deps.add', { taskId: 'T004', on: 'api:T002' });
  expect(await web!.call('nexus.graph')).toMatchObject({
    graph: {
      nodes: [
        { project: 'api', id: 'T001' },
        { project: 'api', id: 'T002' },
        { project: 'web', id: 'T002' },
        { project: 'web', id: 'T004' },
      ],
      edges: [
        { from: 'api:T001', to: 'web:T002', kind: 'across' },
        { from: 'web:T004', to: 'api:T002', kind: 'across' },
        { from: 'web:T002', to: 'web:T004', kind: 'inside' },
      ],
    },
  });
  await api!.call('tasks.update', { taskId: 'T002', addDepends: ['T001'] });
  const closed = await web!.call('nexus.graph', { mermaid: true });
  expect(closed.graph.circles).toHaveLength(1);
  expect(closed.mermaid).toContain('flowchart LR');
});

test('ignores CLEO_DATABASE_URL for other projects', async () => {
  const app = await openApp({ tasks: ['T001', 'nexus here', 'nexus web T003'] });
  expect(await app.call('nexus.query', { query: 'web:T003' })).toMatchObject({ tasks: [{ id: 'T003' }] });
  const elsewhere = await openApp({ tasks: ['T001'], env: { CLEO_HOME: app.env.CLEO_HOME!, CLEO_DATABASE_URL: '' }, engine: 'sqlite' });
  const wrong = createEmptyFolder().withEnv({
    CLEO_HOME: app.env.CLEO_HOME!,
    CLEO_ROOT: elsewhere.root,
    CLEO_DATABASE_URL: 'postgres://127.0.0.1:9/none',
  });
  expect(await wrong.call('nexus.query', { query: 'web:T003' })).toMatchObject({ tasks: [{ id: 'T003' }] });
});

test('does not change the other project when reading', async () => {
  const app = await openApp({ tasks: ['T001', 'nexus here', 'nexus web T003'] });
  const file = join(app.root, 'web', '.cleo', 'cleo.db');
  const before = readFileSync(file, 'latin1');
  for (const query of ['web:T003', '*:T003', 'web:nothing']) await app.call('nexus.query', { query });
  await app.call('nexus.deps.add', { taskId: 'T001', on: 'web:T003' });
  await app.call('nexus.graph');
  await app.call('nexus.sync', { all: true });
  expect(readFileSync(file, 'latin1')).toBe(before);
  rmSync(file);
  expect(await app.call('nexus.query', { query: 'web:T003' })).toMatchObject({
    error: { exitCode: 77, fix: expect.stringMatching(/CLEO_ROOT=\S+web cleo init$/) },
  });
});

test('sets and lists permissions', async () => {
  const { apps } = await openNexus(worlds);
  const { api } = apps;
  expect(await api!.call('nexus.permissions.set', { name: 'web', permission: 'none' })).toMatchObject({ data: { updated: ['web'] } });
  expect(await api!.call('nexus.permissions.set', { name: 'web', permission: 'none' })).toMatchObject({ _meta: { exitCode: 102 } });
  expect(await api!.call('nexus.permissions')).toMatchObject({
    permissions: [
      { name: 'api', permission: 'read' },
      { name: 'web', permission: 'none', means: expect.stringMatching(/^closed/) },
    ],
  });
});

test('on a client of a server, tasks of the server and of projects of the client are linked', async () => {
  const { apps, home } = await openNexus({ api: ['T001: Serve tasks'] });
  const app = await openApp({ tasks: ['T001: Show tasks', 'T002: Write the parser'] });
  const { call, root } = await openRemoteCheckout(app, await startServer(app), { env: { CLEO_HOME: home } });
  expect(await call('nexus.register', { name: 'web' })).toMatchObject({ project: { name: 'web', path: root } });
  expect(await call('nexus.query', { query: 'web:parser' })).toMatchObject({ tasks: [{ project: 'web', id: 'T002' }] });
  expect(await call('nexus.query', { query: 'api:T001' })).toMatchObject({ tasks: [{ project: 'api', title: 'Serve tasks' }] });
  expect(await call('nexus.query', { query: 'web:T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect(await call('nexus.deps.add', { taskId: 'T001', on: 'api:T001' })).toMatchObject({ task: { status: 'blocked' } });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({ status: 'blocked' });
  expect(await call('nexus.deps', { task: 'T001' })).toMatchObject({ deps: { waitsFor: [{ project: 'api', id: 'T001' }] } });
  expect((await call('nexus.graph')).graph.edges).toEqual([{ from: 'web:T001', to: 'api:T001', kind: 'across' }]);
  await apps.api!.call('tasks.complete', { taskId: 'T001' });
  expect(await call('nexus.sync')).toMatchObject({ sync: { freed: ['T001'] } });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task).toMatchObject({ status: 'pending' });
});
