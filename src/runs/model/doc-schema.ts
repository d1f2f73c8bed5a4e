/** The sections and front matter of one kind of document. */
export interface DocSchema {
  id: string;
  version: string;
  sections: SectionSpec[];
  /** JSON Schema of the front matter. */
  frontMatter?: Record<string, unknown>;
}

export interface SectionSpec {
  id: string;
  /** Accepted headings; a heading matches if it contains all words of a title in a row. */
  titles: string[];
  required: boolean;
  weight: number;
  minWords: number;
  /** Minimum number of list items and table rows. */
  minItems?: number;
}

/** The completeness of a document and what it lacks. It measures presence, not quality. */
export interface Completeness {
  completeness: number;
  sections: SectionScore[];
}

export interface SectionScore {
  id: string;
  required: boolean;
  weight: number;
  score: number;
  /** Null if no heading matches. */
  heading: string | null;
  line: number | null;
  words: number;
  placeholderWords: number;
  items: number;
  /** Changes that would raise the score; empty if the section is complete. */
  lacks: string[];
}
