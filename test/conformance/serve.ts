import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { serve } from '../../src/surfaces/http/serve.ts';
import { fixtureHandler } from './fixture.ts';

/** Serves the fixtures of the suite with our HTTP server for the project in this folder, until SIGTERM. */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const app = createApp(createPlatform(process.env, process.cwd(), '0.0.0-test'), { isServer: true });
await serve(app, {
  port: 0,
  mcp: fixtureHandler,
  stop: stop.signal,
  announce: ({ url }) => console.log(JSON.stringify({ listening: { url, mcp: `${url}/mcp` } })),
});
