/** The schema this build reads and writes; a test holds it equal to the last migration. */
export const schemaVersion = 4;
