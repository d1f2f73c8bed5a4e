import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openServer } from './http-server.ts';

test('accepts a body that takes long because it is long', async () => {
  const { port } = await openServer({}, { headersTimeoutMs: 300, requestTimeoutMs: 600 });
  const headers = { 'content-type': 'application/json', host: `localhost:${port}` };
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/api/query/tasks/list', headers });
  const answered = once(sent, 'response');
  sent.write('{');
  for (let i = 0; i < 20; i++) {
    await sleep(100);
    sent.write(' '.repeat(40_000));
  }
  sent.end('}');
  const [{ statusCode }] = await answered;
  expect(statusCode).toBe(200);
});
