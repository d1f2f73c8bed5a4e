import { expect, test } from 'vitest';
import { schemaVersion } from '../schema-version.ts';
import { migrations } from './all.ts';
import { checkApplied, checksum, foreignSteps } from './migration.ts';

const ours = migrations.map((migration) => ({ version: migration.version, checksum: checksum(migration) }));

test('steps are numbered without a gap, and the last is the version this build speaks', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  expect(migrations.at(-1)?.version).toBe(schemaVersion);
});

test('a step under our number that is not ours is noticed; a step we do not know is not our business', () => {
  expect(foreignSteps(ours, migrations)).toEqual([]);
  expect(foreignSteps([{ version: 1, checksum: 'other' }], migrations)).toEqual([1]);
  expect(foreignSteps([...ours, { version: 999, checksum: 'other' }], migrations)).toEqual([]);
  expect(() => checkApplied(ours, migrations)).not.toThrow();
  expect(() => checkApplied([{ version: 1, checksum: 'other' }], migrations)).toThrow(
    expect.objectContaining({ code: 'E_CHECKSUM_MISMATCH', exitCode: 20 }),
  );
});
