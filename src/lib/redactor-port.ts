/** Takes secrets out. A failure to do so is a failure of whatever was to be written. */
export interface Redactor {
  text(text: string): string;
  /** Values of any shape; whole values under telling keys. */
  value(value: unknown): unknown;
  /** For output as it comes: what may be the beginning of a secret waits for the rest. */
  stream(): { push(part: Uint8Array): string; end(): string };
  /** How often each rule was applied. */
  counts(): Record<string, number>;
}
