import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...clean } = process.env;
/** What a measured process inherits. NODE_EXTRA_CA_CERTS alone costs Node 20 a second start. */
export const cleanEnv = Object.fromEntries(Object.entries(clean).filter(([name]) => !name.startsWith('CLEO_')));

const bare = { name: 'node', argv: ['-e', '0'] };

/** Median milliseconds of each case (`{name, argv, cwd, env}`) and of bare Node, all interleaved; a case that fails is its exit code instead. */
export function medians(cases, rounds) {
  const times = new Map([bare, ...cases].map((one) => [one.name, []]));
  const failed = new Map();
  for (let round = -1; round < rounds; round++) {
    // Each round begins elsewhere: no case always comes behind the same one.
    const first = (Math.max(0, round) * 7) % cases.length;
    const order = [...cases.slice(first), ...cases.slice(0, first)];
    // Every ratio is to bare Node, which is therefore measured more often than the rest.
    for (const one of order.flatMap((each, i) => (i % 5 === 0 ? [each, bare] : [each]))) {
      if (failed.has(one.name)) continue;
      const { ms, status } = run(one);
      if (status !== 0) failed.set(one.name, `exit ${status}`);
      // The first round only warms the caches of the system.
      if (round >= 0) times.get(one.name).push(ms);
    }
  }
  return new Map([...times].map(([name, list]) => [name, failed.get(name) ?? median(list)]));
}

function run({ argv, cwd, env }) {
  const began = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, argv, { cwd, env: { ...cleanEnv, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  return { ms: Number(process.hrtime.bigint() - began) / 1e6, status };
}

/** Largest memory of the process in megabytes, or its exit code. */
export function peakMemory({ argv, cwd, env }) {
  const { status, output } = spawnSync(
    process.execPath,
    ['--require', fileURLToPath(new URL('peak-memory.cjs', import.meta.url)), ...argv],
    {
      cwd,
      env: { ...cleanEnv, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  return status === 0 ? Number(output[3]) / 1024 : `exit ${status}`;
}

export function median(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
