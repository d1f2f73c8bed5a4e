import type { ArtifactSpec } from './construct.ts';
import type { Completeness } from './doc-schema.ts';

/** What stands where an artifact was asked for. */
export interface FoundFile {
  path: string;
  /** `outside`: a link that leaves the project. */
  kind: 'file' | 'folder' | 'other' | 'outside';
  size: number;
  sha256: string;
  contentType: string;
  /** What it is as a document, where it has a schema. */
  completeness?: Completeness;
  /** Why it is not what its schema says: no text, front matter that does not fit. */
  problems: string[];
}

/** An artifact, its variables filled in, and the files it stands for; a pattern may stand for many. */
export interface FoundArtifact {
  spec: ArtifactSpec;
  files: FoundFile[];
  /** More files fit the pattern than are looked at. */
  isCut?: true;
}
