// Measures the overhead of running a skill with its gates: `node bench/skills.mjs [dist]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv, measureMedians } from './measure.mjs';
import { recordTrust } from './stores.mjs';

const files = 20_000;

export async function measureSkills(cleo, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-skills-'));
  try {
    const env = { CLEO_HOME: join(folder, 'home') };
    const places = { small: createProject(join(folder, 'small'), cleo, env), large: createProject(join(folder, 'large'), cleo, env) };
    for (let n = 0; n < files; n++) {
      if (n % 200 === 0) mkdirSync(join(places.large, 'src', String(n / 200)), { recursive: true });
      writeFileSync(join(places.large, 'src', String(Math.floor(n / 200)), `${n}.ts`), '');
    }
    for (const project of Object.values(places)) await recordTrust(project, env.CLEO_HOME);
    const cases = Object.entries(places).map(([name, cwd]) => ({ name, argv: [cleo, 'skill', 'run', 'yes'], cwd, env }));
    const ms = measureMedians(cases, rounds);
    const figure = (work) => ([...ms.values()].find((one) => typeof one === 'string') ? String(ms.get('small')) : work());
    return [
      ['skill run of a skill that does nothing', figure(() => ms.get('small') / ms.get('node')), 3, '×'],
      // A run scans the tree twice, before and after.
      [`scanning a tree of ${files.toLocaleString('en')} files`, figure(() => (ms.get('large') - ms.get('small')) / 2), 1000, 'ms'],
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function createProject(folder, cleo, env) {
  mkdirSync(join(folder, 'skills', 'yes'), { recursive: true });
  writeFileSync(join(folder, 'skills', 'yes', 'run'), '#!/bin/sh\nexec true\n', { mode: 0o755 });
  const { status } = spawnSync(process.execPath, [cleo, 'init'], { cwd: folder, env: { ...cleanEnv, ...env } });
  if (status !== 0) throw new Error(`cleo init exited with ${status}`);
  return folder;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of await measureSkills(cleo, 15))
    process.stdout.write(`${what}: ${typeof figure === 'number' ? figure.toFixed(2) : figure} ${unit} (≤ ${limit})\n`);
}
