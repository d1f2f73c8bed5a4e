import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Operation } from '../src/core/define.ts';
import type { App } from '../src/dispatch/dispatch.ts';
import { createApp } from '../src/main.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { createHttpApp } from '../src/surfaces/http/app.ts';
import { getPath } from '../src/surfaces/http/openapi.ts';
import { type ServeOptions, serve } from '../src/surfaces/http/serve.ts';
import { createMcpEndpoint } from '../src/surfaces/mcp/http.ts';
import { type AppOptions, asPerson, type Json, openApp, type TestApp } from './app.ts';
import { guardApp } from './fixes/guard.ts';
import { needsPerson } from './person-token.ts';

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
}

export interface TestServer {
  app: TestApp;
  url: string;
  port: number;
  /** The headers of the web page that this server opened. */
  pageHeaders: Record<string, string>;
  /** `path` is `query/tasks/show` or similar. */
  post(path: string, params?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** Sends the bytes of a request; returns everything received until the server closes the connection or `enough` matches. */
  sendRaw(request: string | Uint8Array[], enough?: RegExp): Promise<string>;
  createToken(scope: string, name?: string): Promise<string>;
  stop(): Promise<void>;
  /** Settles when the server has closed. */
  closed: Promise<void>;
}

/** Creates an app for many callers, as `cleo serve` does. */
export function createServerApp(app: TestApp): App {
  const platform = createPlatform(app.env, app.root, '0.0.0-test');
  const created = createApp(
    { ...platform, caller: { agent: 'http' }, identity: { kind: 'shared', agent: 'http' }, grade: { isEnabled: false, id: undefined } },
    { isServer: true },
  );
  return guardApp(created, () => ({ env: { ...app.env, CLEO_AGENT_ID: 'http' }, folder: app.root }));
}

/** Starts a server on a free port. It is closed when the test ends. */
export async function openServer(
  options: AppOptions = {},
  more: Partial<ServeOptions> & { prepare?: (app: TestApp) => Promise<unknown> } = {},
): Promise<TestServer> {
  const app = await openApp(options);
  await more.prepare?.(app);
  return startServer(app, more);
}

/** Starts a server for a project that is open already, such as a second one. It is closed when the test ends. */
export async function startServer(app: TestApp, more: Partial<ServeOptions> = {}): Promise<TestServer> {
  const controller = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  const { url, port, page } = await new Promise<{ url: string; port: number; page: string }>((announce, refuse) => {
    ended = serve(createServerApp(app), { port: 0, mcp: createMcpEndpoint, stop: controller.signal, announce, ...more });
    ended.catch(refuse);
  });
  const stop = (): Promise<void> => {
    controller.abort();
    return ended;
  };
  onTestFinished(stop);
  const send = async (path: string, init: RequestInit): Promise<HttpAnswer> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
  return {
    app,
    url,
    port,
    pageHeaders: { origin: url, 'sec-fetch-site': 'same-origin', 'cleo-page-secret': page.split('#secret=')[1] ?? '' },
    post: (path, params = {}, headers = {}) =>
      send(`/api/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof params === 'string' ? params : JSON.stringify(params),
      }),
    get: (path, headers = {}) => send(path, { headers }),
    sendRaw: (request, enough) => sendRaw(port, typeof request === 'string' ? [Buffer.from(request)] : request, enough),
    async createToken(scope, name = scope) {
      return (await app.call('admin.token.create', { name, scope }, asPerson)).secret;
    },
    stop,
    closed: ended,
  };
}

function sendRaw(port: number, parts: Uint8Array[], enough?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    let seen = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      seen += text;
      if (enough?.test(seen)) socket.destroy();
    });
    socket.on('close', () => resolve(seen));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      // The server may close the connection while we write.
      ['ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? resolve(seen) : reject(error),
    );
  });
}

/** Calls an operation through the HTTP surface without a socket, with all permissions. */
export async function callOverHttp(
  app: TestApp,
  operation: Operation,
  params: Record<string, unknown>,
): Promise<{ envelope: Json; exitCode: number }> {
  const shared = createServerApp(app);
  const isPerson = needsPerson(operation);
  onTestFinished(() => shared.closeStores());
  const routes = createHttpApp(shared, {
    bound: '127.0.0.1',
    hosts: [],
    origins: [],
    requireToken: false,
    callsPerMinute: 0,
    anonymous: isPerson ? asPerson.token : { name: 'http', scope: 'admin' },
  });
  const response = await routes.request(`http://localhost${getPath(operation)}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      host: 'localhost',
      ...(isPerson ? {} : { 'cleo-agent': app.env.CLEO_AGENT_ID ?? '' }),
    },
    body: JSON.stringify(params),
  });
  const envelope: Json = JSON.parse(await response.text());
  const exitCode = envelope._meta.exitCode ?? 0;
  const { error } = envelope;
  if (error ? response.status < 400 : response.status !== 200) throw new Error(`status ${response.status} of exit ${exitCode}`);
  return { envelope, exitCode };
}

export const createBearerHeader = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });
