import { createApp } from '../../src/main.ts';
import { createPlatform } from '../../src/platform/platform.ts';
import { serve } from '../../src/surfaces/http/serve.ts';
import { fixtureHandler } from './fixture.ts';

/** The suite's fixtures behind our own HTTP server, for the project in this folder, until it is told to stop. */
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const app = createApp(createPlatform(process.env, process.cwd(), '0.0.0-test'), { isServer: true });
await serve(app, {
  port: 0,
  mcp: fixtureHandler,
  stop: stop.signal,
  announce: ({ url }) => console.log(JSON.stringify({ listening: { url, mcp: `${url}/mcp` } })),
});
