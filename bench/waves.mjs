// Measures planning a large project in a warm MCP server, with an answer of a megabyte: `node bench/waves.mjs [dist]`, or as part
// of `npm run bench`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openClient } from './mcp.mjs';
import { median } from './measure.mjs';
import { openPlan } from './stores.mjs';

const tasks = 10_000;
const each = 3;

export async function measureWaves(cleo, rounds) {
  const { folder, root } = await openPlan(tasks, each);
  const server = await openClient({ cleo, cwd: folder, env: { CLEO_HOME: join(folder, 'home') } });
  const rows = [];
  for (const operation of ['waves', 'analyze', 'ready', 'report', 'status']) {
    const params = operation === 'report' ? { taskId: root } : { epicId: root };
    const times = [];
    for (let round = -3; round < rounds; round++) {
      const began = process.hrtime.bigint();
      const { text } = await server.call('query', `orchestrate.${operation}`, params);
      if (round >= 0) times.push(Number(process.hrtime.bigint() - began) / 1e6);
      const answer = JSON.parse(text);
      const planned = answer.waves?.reduce((all, wave) => all + wave.tasks.length, 0) ?? tasks;
      if (answer.error || planned !== tasks) throw new Error(text.slice(0, 200));
    }
    rows.push([`warm orchestrate.${operation} of ${tasks} tasks, ${tasks * each} depends`, median(times), 250, 'ms']);
  }
  await server.close();
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of await measureWaves(cleo, 20))
    process.stdout.write(`${what}: ${figure.toFixed(1)} ${unit} (≤ ${limit})\n`);
}
