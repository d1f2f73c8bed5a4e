import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppOptions, type Json, openApp, type TestApp } from '../../../../test/app.ts';
import { startServer } from '../../../../test/http-server.ts';
import { openRemoteCheckout, type RemoteCheckout } from '../../../../test/remote-client.ts';

/** Opens a project behind a server, and two clients with checkouts of their own. */
async function openRemotes(options: AppOptions = {}): Promise<{ app: TestApp; one: RemoteCheckout; other: RemoteCheckout }> {
  const app = await openApp({ ...options, config: { sync: { mode: 'manual' } } });
  const server = await startServer(app);
  return {
    app,
    one: await openRemoteCheckout(app, server),
    other: await openRemoteCheckout(app, server, { token: 'other', env: { CLEO_AGENT_ID: 'other' } }),
  };
}

const planOf = ({ root }: Pick<RemoteCheckout, 'root'>): string => join(root, '.cleo', 'plan');
const listFiles = (client: Pick<RemoteCheckout, 'root'>, folder = 'tasks'): string[] =>
  existsSync(join(planOf(client), folder)) ? readdirSync(join(planOf(client), folder)).sort() : [];
const readTask = (client: Pick<RemoteCheckout, 'root'>, name: string): Json =>
  JSON.parse(readFileSync(join(planOf(client), 'tasks', name), 'utf8')) as Json;

test('a sync writes the plan files of the client, and those of the server stay as they are', async () => {
  const { app, one, other } = await openRemotes({ tasks: ['T001 epic', 'T002 in T001'] });
  expect(await one.call('sync.run', { dryRun: true })).toMatchObject({ success: true });
  expect(listFiles(one)).toEqual([]);
  expect(await one.call('sync.run')).toMatchObject({ success: true, sync: { written: 3 } });
  expect(listFiles(one)).toHaveLength(2);
  expect(listFiles(app)).toEqual([]);
  one.requests.splice(0);
  expect(await one.call('sync.run')).toMatchObject({ _meta: { exitCode: 102 } });
  // The call, and the hashes of the files.
  expect(one.requests).toHaveLength(2);
  expect((await one.call('sync.check')).success).toBe(true);
  expect(await other.call('sync.check')).toMatchObject({ error: { code: 'E_PLAN_OUT_OF_STEP' } });
  await other.call('sync.run');
  expect(listFiles(other)).toEqual(listFiles(one));
});

/** Copies the plan files of one checkout to another, as git does. */
function copyPlan(from: RemoteCheckout, to: RemoteCheckout): void {
  for (const folder of readdirSync(planOf(from))) {
    mkdirSync(join(planOf(to), folder), { recursive: true });
    for (const name of listFiles(from, folder))
      writeFileSync(join(planOf(to), folder, name), readFileSync(join(planOf(from), folder, name)));
  }
}

test('plan files that came with git change the store, and a later sync brings the change to others', async () => {
  const { app, one, other } = await openRemotes({ tasks: ['T001'] });
  await one.call('sync.run');
  await other.call('sync.run');
  const [name = ''] = listFiles(one);
  // A colleague with a store of their own.
  const fresh = await openRemotes();
  copyPlan(one, fresh.one);
  await fresh.one.call('sync.run');
  await fresh.app.call('tasks.update', { taskId: 'T001', title: 'Renamed elsewhere' });
  await fresh.one.call('sync.run');
  copyPlan(fresh.one, one);
  expect(await one.call('sync.run')).toMatchObject({ success: true, sync: { read: 1 } });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.title).toBe('Renamed elsewhere');
  expect(JSON.stringify(readTask(other, name))).not.toContain('Renamed elsewhere');
  await other.call('sync.run');
  expect(JSON.stringify(readTask(other, name))).toContain('Renamed elsewhere');
});

test('documents come with their contents, in both directions', async () => {
  const { app, one } = await openRemotes({ tasks: ['T001'] });
  await app.call('docs.add', { taskId: 'T001', slug: 'notes', title: 'Notes', content: 'Überprüfen\n' });
  await one.call('sync.run');
  const [digest = ''] = listFiles(one, 'contents');
  expect(readFileSync(join(planOf(one), 'contents', digest), 'utf8')).toBe('Überprüfen\n');
  // Another project takes the files over, as after a clone.
  const fresh = await openRemotes();
  copyPlan(one, fresh.one);
  expect((await fresh.one.call('sync.run')).success).toBe(true);
  expect(await fresh.app.call('docs.fetch', { slug: 'notes' })).toMatchObject({ content: 'Überprüfen\n' });
});

test('a server reads and writes nothing but plan files', async () => {
  const { app, one } = await openRemotes({ tasks: ['T001'] });
  writeFileSync(join(one.root, 'secret.txt'), 'x');
  const { connectServer } = one.client.platform;
  const sent: string[] = [];
  let lie: (answer: Json) => Json = (answer) => answer;
  one.client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      async post(path, request) {
        sent.push(request.body);
        const answer = await connection.post(path, request);
        return { ...answer, text: JSON.stringify(lie(JSON.parse(answer.text) as Json)) };
      },
    };
  };
  lie = (answer) =>
    'needs' in answer ? { needs: [{ name: 'checkout.plan-contents', request: { names: ['../../secret.txt'] } }] } : answer;
  expect(await one.call('sync.run')).toMatchObject({ error: { code: 'E_SERVER_VERSION' } });
  lie = (answer) =>
    answer.apply ? { ...answer, apply: { files: [{ name: 'tasks/../../../x.json', encoding: 'utf8', content: 'x' }] } } : answer;
  expect((await one.call('sync.run')).success).toBe(false);
  expect(existsSync(join(one.root, 'x.json'))).toBe(false);
  expect(sent.join('')).not.toContain(Buffer.from('x').toString('base64'));
  expect(app.root).not.toBe(one.root);
});

test('conflict markers are resolved in the checkout of the client, and the server logs it', async () => {
  const { app, one } = await openRemotes({ tasks: ['T001'] });
  await one.call('sync.run');
  const [name = ''] = listFiles(one);
  const path = join(planOf(one), 'tasks', name);
  const text = readFileSync(path, 'utf8');
  const line = text.split('\n').find((each) => each.includes('"value"')) ?? '';
  writeFileSync(path, text.replace(line, `<<<<<<< HEAD\n${line}\n=======\n${line}\n>>>>>>> theirs`));
  expect(await one.call('sync.resolve')).toMatchObject({ resolved: [`.cleo/plan/tasks/${name}`] });
  expect((await app.call('admin.log', { operation: 'sync.resolve' })).entries).toMatchObject([{ success: true, agent: 'tester' }]);
});
