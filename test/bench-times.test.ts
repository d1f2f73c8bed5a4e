import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const dist = resolve(root, process.env.CLEO_TEST_DIST ?? 'dist');

test('the short benchmark meets its size limits, and roughly its time limits', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'bench', 'run.mjs'), '--quick', '--json', '--dist', dist], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  const rows = JSON.parse(stdout) as { what: string; figure: number | string; limit: number; unit: string }[];
  expect(rows.length).toBeGreaterThan(10);
  // A busy machine can double a time ratio. Growth with the number of tasks would exceed that.
  const far = rows.filter(
    ({ figure, limit, unit }) => typeof figure !== 'number' || figure > limit * (['×', 'ms', 's'].includes(unit) ? 2 : 1.1),
  );
  expect(far).toEqual([]);
});
