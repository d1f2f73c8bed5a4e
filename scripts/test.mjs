// `npm test`: index; types, lint and build at the same time; then all tests. It stops at the first step that fails.
// `--faults` runs the long fault tests instead, `--fixes` follows the fix of every error that any test provokes. Other arguments are
// passed to vitest (`npm test -- -u`, `npm run test:fixes -- --project sqlite`). CLEO_FIXES_REPORT names a file for the fixes that were
// followed, to which runs append.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const isLong = words.includes('--faults');
const isAboutFixes = words.includes('--fixes');
const vitestArguments = words.filter((word) => word !== '--faults' && word !== '--fixes');
const scratch = isAboutFixes ? mkdtempSync(join(tmpdir(), 'cleo-fixes-')) : '';
const report = process.env.CLEO_FIXES_REPORT ?? join(scratch, 'report.jsonl');

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = (script, ...args) => [process.execPath, join(root, 'scripts', script), ...args];
const index = { name: 'index', command: node('index.mjs') };
const build = { name: 'build', command: node('build.mjs') };
const longTests = ['test/faults', 'test/engines', 'test/scenarios/properties', 'test/scenarios/rank-histories'];
// PostgreSQL and the tests with many processes are left out: a copy of their store would not be consistent.
const fixProjects = ['rules', 'sqlite', 'surfaces', 'damage'];
const fixSteps = [
  index,
  build,
  {
    name: 'fixes',
    command: [
      bin('vitest'),
      'run',
      ...(vitestArguments.includes('--project') ? [] : fixProjects.flatMap((project) => ['--project', project])),
      ...vitestArguments,
    ],
    env: { CLEO_FIXES: 'full', CLEO_FIXES_REPORT: report },
  },
];
const steps = isAboutFixes
  ? fixSteps
  : isLong
    ? [
        index,
        build,
        {
          name: 'faults',
          // Tests that compare the engines are in the `postgres` project, which starts the server.
          command: [
            bin('vitest'),
            'run',
            '--project',
            'damage',
            '--project',
            'faults',
            '--project',
            'postgres',
            ...(vitestArguments.length ? vitestArguments : longTests),
          ],
          env: { CLEO_FAULTS: 'full' },
        },
      ]
    : [
        index,
        [
          { name: 'types', command: [bin('tsc'), '--noEmit'] },
          { name: 'types of the page', command: [bin('tsc'), '--noEmit', '-p', 'web'] },
          { name: 'lint', command: [bin('biome'), 'check', '.'] },
          build,
        ],
        { name: 'tests', command: [bin('vitest'), 'run', ...vitestArguments] },
      ];

/** Prints how many errors were followed and how they ended. */
function printFixes() {
  const trails = existsSync(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  const fixes = trails.filter(({ isFix }) => isFix);
  const count = (isEnd) => trails.filter(({ end, isDeadEnd }) => !isDeadEnd && isEnd(end)).length;
  const ends = {
    'led out': count((end) => end === 'done' || end.startsWith('instead') || end === 'corrected call'),
    'shown what to choose from': count((end) => /^(guide|list|read|preview|alternative|process)/.test(end)),
    'work, input, a person, or later': count((end) => /^(work|input|manual|later)/.test(end)),
    'dead ends': trails.filter(({ isDeadEnd }) => isDeadEnd).length,
  };
  const total = `${fixes.length} errors, ${trails.length} fixes and alternatives followed`;
  process.stdout.write(
    `${total}: ${Object.entries(ends)
      .map(([name, n]) => `${n} ${name}`)
      .join(', ')}\n`,
  );
  rmSync(scratch, { recursive: true, force: true });
}

/** Runs a step and returns its exit code. */
function runStep({ name, command: [file, ...args], env }) {
  process.stdout.write(`> ${name}\n`);
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (name === 'fixes') printFixes();
  // Vitest prints its own summary last.
  if (status !== 0 && !['tests', 'faults', 'fixes'].includes(name)) reportFailure(name, error);
  return status ?? 1;
}

/** Runs a step next to others: what it prints follows its name when it ends. */
function runNextToOthers({ name, command: [file, ...args] }) {
  return new Promise((done) => {
    const output = [];
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    const end = (status, error) => {
      process.stdout.write(`> ${name}\n${Buffer.concat(output)}`);
      if (status !== 0) reportFailure(name, error);
      done(status ?? 1);
    };
    child.once('error', (error) => end(1, error));
    child.once('close', (status) => end(status));
  });
}

const reportFailure = (name, error) => process.stderr.write(`failed: ${name}${error ? ` (${error.message})` : ''}\n`);

for (const step of steps) {
  const statuses = Array.isArray(step) ? await Promise.all(step.map(runNextToOthers)) : [runStep(step)];
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) process.exit(failed);
}
