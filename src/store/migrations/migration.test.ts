import { expect, test } from 'vitest';
import { schemaVersion } from '../schema-version.ts';
import { migrations } from './all.ts';
import { checkAppliedMigrations, computeChecksum, findForeignMigrations } from './migration.ts';

const applied = migrations.map((migration) => ({ version: migration.version, checksum: computeChecksum(migration) }));

test('migrations are numbered without gaps, and the last has the schema version', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
  expect(migrations.at(-1)?.version).toBe(schemaVersion);
});

test('finds migrations whose checksum differs, and ignores unknown versions', () => {
  expect(findForeignMigrations(applied, migrations)).toEqual([]);
  expect(findForeignMigrations([{ version: 1, checksum: 'other' }], migrations)).toEqual([1]);
  expect(findForeignMigrations([...applied, { version: 999, checksum: 'other' }], migrations)).toEqual([]);
  expect(() => checkAppliedMigrations(applied, migrations)).not.toThrow();
  expect(() => checkAppliedMigrations([{ version: 1, checksum: 'other' }], migrations)).toThrow(
    expect.objectContaining({ code: 'E_CHECKSUM_MISMATCH', exitCode: 20 }),
  );
});
