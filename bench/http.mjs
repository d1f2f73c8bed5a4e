// Measures `cleo serve`: the time of a warm call, and the calls of 64 concurrent clients, reads and writes, without an error.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { cleanEnv, median } from './measure.mjs';

const clients = 64;

/** Measures the median milliseconds of a warm `tasks.show`, and the milliseconds per call and failed calls of 64 concurrent clients. */
export async function measureHttp({ cleo, cwd, folder }, rounds) {
  // Only a person may change the configuration of a project, so the limit is set in the user's own.
  const home = join(folder, 'home-without-limit');
  mkdirSync(home);
  writeFileSync(join(home, 'config.json'), JSON.stringify({ serve: { callsPerMinute: 0 } }));
  const server = await startServer({ cleo, cwd, env: { CLEO_HOME: home } });
  try {
    return { showMs: await measureShow(server, 50 * rounds), ...(await measureClients(server, 4 * rounds)) };
  } finally {
    await server.close();
  }
}

async function measureShow({ port }, calls) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  for (let i = 0; i < calls + 200; i++) {
    const began = process.hrtime.bigint();
    await post(port, agent, 'query/tasks/show', { taskId: 'T500' });
    if (i >= 200) times.push(Number(process.hrtime.bigint() - began) / 1e6);
  }
  agent.destroy();
  return median(times);
}

/** Runs all clients at once. Each makes one call after another; every fourth is a write. */
async function measureClients({ port }, callsEach) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let failed = 0;
  const began = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let i = 0; i < callsEach; i++) {
        const status = await (i % 4 === 3
          ? post(port, agent, 'mutate/tasks/update', { taskId: `T${100 + client}`, description: `Round ${i}` })
          : post(port, agent, 'query/tasks/show', { taskId: `T${100 + client}` }));
        if (status !== 200) failed++;
      }
    }),
  );
  agent.destroy();
  return { callMs: Number(process.hrtime.bigint() - began) / 1e6 / (clients * callsEach), failed };
}

async function startServer({ cleo, cwd, env }) {
  const child = spawn(process.execPath, [cleo, 'serve', '--port', '0'], {
    cwd,
    env: { ...cleanEnv, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return {
    port: JSON.parse(line).listening.port,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** Posts a call and returns the status after reading the whole answer. */
const post = (port, agent, path, params) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(params);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port, agent, method: 'POST', path: `/api/${path}`, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    sent.once('error', reject);
    sent.end(body);
  });
