import type { ArtifactSpec } from './construct.ts';
import type { Completeness } from './doc-schema.ts';

/** A file that matches the path of an artifact. */
export interface ArtifactFile {
  path: string;
  /** `outside`: a link to a target outside the project. */
  kind: 'file' | 'folder' | 'other' | 'outside';
  size: number;
  sha256: string;
  contentType: string;
  /** Set if the artifact has a document schema. */
  completeness?: Completeness;
  /** Violations of the schema: not UTF-8, invalid front matter. */
  problems: string[];
}

/** An artifact with its variables expanded and the files that match it; a pattern can match many. */
export interface ResolvedArtifact {
  spec: ArtifactSpec;
  files: ArtifactFile[];
  /** True if more files match the pattern than are examined. */
  isTruncated?: true;
}
