// Runs calls and measures their time, in a process of its own: starting a program copies the page tables of the process that starts it, which
// takes 3 ms with 100 MB of memory and less than 1 ms here. It reads `{cases, rounds, bare}` as JSON from standard input and writes
// `{times, failed}`: the milliseconds of each case in each round, and the exit code of a case that fails. It imports as little as possible.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { cases, rounds, bare } = JSON.parse(readFileSync(0, 'utf8'));
const times = Object.fromEntries([bare, ...cases].map(({ name }) => [name, []]));
const failed = {};
for (let round = -1; round < rounds; round++) {
  // No case always follows the same one: a synced write that follows `add-batch` waits until the disk has written the batch too.
  const order = shuffle(cases);
  // Bare Node is measured more often, because every ratio depends on it.
  for (const one of order.flatMap((each, i) => (i % 5 === 0 ? [each, bare] : [each]))) {
    if (one.name in failed) continue;
    const { ms, status } = run(one);
    if (status !== 0) failed[one.name] = `exit ${status}`;
    // The first round only warms the system caches.
    if (round >= 0) times[one.name].push(ms);
  }
}
process.stdout.write(JSON.stringify({ times, failed }));

function shuffle(list) {
  const shuffled = [...list];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [shuffled[i], shuffled[other]] = [shuffled[other], shuffled[i]];
  }
  return shuffled;
}

function run({ program, words, cwd, env }) {
  const began = process.hrtime.bigint();
  const { status } = spawnSync(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { ms: Number(process.hrtime.bigint() - began) / 1e6, status };
}
