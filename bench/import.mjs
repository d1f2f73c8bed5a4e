// Measures importing a large project of another tool: `node bench/import.mjs [dist] [issues]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeIssues } from './import-issues.mjs';
import { cleanEnv } from './measure.mjs';

const preload = fileURLToPath(new URL('peak-memory.cjs', import.meta.url));

/** Limits for a number of issues. Time and memory grow with the file; a start of Node and the database take the rest. */
const limits = {
  // A short import is mostly code that has not been optimized yet, so its limit is not a tenth of the longest one.
  6000: { seconds: 3, megabytes: 150 },
  10000: { seconds: 3 },
  60000: { seconds: 20, megabytes: 280 },
};

export function measureImport(cleo, isQuick = false) {
  return (isQuick ? [6000] : [10_000, 60_000]).flatMap((count) => measureIssues(cleo, count));
}

function measureIssues(cleo, count) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-import-'));
  const run = (...argv) => {
    const { status, stdout, output } = spawnSync(process.execPath, ['--require', preload, cleo, ...argv, '--json'], {
      cwd: folder,
      env: { ...cleanEnv, CLEO_HOME: join(folder, 'home') },
      maxBuffer: 1 << 26,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const [kilobytes, cpuMs] = String(output[3]).split(' ').map(Number);
    return { status, answer: JSON.parse(String(stdout)), seconds: cpuMs / 1000, megabytes: kilobytes / 1024 };
  };
  try {
    writeIssues(join(folder, 'issues.jsonl'), count);
    run('init');
    const first = run('import', '--from', 'beads', 'issues.jsonl');
    const again = run('import', '--from', 'beads', 'issues.jsonl');
    if (first.answer.imported !== count || again.answer.unchanged !== count) throw new Error(JSON.stringify(first.answer).slice(0, 300));
    const { seconds, megabytes } = limits[count] ?? limits[60_000];
    const name = `import of ${count.toLocaleString('en')} issues`;
    const rows = Object.entries({ [name]: first, [`${name} again`]: again });
    return rows.flatMap(([what, figure]) => [
      [`${what}, CPU`, figure.seconds, seconds, 's'],
      ...(megabytes ? [[`${what}, peak memory`, figure.megabytes, megabytes, 'MB']] : []),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  const rows = process.argv[3] ? measureIssues(cleo, Number(process.argv[3])) : measureImport(cleo);
  for (const [what, figure, limit, unit] of rows) process.stdout.write(`${what}: ${figure.toFixed(1)} ${unit} (≤ ${limit})\n`);
}
