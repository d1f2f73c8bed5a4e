import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type AppOptions, openApp, type TestApp } from '../../../test/app.ts';
import { startServer } from '../../../test/http-server.ts';
import { openRemoteCheckout, type RemoteCheckout } from '../../../test/remote-client.ts';
import { createRepository } from '../../../test/repository.ts';

/** Opens a project behind a server, and a client with a folder of its own. */
async function openRemote(options: AppOptions = {}): Promise<RemoteCheckout & { app: TestApp }> {
  const app = await openApp(options);
  return { app, ...(await openRemoteCheckout(app, await startServer(app))) };
}

const readBaseline = ({ store }: TestApp, id: string) => store.read(({ gates }) => gates.getBaseline(id));

test('a claim stores the commit of the client, with one request', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001', 'T002', 'T003'] });
  createRepository(app.root).commit({ 'a.txt': 'of the server' });
  const head = createRepository(root).commit({ 'a.txt': 'of the client' });
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true });
  expect(await call('tasks.claim-next')).toMatchObject({ task: { id: 'T002' }, released: 'T001' });
  expect(await call('tasks.update', { taskId: 'T003', status: 'active' })).toMatchObject({ success: true });
  expect(requests).toEqual(['/api/call/tasks.start', '/api/call/tasks.claim-next', '/api/call/tasks.update']);
  for (const id of ['T001', 'T002', 'T003']) expect(await readBaseline(app, id)).toMatchObject({ head });
});

test('a claim outside a repository asks for the declared files of the task, with a second request', async () => {
  const { app, call, root, requests } = await openRemote({ tasks: ['T001'] });
  await app.call('tasks.update', { taskId: 'T001', files: ['a.txt', 'gone.txt'] });
  writeFileSync(join(app.root, 'a.txt'), 'of the server, longer');
  writeFileSync(join(root, 'a.txt'), 'client');
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({ success: true });
  expect(requests).toHaveLength(2);
  const baseline = await readBaseline(app, 'T001');
  expect(baseline?.files).toMatchObject([{ path: 'a.txt', size: 6, sha256: expect.any(String) }, { path: 'gone.txt' }]);
  // The first request changed nothing and is not in the log.
  expect((await app.call('admin.log', { operation: 'tasks.start' })).entries).toHaveLength(1);
});

test('a client cannot send facts of another form', async () => {
  const { app, client, call } = await openRemote({ tasks: ['T001'] });
  const { connectServer } = client.platform;
  client.platform.connectServer = async (address) => {
    const connection = await connectServer(address);
    return {
      ...connection,
      post: (path, request) => connection.post(path, { ...request, body: request.body.replace('"facts":{}', '"facts":{"head":5}') }),
    };
  };
  expect(await call('tasks.start', { taskId: 'T001' })).toMatchObject({
    error: { code: 'E_VALIDATION_FACTS', message: expect.stringContaining('checkout.head') },
  });
  expect((await app.call('tasks.show', { taskId: 'T001' })).task.status).toBe('pending');
});
