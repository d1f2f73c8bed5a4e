/** Hides secrets in everything that a run writes. If redaction fails, the write fails. */
export interface Redactor {
  text(text: string): string;
  /** Redacts a value of any shape. Values under secret names are hidden whole. */
  value(value: unknown): unknown;
  /** Redacts output as it arrives. A possible beginning of a secret is held back until its end arrives. */
  stream(): { push(part: Uint8Array): string; end(): string };
  /** Returns how many secrets each rule has hidden. */
  counts(): Record<string, number>;
}
