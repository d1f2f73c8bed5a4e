import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';
import { createBearerHeader, startServer } from '../../../test/http-server.ts';
import { grantToken, openRemoteCheckout, type RemoteCheckout } from '../../../test/remote-client.ts';
import { CleoError } from '../../core/errors/error.ts';

/** Opens a project behind a server, whose temporary files are in a folder of their own, and a client. */
async function openRemote(): Promise<RemoteCheckout & { app: TestApp; url: string; listTemporary(): string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-long-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    process.env.TMPDIR = before;
  });
  const app = await openApp();
  const server = await startServer(app);
  const checkout = await openRemoteCheckout(app, server);
  return { app, url: server.url, ...checkout, listTemporary: () => readdirSync(folder).filter((name) => name.startsWith('cleo-request-')) };
}

const issue = (i: number, description: string): string =>
  `${JSON.stringify({ id: `bd-${i}`, title: `Issue ${i}`, description, status: 'open', created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' })}\n`;

/** A text as the command line reads it from a large file. */
const toFileText = (chunks: () => Iterable<string>) => ({ length: 1, chunks, toJSON: () => ({ length: 1 }) });

test('a text that is read in parts arrives whole, and its temporary file is removed', async () => {
  const { app, call, listTemporary, requests } = await openRemote();
  const long = 'Zürich 日本 🙂 '.repeat(400);
  const text = toFileText(function* () {
    for (let i = 0; i < 200; i++) {
      const line = issue(i, `${i} ${long}`);
      yield line.slice(0, 1000);
      yield line.slice(1000);
    }
  });
  const answer = await call('tasks.import', { content: [{ name: '.beads/issues.jsonl', text }], from: 'beads', limit: 1 });
  expect(answer).toMatchObject({ success: true, imported: 200 });
  expect(requests).toEqual(['/api/call/tasks.import']);
  const { task } = await app.call('tasks.show', { taskId: 'T200' });
  expect(task).toMatchObject({ title: 'Issue 199', description: `199 ${long}`.trimEnd() });
  expect(listTemporary()).toEqual([]);
});

test('a file that cannot be read to its end is the error of the call, and nothing is imported', async () => {
  const { app, call, listTemporary } = await openRemote();
  const text = toFileText(function* () {
    yield issue(1, 'first');
    throw new CleoError('E_FILE_ERROR', { path: 'issues.jsonl', problem: 'was changed while it was read', fix: 'cleo help import' });
  });
  expect(await call('tasks.import', { content: [{ name: 'issues.jsonl', text }], from: 'beads' })).toMatchObject({
    error: { code: 'E_FILE_ERROR', message: 'issues.jsonl: was changed while it was read' },
  });
  expect((await app.call('tasks.list')).tasks).toEqual([]);
  await expect.poll(listTemporary).toEqual([]);
});

const frame = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const head = (texts: unknown): Buffer =>
  Buffer.from(`${JSON.stringify({ params: { content: [{ name: 'a', text: '' }], from: 'beads' }, texts })}\n`);
const end = frame('');

test.each([
  ['no line', Buffer.from('{}')],
  ['no texts', Buffer.from('{"params":{}}\n')],
  ['a path that leads nowhere', Buffer.concat([head([['content', 3, 'text']]), frame('x'), end])],
  ['a path to a prototype', Buffer.concat([head([['__proto__', 'x']]), frame('x'), end])],
  ['a text without an end', Buffer.concat([head([['content', 0, 'text']]), frame('x')])],
  ['a frame without its bytes', Buffer.concat([head([['content', 0, 'text']]), frame('xyz').subarray(0, 5)])],
  ['a frame that is too long', Buffer.concat([head([['content', 0, 'text']]), Buffer.from([0x7f, 0xff, 0xff, 0xff])])],
  ['more than its texts', Buffer.concat([head([['content', 0, 'text']]), frame('x'), end, end])],
])('rejects a body with %s', async (_, body) => {
  const { app, url, listTemporary } = await openRemote();
  const headers = { ...createBearerHeader(await grantToken(app, 'mutate', 'ada')), 'content-type': 'application/vnd.cleo.call' };
  const answer = await fetch(`${url}/api/call/tasks.import`, { method: 'POST', headers, body });
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([400, 'E_INVALID_INPUT']);
  expect(listTemporary()).toEqual([]);
});

test('rejects long texts of an operation that carries none', async () => {
  const { app, url } = await openRemote();
  const headers = { ...createBearerHeader(await grantToken(app, 'mutate', 'ada')), 'content-type': 'application/vnd.cleo.call' };
  const body = Buffer.concat([head([['content', 0, 'text']]), ...Array(40).fill(frame('x'.repeat(60_000))), end]);
  expect((await fetch(`${url}/api/call/tasks.add`, { method: 'POST', headers, body })).status).toBe(413);
});
