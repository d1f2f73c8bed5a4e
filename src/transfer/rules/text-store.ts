/** Stores texts as UTF-8, at half the memory of strings with any character beyond Latin-1, and outside of the heap that the garbage
 *  collector scans. */
export interface TextStore {
  /** Returns the index of the text. */
  add(text: string): number;
  get(index: number): string;
}

const blockLength = 4 << 20;

export function createTextStore(): TextStore {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const blocks: Uint8Array[] = [];
  const positions: number[] = [];
  let used = blockLength;
  return {
    add(text) {
      // A character takes at most three bytes.
      const needed = text.length * 3;
      if (used + needed > (blocks.at(-1)?.length ?? 0)) {
        blocks.push(new Uint8Array(Math.max(blockLength, needed)));
        used = 0;
      }
      const { written } = encoder.encodeInto(text, blocks.at(-1)!.subarray(used));
      positions.push(blocks.length - 1, used, used + written);
      used += written;
      return positions.length / 3 - 1;
    },
    get(index) {
      const [block = 0, from, to] = positions.slice(3 * index, 3 * index + 3);
      return decoder.decode(blocks[block]!.subarray(from, to));
    },
  };
}
