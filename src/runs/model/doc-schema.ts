/** What a kind of document consists of. */
export interface DocSchema {
  id: string;
  version: string;
  sections: SectionSpec[];
  /** JSON Schema of what stands between the dashes at its top. */
  frontMatter?: Record<string, unknown>;
}

export interface SectionSpec {
  id: string;
  /** Headings that it may stand under; each word of one, in a row. */
  titles: string[];
  required: boolean;
  weight: number;
  minWords: number;
  /** List items and rows of tables. */
  minItems?: number;
}

/** How complete a document is, and what it lacks. It measures presence, not quality. */
export interface Completeness {
  completeness: number;
  sections: SectionScore[];
}

export interface SectionScore {
  id: string;
  required: boolean;
  weight: number;
  score: number;
  /** Null where no heading fits. */
  heading: string | null;
  line: number | null;
  words: number;
  placeholderWords: number;
  items: number;
  /** What would raise the score; empty where it is whole. */
  lacks: string[];
}
