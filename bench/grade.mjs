// Measures grading a long session: `node bench/grade.mjs [dist]`, or as part of `npm run bench`.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureMedians, measurePeakMemory } from './measure.mjs';
import { openLog } from './stores.mjs';

/** Compares a log with one of a tenth of its size: the time must grow linearly, and the memory only by the titles. */
export async function measureGrade(cleo, isQuick) {
  const sizes = isQuick ? { '5,000': 5000, '50,000': 50_000 } : { '100,000': 100_000, '1,000,000': 1_000_000 };
  const cases = [];
  for (const [name, count] of Object.entries(sizes)) {
    const { folder, session } = await openLog(count);
    cases.push({ name, argv: [cleo, 'grade', session], cwd: folder, env: { CLEO_HOME: join(folder, 'home') } });
  }
  const [few, many] = cases;
  const ms = measureMedians(cases, 3);
  const ratio = (a, b) => (typeof a === 'string' ? a : a / b);
  const rows = [
    [`grade of ${many.name} entries against ${few.name}`, ratio(ms.get(many.name), ms.get(few.name)), 12, '×'],
    [
      'peak memory of grading the longer log against the shorter',
      ratio(await measurePeakMemory(many), await measurePeakMemory(few)),
      1.5,
      '×',
    ],
  ];
  if (!isQuick) rows.unshift([`grade of ${many.name} entries`, ratio(ms.get(many.name), 1000), 5, 's']);
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cleo = join(resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url))), 'cleo.js');
  for (const [what, figure, limit, unit] of await measureGrade(cleo, false))
    process.stdout.write(`${what}: ${typeof figure === 'string' ? figure : figure.toFixed(2)} ${unit} (≤ ${limit})\n`);
}
