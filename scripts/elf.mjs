// Reads the headers of ELF executables, which Linux uses.

/** Offsets of the fields of the file. */
export const fileHeader = {
  size: 64,
  class: 4,
  order: 5,
  type: 16,
  machine: 18,
  entry: 24,
  segments: 32,
  segmentSize: 54,
  segmentCount: 56,
};
/** Offsets of the fields of a segment. */
export const programHeader = {
  size: 56,
  type: 0,
  flags: 4,
  offset: 8,
  address: 16,
  physicalAddress: 24,
  sizeInFile: 32,
  sizeInMemory: 40,
  alignment: 48,
};
export const segmentTypes = { load: 1, dynamic: 2, interpreter: 3, note: 4 };

export const readNumber = (bytes, offset) => Number(bytes.readBigUInt64LE(offset));

/** Returns why the first bytes of a file are not those of an executable that can be read here, or undefined. */
export function checkElf(head) {
  if (head.toString('latin1', 0, 4) !== '\x7fELF') return 'it is not an ELF file';
  if (head[fileHeader.class] !== 2 || head[fileHeader.order] !== 1) return 'it is not a little-endian 64-bit file';
  return undefined;
}

/** Reads the segments. `read` returns the bytes at an offset of the file, with a length. */
export const readSegments = (head, read) =>
  Array.from({ length: head.readUInt16LE(fileHeader.segmentCount) }, (_, i) => {
    const headerAt = readNumber(head, fileHeader.segments) + i * programHeader.size;
    const bytes = read(headerAt, programHeader.size);
    return {
      headerAt,
      type: bytes.readUInt32LE(programHeader.type),
      offset: readNumber(bytes, programHeader.offset),
      address: readNumber(bytes, programHeader.address),
      sizeInFile: readNumber(bytes, programHeader.sizeInFile),
      sizeInMemory: readNumber(bytes, programHeader.sizeInMemory),
    };
  });
