import { PassThrough } from 'node:stream';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { openApp } from '../../../test/app.ts';
import { createMcpApp } from '../../../test/mcp-surfaces.ts';
import { answerFirstMessage, createFirstAnswer, discoveredRevision, initializedRevisions } from './first-answer.ts';
import { serveClient } from './stdio.ts';

const clientInfo = {
  name: 'claude-code',
  title: 'Claude Code',
  version: '2.1',
  websiteUrl: 'https://example.org',
  description: 'An "agent" ü',
};
const capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } };

const initialize = (protocolVersion: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities, clientInfo, ...more },
});

const discover = (revision: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 'a"b',
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...more,
    },
  },
});

/** Sends `text` to a server that is started as `cleo mcp` starts it, or without a first answer, and returns what it writes. */
async function serve(text: string, { isAnsweredFirst }: { isAnsweredFirst: boolean }): Promise<string> {
  const app = createMcpApp(await openApp(), true);
  const [input, output, stop] = [new PassThrough(), new PassThrough(), new AbortController()];
  onTestFinished(() => stop.abort());
  let written = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
  });
  input.end(text);
  const { version } = app.platform;
  const opening = isAnsweredFirst ? await answerFirstMessage(input, stop.signal, version, (answer) => output.write(answer)) : {};
  await serveClient(app, {
    input,
    output,
    stop: stop.signal,
    opening,
    report: () => {},
    renew: async () => undefined,
    releaseConnections: async () => {},
    markAway: async () => {},
    renewEveryMs: 60_000,
  });
  return written;
}

const ordinary = [
  ...initializedRevisions.map((revision) => initialize(revision)),
  initialize('2025-11-25', { capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
  initialize('2025-11-25', { capabilities: { roots: {}, elicitation: {} } }),
  discover(discoveredRevision),
];

for (const message of ordinary)
  test(`answers ${JSON.stringify(message).slice(0, 110)} as the SDK does`, async () => {
    const line = JSON.stringify(message);
    const answer = createFirstAnswer(line, '0.0.0-test')?.text;
    expect(answer).toContain('"name":"cleo"');
    expect(await serve(`${line}\n`, { isAnsweredFirst: false })).toBe(answer);
  });

test('knows every revision that the SDK supports', () => {
  // The first revision, of 2024-10-07, was a draft.
  expect(initializedRevisions.toSorted()).toEqual(SUPPORTED_PROTOCOL_VERSIONS.filter((revision) => revision > '2024-11').toSorted());
});

const others: [string, object][] = [
  ['another request', { jsonrpc: '2.0', id: 0, method: 'ping', params: {} }],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['a request without params', { jsonrpc: '2.0', id: 0, method: 'initialize' }],
  ['another version of JSON-RPC', { ...initialize('2025-11-25'), jsonrpc: '1.0' }],
  ['an id that is no request id', { ...initialize('2025-11-25'), id: 1.5 }],
  ['an unknown key', { ...initialize('2025-11-25'), more: 1 }],
  ['an unknown revision', initialize('2031-01-01')],
  ['a revision that is not text', initialize(20251125)],
  ['params with metadata', initialize('2025-11-25', { _meta: { progressToken: 1 } })],
  ['a client without a version', initialize('2025-11-25', { clientInfo: { name: 'a' } })],
  ['a client with icons', initialize('2025-11-25', { clientInfo: { ...clientInfo, icons: [] } })],
  ['unknown capabilities', initialize('2025-11-25', { capabilities: { tasks: {} } })],
  ['capabilities of another form', initialize('2025-11-25', { capabilities: { roots: { listChanged: 'yes' } } })],
  ['capabilities that are a list', initialize('2025-11-25', { capabilities: [] })],
  ['an older revision of discover', discover('2025-11-25')],
  ['further metadata', discover(discoveredRevision, { 'io.modelcontextprotocol/logLevel': 'debug' })],
];

for (const [what, message] of others)
  test(`leaves ${what} to the SDK`, () => {
    expect(createFirstAnswer(JSON.stringify(message), '1')).toBeUndefined();
  });

test('leaves names of the prototype of an object to the SDK', () => {
  for (const name of ['__proto__', 'constructor', 'toString']) {
    const line = JSON.stringify(initialize('2025-11-25')).replace('"roots"', `"${name}":{},"roots"`);
    expect(createFirstAnswer(line, '1')).toBeUndefined();
  }
});

test('answers each message once, whoever answers the first one', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: discover(discoveredRevision).params };
  const conversations = [
    [discover(discoveredRevision), list],
    [initialize('2025-11-25'), { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...list, id: 0, params: {} }],
    [{ jsonrpc: '2.0', id: 5, method: 'ping' }, initialize('2025-11-25')],
  ];
  for (const messages of [...conversations.map((all) => all.map((one) => JSON.stringify(one))), ['no JSON'], []]) {
    const text = messages.map((message) => `${message}\n`).join('');
    const written = await serve(text, { isAnsweredFirst: true });
    expect(written).toBe(await serve(text, { isAnsweredFirst: false }));
  }
});
