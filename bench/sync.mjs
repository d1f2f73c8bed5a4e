// Measures `cleo sync` at 10,000 tasks: `node bench/sync.mjs [dist]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv, median } from './measure.mjs';
import { openProjects } from './stores.mjs';

const tasks = 10_000;
const changedFiles = 10;
/** Exit code of a call that changes nothing. */
const unchanged = 102;

/** Measures the first sync, one without changes, and one after other clones changed ten files, as `git pull` does. */
export async function measureSync(cleo, rounds) {
  const { folder, projects, remove } = await openProjects({ sync: [tasks, 2000] });
  const run = (argv, expected) => {
    const began = process.hrtime.bigint();
    const options = { cwd: projects.sync, env: { ...cleanEnv, CLEO_HOME: join(folder, 'home') }, encoding: 'utf8' };
    const { status, stdout } = spawnSync(process.execPath, argv, options);
    if (status !== expected) throw new Error(`${argv.join(' ')}: exit ${status} ${stdout.slice(0, 500)}`);
    return Number(process.hrtime.bigint() - began) / 1e6;
  };
  try {
    const firstMs = run([cleo, 'sync'], 0);
    run([cleo, 'sync'], unchanged);
    const times = { node: [], unchanged: [], changed: [] };
    for (let round = 0; round < rounds; round++) {
      times.node.push(run(['-e', '0'], 0));
      times.unchanged.push(run([cleo, 'sync'], unchanged));
      changeTitles(join(projects.sync, '.cleo', 'plan', 'tasks'), round);
      times.changed.push(run([cleo, 'sync'], 0));
      times.node.push(run(['-e', '0'], 0));
    }
    const ratio = (name) => median(times[name]) / median(times.node);
    const at = `at ${tasks.toLocaleString('en')} tasks`;
    return [
      [`first sync ${at}`, firstMs / 1000, 10, 's'],
      [`sync without changes ${at}`, ratio('unchanged'), 5, '×'],
      [`sync of ${changedFiles} changed files ${at}`, ratio('changed'), 8, '×'],
    ];
  } finally {
    remove();
  }
}

/** Writes later titles of another clone into some files. */
function changeTitles(plan, round) {
  const names = readdirSync(plan).sort();
  for (let i = 0; i < changedFiles; i++) {
    const file = join(plan, names[i * Math.floor(names.length / changedFiles)]);
    const stamp = `2099-01-01T00:00:00.000Z.${round.toString(16).padStart(4, '0')}.feedfeedfeedfeed`;
    const line = `{"value": "Title ${i} of round ${round}", "stamp": "${stamp}"}`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(?<="title": \[\n\s+)\{.*\}/, line));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of await measureSync(cleo, 7))
    process.stdout.write(`${what}: ${figure.toFixed(2)} ${unit} (≤ ${limit})\n`);
}
