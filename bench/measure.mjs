import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...clean } = process.env;
/** The environment of measured processes. NODE_EXTRA_CA_CERTS alone doubles the start time of Node 20. */
export const cleanEnv = Object.fromEntries(Object.entries(clean).filter(([name]) => !name.startsWith('CLEO_')));

const bare = { name: 'node', argv: ['-e', '0'] };

/** Returns the program and its words: a script and flags are for Node, another file is an executable. */
export const toProgram = ([first, ...rest]) =>
  first.startsWith('-') || /\.[cm]?js$/.test(first) ? [process.execPath, [first, ...rest]] : [first, rest];

/** Measures the median milliseconds of each case (`{name, argv, cwd, env}`) and of bare Node, interleaved. The result of a case that
 *  fails is its exit code. */
export function measureMedians(cases, rounds) {
  const times = new Map([bare, ...cases].map((one) => [one.name, []]));
  const failed = new Map();
  for (let round = -1; round < rounds; round++) {
    // No case always follows the same one: a synced write that follows `add-batch` waits until the disk has written the batch too.
    const order = shuffle(cases);
    // Bare Node is measured more often, because every ratio depends on it.
    for (const one of order.flatMap((each, i) => (i % 5 === 0 ? [each, bare] : [each]))) {
      if (failed.has(one.name)) continue;
      const { ms, status } = run(one);
      if (status !== 0) failed.set(one.name, `exit ${status}`);
      // The first round only warms the system caches.
      if (round >= 0) times.get(one.name).push(ms);
    }
  }
  return new Map([...times].map(([name, list]) => [name, failed.get(name) ?? median(list)]));
}

function shuffle(list) {
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [shuffled[i], shuffled[other]] = [shuffled[other], shuffled[i]];
  }
  return shuffled;
}

function run({ argv, cwd, env }) {
  const began = process.hrtime.bigint();
  const { status } = spawnSync(...toProgram(argv), { cwd, env: { ...cleanEnv, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  return { ms: Number(process.hrtime.bigint() - began) / 1e6, status };
}

/** Measures the peak memory of a process in megabytes. Returns the exit code if it fails. */
export function measurePeakMemory({ argv, cwd, env }) {
  const preload = fileURLToPath(new URL('peak-memory.cjs', import.meta.url));
  const [program, words] = toProgram(argv);
  const { status, output } = spawnSync(program, program === process.execPath ? ['--require', preload, ...words] : words, {
    cwd,
    env: { ...cleanEnv, BUN_OPTIONS: `--preload=${preload}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return status === 0 ? Number.parseInt(output[3], 10) / 1024 : `exit ${status}`;
}

export function median(list) {
  const sorted = list.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
