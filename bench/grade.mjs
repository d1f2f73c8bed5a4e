// What it costs to grade a long session: `node bench/grade.mjs [dist]` alone, or as a part of `npm run bench`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { medians, peakMemory } from './measure.mjs';
import { openLog } from './stores.mjs';

/** A long log and a tenth of it: ten times the entries may cost about ten times the time (a square would be a hundred), and no more memory than the titles in them. */
export async function gradeRows(cleo, isQuick) {
  const sizes = isQuick ? { '5,000': 5000, '50,000': 50_000 } : { '100,000': 100_000, '1,000,000': 1_000_000 };
  const cases = [];
  for (const [name, count] of Object.entries(sizes)) {
    const { folder, session } = await openLog(count);
    cases.push({ name, argv: [cleo, 'grade', session], cwd: folder, env: { CLEO_HOME: join(folder, 'home') } });
  }
  const [few, many] = cases;
  const ms = medians(cases, 3);
  const ratio = (a, b) => (typeof a === 'string' ? a : a / b);
  const rows = [
    [`grade of ${many.name} entries against ${few.name}`, ratio(ms.get(many.name), ms.get(few.name)), 12, '×'],
    ['peak memory of the one against the other', ratio(peakMemory(many), peakMemory(few)), 1.5, '×'],
  ];
  if (!isQuick) rows.unshift([`grade of ${many.name} entries`, ratio(ms.get(many.name), 1000), 5, 's']);
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, bar, unit] of await gradeRows(cleo, false))
    process.stdout.write(`${what}: ${typeof figure === 'string' ? figure : figure.toFixed(2)} ${unit} (≤ ${bar})\n`);
}
