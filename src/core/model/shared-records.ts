/** Records that a project on a shared store keeps in the store. Their files in the checkout are a copy. On SQLite there are only the files.
 *  `settings` have no file of their own. */
export const fileRecordKinds = ['grades', 'research', 'researchArchive', 'prompts', 'runs', 'reviews', 'prunedRuns', 'scores'] as const;
export type FileRecordKind = (typeof fileRecordKinds)[number];
export type SharedRecordKind = FileRecordKind | 'settings';

/** `omitted`: too large, so that only its hash is stored. `removed`: it must not come back from an old copy. */
export type SharedRecordState = 'stored' | 'omitted' | 'removed';

export interface SharedRecord {
  name: string;
  /** SHA-256 of the content. */
  hash: string;
  /** In bytes. */
  size: number;
  state: SharedRecordState;
}

/** The content of a record as the store has it: text cannot contain NUL or bytes that are not UTF-8. */
export interface SharedContent {
  encoding: 'utf8' | 'base64';
  content: string;
}
