// `npm test`: the index, then types, lint and build, then every test; the first step that fails ends it.
// `--faults` runs the long forms of test/faults instead. Other arguments are vitest's (`npm test -- -u`).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const given = process.argv.slice(2);
const isLong = given.includes('--faults');
const forVitest = given.filter((word) => word !== '--faults');

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = (script, ...args) => [process.execPath, join(root, 'scripts', script), ...args];
const index = { name: 'index', command: node('index.mjs') };
const build = { name: 'build', command: node('build.mjs') };
const longForms = ['test/faults', 'test/engines', 'test/scenarios/properties'];
const steps = isLong
  ? [
      index,
      build,
      {
        name: 'faults',
        // The engines compared with each other belong to PostgreSQL's project, which starts the server.
        command: [
          bin('vitest'),
          'run',
          '--project',
          'damage',
          '--project',
          'faults',
          '--project',
          'postgres',
          ...(forVitest.length ? forVitest : longForms),
        ],
        env: { CLEO_FAULTS: 'full' },
      },
    ]
  : [
      index,
      { name: 'types', command: [bin('tsc'), '--noEmit'] },
      { name: 'lint', command: [bin('biome'), 'check', '.'] },
      build,
      { name: 'tests', command: [bin('vitest'), 'run', ...forVitest] },
    ];

for (const { name, command, env } of steps) {
  process.stdout.write(`> ${name}\n`);
  const [file, ...args] = command;
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status === 0) continue;
  // Vitest's own summary stays the last line.
  if (name !== 'tests' && name !== 'faults') process.stderr.write(`failed: ${name}${error ? ` (${error.message})` : ''}\n`);
  process.exit(status ?? 1);
}
