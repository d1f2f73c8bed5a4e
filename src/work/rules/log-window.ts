const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Takes the complete lines of a growing log that are behind its first `shownBytes`; with `isEnded` the last line too. `text` is the end of
 *  the log, which has `bytes` altogether, so that what a flood pushed out of this window is left out. */
export function takeNewLines(
  { text, bytes }: { text: string; bytes: number },
  shownBytes: number,
  isEnded: boolean,
): { text: string; shownBytes: number } {
  const window = encoder.encode(text);
  const fresh = decoder.decode(window.subarray(Math.max(0, window.length - Math.max(0, bytes - shownBytes))));
  const lines = isEnded ? fresh : fresh.slice(0, fresh.lastIndexOf('\n') + 1);
  return { text: lines, shownBytes: bytes - encoder.encode(fresh.slice(lines.length)).length };
}
