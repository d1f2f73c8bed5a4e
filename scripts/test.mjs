// `npm test`: index, types, lint, build, then all tests. It stops at the first step that fails.
// `--faults` runs the long fault tests instead. Other arguments are passed to vitest (`npm test -- -u`).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const isLong = words.includes('--faults');
const vitestArguments = words.filter((word) => word !== '--faults');

const bin = (name) => join(root, 'node_modules', '.bin', name);
const node = (script, ...args) => [process.execPath, join(root, 'scripts', script), ...args];
const index = { name: 'index', command: node('index.mjs') };
const build = { name: 'build', command: node('build.mjs') };
const longTests = ['test/faults', 'test/engines', 'test/scenarios/properties'];
const steps = isLong
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
      { name: 'types', command: [bin('tsc'), '--noEmit'] },
      { name: 'lint', command: [bin('biome'), 'check', '.'] },
      build,
      { name: 'tests', command: [bin('vitest'), 'run', ...vitestArguments] },
    ];

for (const { name, command, env } of steps) {
  process.stdout.write(`> ${name}\n`);
  const [file, ...args] = command;
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status === 0) continue;
  // Vitest prints its own summary last.
  if (name !== 'tests' && name !== 'faults') process.stderr.write(`failed: ${name}${error ? ` (${error.message})` : ''}\n`);
  process.exit(status ?? 1);
}
