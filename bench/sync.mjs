// Measures `cleo sync` at 10,000 tasks: `node bench/sync.mjs [dist]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv, median } from './measure.mjs';
import { openProjects } from './stores.mjs';

const tasks = 10_000;
const changedFiles = 10;
/** Exit code of a call that changes nothing. */
const unchanged = 102;

/** Measures the first sync, one without changes, one after other clones changed ten files, as `git pull` does, and a commit of another file
 *  with the hooks of `setup git`. */
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
    const commits = measureCommits(cleo, projects.sync, folder, rounds);
    const ratio = (name) => median(times[name]) / median(times.node);
    const at = `at ${tasks.toLocaleString('en')} tasks`;
    return [
      [`first sync ${at}`, firstMs / 1000, 10, 's'],
      [`sync without changes ${at}`, ratio('unchanged'), 5, '×'],
      [`sync of ${changedFiles} changed files ${at}`, ratio('changed'), 8, '×'],
      [
        `added by the hooks to git commit (${formatMs(commits.plain)} without, ${formatMs(commits.hooked)} with them) ${at}`,
        (median(commits.hooked) - median(commits.plain)) / median(times.node),
        5,
        '×',
      ],
    ];
  } finally {
    remove();
  }
}

const formatMs = (list) => `${Math.round(median(list))} ms`;

/** Commits one file again and again, in turn with and without the hooks. */
function measureCommits(cleo, project, folder, rounds) {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'cleo'), `#!/bin/sh\nexec "${process.execPath}" "${cleo}" "$@"\n`);
  chmodSync(join(bin, 'cleo'), 0o755);
  const people = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.org' };
  const env = {
    ...cleanEnv,
    ...people,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    CLEO_HOME: join(folder, 'home'),
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const run = (program, ...words) => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: project, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${words.join(' ')}: exit ${status} ${stdout}${stderr}`);
  };
  run('git', 'init', '-q');
  // A collection in the background would still write when the folder is removed.
  run('git', 'config', 'gc.auto', '0');
  run('git', 'config', 'maintenance.auto', 'false');
  run('cleo', 'setup', 'git', '--yes');
  run('git', 'add', '--all');
  run('git', 'commit', '-qm', 'plan');
  const times = { plain: [], hooked: [] };
  for (let round = 0; round < 2 * rounds; round++)
    for (const [name, options] of [
      ['plain', ['-c', 'core.hooksPath=/dev/null']],
      ['hooked', []],
    ]) {
      writeFileSync(join(project, 'file.txt'), `${name} ${round}`);
      run('git', 'add', 'file.txt');
      const began = process.hrtime.bigint();
      run('git', ...options, 'commit', '-qm', name);
      times[name].push(Number(process.hrtime.bigint() - began) / 1e6);
    }
  return times;
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
