// Creates the library that ends a process of Node at once, for Linux on x64. At `process.exit`, Node wakes and joins its threads and frees
// the memory of OpenSSL and V8, which takes a twentieth of a start. The system does all of that when a process ends. Node has no function that
// only ends the process, but it loads libraries, and this one calls `exit_group` when it is loaded.
import { fileHeader, programHeader, segmentTypes } from './elf.mjs';

/** The name of the file in `dist`. `main.ts` loads it. */
export const exitLibrary = 'exit-linux-x64.node';

const code = [
  [0x31, 0xff], //                    xor edi, edi
  [0xb8, 0xe7, 0x00, 0x00, 0x00], //  mov eax, exit_group
  [0x0f, 0x05], //                    syscall
].flat();

const pageSize = 4096;
const stackSegment = 0x6474e551;
const [executable, writable, readable] = [1, 2, 4];
const dynamicTags = { end: 0, hash: 4, strings: 5, symbols: 6, stringsSize: 10, symbolSize: 11, init: 12 };
const symbolSize = 24;

/** Returns the library. It has one segment with code and one with what the loader of the system needs: an empty table of symbols, and the
 *  address of the code. The loader writes into the second one, and no segment is both writable and executable. */
export function createExitLibrary() {
  const segments = 4;
  const codeAt = fileHeader.size + segments * programHeader.size;
  const dataAt = (codeAt + code.length + 15) & ~15;
  const toAddress = (offset) => pageSize + offset;
  // A hash table with one bucket and one symbol, the symbol that every table begins with, and an empty name.
  const hash = numbers(4, [1, 1, 0, 0]);
  const symbols = Buffer.alloc(symbolSize);
  const strings = Buffer.alloc(8);
  const [symbolsAt, stringsAt] = [dataAt + hash.length, dataAt + hash.length + symbols.length];
  const dynamicAt = stringsAt + strings.length;
  const dynamic = numbers(8, [
    ...[dynamicTags.hash, toAddress(dataAt), dynamicTags.symbols, toAddress(symbolsAt), dynamicTags.symbolSize, symbolSize],
    ...[dynamicTags.strings, toAddress(stringsAt), dynamicTags.stringsSize, 1, dynamicTags.init, codeAt, dynamicTags.end, 0],
  ]);
  const end = dynamicAt + dynamic.length;

  const header = Buffer.alloc(fileHeader.size);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(3, fileHeader.type); // a library
  header.writeUInt16LE(62, fileHeader.machine); // x86-64
  header.writeUInt32LE(1, 20); // the version of the format
  header.writeBigUInt64LE(BigInt(fileHeader.size), fileHeader.segments);
  header.writeUInt16LE(fileHeader.size, 52);
  header.writeUInt16LE(programHeader.size, fileHeader.segmentSize);
  header.writeUInt16LE(segments, fileHeader.segmentCount);
  return Buffer.concat([
    header,
    createSegment(segmentTypes.load, readable | executable, { offset: 0, address: 0, size: codeAt + code.length, alignment: pageSize }),
    createSegment(segmentTypes.load, readable | writable, {
      offset: dataAt,
      address: toAddress(dataAt),
      size: end - dataAt,
      alignment: pageSize,
    }),
    createSegment(segmentTypes.dynamic, readable | writable, {
      offset: dynamicAt,
      address: toAddress(dynamicAt),
      size: dynamic.length,
      alignment: 8,
    }),
    // Without this segment, the loader would make the stack executable.
    createSegment(stackSegment, readable | writable, { offset: 0, address: 0, size: 0, alignment: 16 }),
    Buffer.from(code),
    Buffer.alloc(dataAt - codeAt - code.length),
    hash,
    symbols,
    strings,
    dynamic,
  ]);
}

function createSegment(type, flags, { offset, address, size, alignment }) {
  const bytes = Buffer.alloc(programHeader.size);
  bytes.writeUInt32LE(type, programHeader.type);
  bytes.writeUInt32LE(flags, programHeader.flags);
  for (const [place, value] of [
    [programHeader.offset, offset],
    [programHeader.address, address],
    [programHeader.physicalAddress, address],
    [programHeader.sizeInFile, size],
    [programHeader.sizeInMemory, size],
    [programHeader.alignment, alignment],
  ])
    bytes.writeBigUInt64LE(BigInt(value), place);
  return bytes;
}

/** Writes numbers of `size` bytes. */
function numbers(size, values) {
  const bytes = Buffer.alloc(size * values.length);
  for (const [i, value] of values.entries()) bytes.writeUIntLE(value, i * size, Math.min(size, 6));
  return bytes;
}
