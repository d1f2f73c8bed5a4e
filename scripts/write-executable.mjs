// Writes an executable in the pieces in which Linux caches it. File systems such as ext4 and XFS cache what one call writes in pieces of up
// to 2 MB. Processes that map such a file take less time than with pieces of 4 or 64 KB. Other systems cache the file as they always do.
import { closeSync, openSync, writeSync } from 'node:fs';
import { checkElf, readSegments, segmentTypes } from './elf.mjs';

const largePiece = 2 ** 21;
const smallPiece = 2 ** 16;

/** Writes `bytes` to a new file that can be executed. */
export function writeExecutable(path, bytes) {
  const file = openSync(path, 'wx', 0o755);
  try {
    const end = findAlignedEnd(bytes);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, at < end ? smallPiece : bytes.length - at);
  } finally {
    closeSync(file);
  }
}

/** Returns the length of the first part of the file in which a large piece would be mapped to an address that is a multiple of its size. The
 *  system maps such a piece as a whole, so that each process would take 8 MB more memory for data that it mostly does not read. */
function findAlignedEnd(bytes) {
  if (checkElf(bytes)) return 0;
  const first = readSegments(bytes, (offset, length) => bytes.subarray(offset, offset + length)).find(
    ({ type, offset }) => type === segmentTypes.load && offset === 0,
  );
  return first && first.address % largePiece === 0 ? first.sizeInFile - (first.sizeInFile % largePiece) : 0;
}
