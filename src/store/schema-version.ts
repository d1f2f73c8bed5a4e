import { CleoError } from '#core/errors/error.ts';

/** The schema that this build reads and writes; a test checks that it is the version of the last migration. */
export const schemaVersion = 10;

/** Throws if the store has another schema than this build. */
export function checkSchemaVersion(found: number, acceptsEarlier = false): void {
  checkNotNewer(found);
  if (!acceptsEarlier && found < schemaVersion) throw new CleoError('E_STORE_OLDER', { found, known: schemaVersion });
}

export function checkNotNewer(found: number): void {
  if (found > schemaVersion) throw new CleoError('E_STORE_NEWER', { found, known: schemaVersion });
}
