// Measures `cleo mcp` as a client sees it: the start, the bytes of the listing and of a standard day, and a warm call. It writes
// raw lines, so that no client library is measured.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnv, median, toProgram } from './measure.mjs';

const clientInfo = { name: 'bench', version: '1' };
const openings = {
  initialize: { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  'server/discover': {
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
};

/** Measures the ratios of a start to bare Node, the bytes, and the median milliseconds of a warm `tasks.show`. */
export async function measureMcp(place, rounds) {
  return { starts: await measureStarts(place, rounds), ...(await measureSizes(place)), showMs: await measureShow(place, 50 * rounds) };
}

async function measureStarts(place, rounds) {
  const times = { node: [], initialize: [], 'server/discover': [] };
  for (let round = -1; round < rounds; round++) {
    const began = process.hrtime.bigint();
    await once(spawn(process.execPath, ['-e', '0'], { env: cleanEnv }), 'exit');
    const taken = { node: Number(process.hrtime.bigint() - began) / 1e6 };
    for (const [name, opening] of Object.entries(openings)) {
      const since = process.hrtime.bigint();
      const server = startServer(place);
      await server.ask(opening);
      taken[name] = Number(process.hrtime.bigint() - since) / 1e6;
      await server.close();
    }
    // The first round only warms the system caches.
    if (round >= 0) for (const name of Object.keys(times)) times[name].push(taken[name]);
  }
  return Object.fromEntries(Object.keys(openings).map((name) => [name, median(times[name]) / median(times.node)]));
}

/** The operations that an agent learns from the first help, without further help calls. */
const everyday = [
  ...['session.list', 'session.start', 'session.end', 'tasks.add', 'tasks.find', 'tasks.show', 'tasks.list', 'tasks.exists'],
  ...['tasks.start', 'tasks.complete', 'tasks.next', 'tasks.update', 'verify.gate', 'memory.observe'],
];

async function measureSizes(place) {
  const server = await openClient(place);
  const listing = await server.ask({ method: 'tools/list', params: {} });
  const help = await server.call('query', 'admin.help', {});
  const missing = everyday.filter((name) => !help.text.includes(`"${name} {`));
  if (missing.length > 0) throw new Error(`admin.help has no parameters of ${missing.join(', ')}`);
  const day = await measureStandardDay(server, place);
  await server.close();
  return {
    listBytes: bytes(JSON.stringify(listing.result)),
    helpBytes: bytes(help.text),
    learntBytes: bytes(JSON.stringify(listing.result)) + bytes(help.text),
    dayBytes: day,
  };
}

/** Counts the bytes sent and received for: list sessions, start, find, show, focus, complete with evidence, next, end. */
async function measureStandardDay(server, place) {
  let read = 0;
  const call = async (gateway, operation, params) => {
    const { sent, text, isError } = await server.call(gateway, operation, params);
    read += bytes(sent) + bytes(text);
    if (isError) throw new Error(`${operation}: ${text}`);
  };
  const { task } = JSON.parse(
    (
      await server.call('mutate', 'tasks.add', {
        title: 'Read the quokka file format',
        description: 'Sections and their lengths',
        acceptEvidence: ['implemented'],
      })
    ).text,
  );
  await call('query', 'session.list', {});
  await call('mutate', 'session.start', { scope: 'global', autoFocus: true, name: 'Quokka' });
  await call('query', 'tasks.find', { query: 'quokka file format' });
  await call('query', 'tasks.show', { taskId: task.id });
  await call('mutate', 'tasks.start', { taskId: task.id });
  writeFileSync(join(place.cwd, 'quokka.txt'), 'SECT\n');
  await call('mutate', 'verify.gate', { taskId: task.id, gate: 'implemented', evidence: 'files:quokka.txt' });
  await call('mutate', 'tasks.complete', { taskId: task.id });
  await call('query', 'tasks.next', {});
  await call('mutate', 'session.end', { note: 'The format is read; writing it is next' });
  return read;
}

async function measureShow(place, calls) {
  const server = await openClient(place);
  const times = [];
  for (let i = 0; i < calls + 50; i++) {
    const began = process.hrtime.bigint();
    await server.call('query', 'tasks.show', { taskId: 'T500' });
    if (i >= 50) times.push(Number(process.hrtime.bigint() - began) / 1e6);
  }
  await server.close();
  return median(times);
}

/** Starts a server and initializes it. */
export async function openClient(place) {
  const server = startServer(place);
  await server.ask(openings.initialize);
  server.notify({ method: 'notifications/initialized' });
  return server;
}

function startServer({ cleo, cwd, env }) {
  const child = spawn(...toProgram([cleo, 'mcp']), { cwd, env: { ...cleanEnv, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  let rest = '';
  let last = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const notify = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (message) =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      notify({ id, ...message });
    });
  const call = async (gateway, name, params) => {
    const [domain, ...operation] = name.split('.');
    const given = { domain, operation: operation.join('.'), params };
    const { result } = await ask({ method: 'tools/call', params: { name: `cleo_${gateway}`, arguments: given } });
    return { sent: JSON.stringify(given), text: result.content[0].text, isError: result.isError === true };
  };
  const close = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.stdin.end();
    });
  return { ask, notify, call, close };
}

const bytes = (text) => Buffer.byteLength(text);
