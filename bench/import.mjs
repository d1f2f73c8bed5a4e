// Measures importing a large project of another tool: `node bench/import.mjs [dist]`, or as part of `npm run bench`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnv } from './measure.mjs';

const epics = 500;
const each = 19;
const tasks = epics * (each + 1);

/** Creates issues of beads: epics with issues that depend on each other, some related, some with comments. */
function createIssues() {
  const at = '2026-03-02T09:15:00.482913+01:00';
  const words = 'parse report token grammar column cache reader writer frame stream index query plan wave label'.split(' ');
  const text = (from, length) => Array.from({ length }, (_, i) => words[(from * 7 + i * i) % words.length]).join(' ');
  return Array.from({ length: tasks }, (_, n) => {
    const [epic, place] = [Math.floor(n / (each + 1)), n % (each + 1)];
    const id = place === 0 ? `bd-${epic}` : `bd-${epic}.${place}`;
    const link = (on, type) => ({ issue_id: id, depends_on_id: on, type, created_at: at, created_by: 'ada' });
    const isDone = place % 4 === 1;
    return JSON.stringify({
      id,
      title: text(n, 6),
      description: text(n, 60),
      status: isDone ? 'closed' : 'open',
      priority: n % 4,
      issue_type: place === 0 ? 'epic' : 'task',
      created_at: at,
      updated_at: at,
      ...(isDone ? { closed_at: at } : {}),
      dependencies: [
        ...(place > 0 ? [link(`bd-${epic}`, 'parent-child')] : []),
        ...(place > 1 ? [link(`bd-${epic}.${place - 1}`, 'blocks')] : []),
        ...(place % 5 === 1 && epic > 0 ? [link(`bd-${epic - 1}.${place}`, 'related')] : []),
      ],
      ...(place % 3 === 0 ? { comments: [{ id: 1, author: 'grace', text: text(n, 12), created_at: at }] } : {}),
    });
  }).join('\n');
}

export function measureImport(cleo) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-bench-import-'));
  const run = (...argv) => {
    const began = process.hrtime.bigint();
    const options = { cwd: folder, env: { ...cleanEnv, CLEO_HOME: join(folder, 'home') }, maxBuffer: 1 << 26 };
    const { status, stdout } = spawnSync(process.execPath, [cleo, ...argv, '--json'], options);
    const seconds = Number(process.hrtime.bigint() - began) / 1e9;
    return { seconds, status, answer: JSON.parse(String(stdout)) };
  };
  try {
    writeFileSync(join(folder, 'issues.jsonl'), createIssues());
    run('init');
    const first = run('import', '--from', 'beads', 'issues.jsonl');
    const again = run('import', '--from', 'beads', 'issues.jsonl');
    if (first.answer.imported !== tasks || again.answer.unchanged !== tasks) throw new Error(JSON.stringify(first.answer).slice(0, 300));
    return [
      [`import of ${tasks} issues of beads`, first.seconds, 3, 's'],
      ['import of the same file again', again.seconds, 3, 's'],
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of measureImport(cleo))
    process.stdout.write(`${what}: ${figure.toFixed(1)} ${unit} (≤ ${limit})\n`);
}
