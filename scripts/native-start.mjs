// Adds a start to the native build for Linux on x64 with glibc. The runtime reads its settings from the environment before any code of the
// program runs, so that an executable cannot contain them. The start runs before the runtime: if the first argument is an everyday command
// and there is no `--limit`, it adds the settings to the environment and then runs the runtime.
//
// For these commands and for the MCP server it also asks for a few large pages for the heap. The runtime does so only for the whole heap,
// which takes 45 MB, or not at all, and then 900 pages are allocated one by one. For that, the start takes the place of `mmap` until the
// runtime has reserved its heap.
//
// The segment of notes, which nothing needs at run time, becomes a segment with the start, which is appended to the file. An executable
// that is built in another way is left as it is.
import { appendFileSync, closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { checkElf, fileHeader, programHeader, readNumber, readSegments, segmentTypes } from './elf.mjs';

/** Settings of everyday commands. A variable that the user sets keeps the user's value. The unusual values tell the program which variables
 *  it has to remove, so that programs that it starts do not inherit them.
 *  - No compiler to machine code: its memory and its threads cost more than these commands gain from it.
 *  - No reading ahead of the whole program: these commands use little of it. */
export const startSettings = { BUN_JSC_useJIT: 'faLSe', BUN_FEATURE_FLAG_DISABLE_STANDALONE_MADVISE: 'yeS' };

/** The heap, which the runtime reserves with one call, and the offsets of the parts of it that are filled most. The start makes a page of
 *  2 MB of each part, instead of 110 to 370 pages of 4 KB. One takes as long as 60 to 80 of these. Other parts are filled less, so that large
 *  pages would take memory and hardly any time. */
const heapSize = 2 ** 30;
const mebibyte = 2 ** 20;
const partSize = 2 * mebibyte;
const filledParts = {
  everyday: [2 * mebibyte, 8 * mebibyte, 20 * mebibyte, 22 * mebibyte],
  server: [8 * mebibyte, 24 * mebibyte, 26 * mebibyte, 34 * mebibyte],
};

/** Returns the module that the program runs first: it removes the settings from the environment. */
export const createRemoval = () =>
  Object.entries(startSettings)
    .map(([name, value]) => `if (process.env.${name} === '${value}') delete process.env.${name};\n`)
    .join('');

/** Adds the start to an executable, for the commands that begin with one of `everydayWords` or with `serverWord`. Returns why it cannot, or
 *  undefined. */
export function addStart(path, { everydayWords, serverWord }) {
  const file = openSync(path, 'r+');
  try {
    const layout = readLayout((offset, length) => {
      const bytes = Buffer.alloc(length);
      if (readSync(file, bytes, 0, length, offset) !== length) throw new Error(`${path} ends before byte ${offset + length}`);
      return bytes;
    });
    if (typeof layout === 'string') return layout;
    const { size } = statSync(path);
    const offset = alignUp(size, pageSize);
    const address = alignUp(layout.end, pageSize);
    const start = encodeStart({ address, ...layout, words: [...everydayWords, serverWord] });
    const header = Buffer.alloc(programHeader.size);
    header.writeUInt32LE(segmentTypes.load, programHeader.type);
    header.writeUInt32LE(readable | executable, programHeader.flags);
    header.writeBigUInt64LE(BigInt(offset), programHeader.offset);
    header.writeBigUInt64LE(BigInt(address), programHeader.address);
    header.writeBigUInt64LE(BigInt(address), programHeader.physicalAddress);
    header.writeBigUInt64LE(BigInt(start.length), programHeader.sizeInFile);
    header.writeBigUInt64LE(BigInt(start.length), programHeader.sizeInMemory);
    header.writeBigUInt64LE(BigInt(pageSize), programHeader.alignment);
    appendFileSync(path, Buffer.concat([Buffer.alloc(offset - size), start]));
    writeSync(file, header, 0, header.length, layout.noteHeader);
    const entry = Buffer.alloc(8);
    entry.writeBigUInt64LE(BigInt(address));
    writeSync(file, entry, 0, entry.length, fileHeader.entry);
    return undefined;
  } finally {
    closeSync(file);
  }
}

const [executable, readable] = [1, 4];
const dynamicTags = { end: 0, callsSize: 2, strings: 5, symbols: 6, calls: 23 };
const symbolSize = 24;
const callSize = 24;
const pageSize = 4096;

const alignUp = (value, to) => Math.ceil(value / to) * to;

/** Reads what the start needs to know: the entry, the end of the last segment, the header of the notes, the address of `environ` and the
 *  place of `mmap` in the table of calls. Returns a text that says what is different about an executable that it does not know. */
function readLayout(read) {
  const head = read(0, fileHeader.size);
  const problem = checkElf(head);
  if (problem) return problem;
  if (head.readUInt16LE(fileHeader.machine) !== 62) return 'it is not for x86-64';
  if (head.readUInt16LE(fileHeader.type) !== 2) return 'it has no fixed address';
  if (head.readUInt16LE(fileHeader.segmentSize) !== programHeader.size) return 'its program headers have an unknown size';
  const segments = readSegments(head, read);
  const find = (type) => segments.find((segment) => segment.type === type);
  const [interpreter, dynamic, note] = [find(segmentTypes.interpreter), find(segmentTypes.dynamic), find(segmentTypes.note)];
  // With musl, the arguments and the environment are passed on in another way.
  if (!interpreter || !read(interpreter.offset, interpreter.sizeInFile).includes('/ld-linux-x86-64.so')) return 'it does not use glibc';
  if (!dynamic) return 'it has no dynamic symbols';
  // Segments to load have ascending addresses, so that the one that is added has to be the last.
  if (!note || note !== segments.at(-1)) return 'its last segment does not contain notes';
  const loads = segments.filter(({ type }) => type === segmentTypes.load);
  const toOffset = (address) => {
    const segment = loads.find((load) => address >= load.address && address < load.address + load.sizeInFile);
    return segment && segment.offset + address - segment.address;
  };
  const tags = new Map();
  for (let offset = dynamic.offset; ; offset += 16) {
    const entry = read(offset, 16);
    if (readNumber(entry, 0) === dynamicTags.end) break;
    tags.set(readNumber(entry, 0), readNumber(entry, 8));
  }
  const [symbols, strings] = [toOffset(tags.get(dynamicTags.symbols)), toOffset(tags.get(dynamicTags.strings))];
  // The table of symbols ends where that of their names begins, or earlier.
  if (symbols === undefined || strings === undefined || symbols > strings) return 'its dynamic symbols are not where they usually are';
  const readSymbol = (offset) => {
    const symbol = read(offset, symbolSize);
    const name = read(strings + symbol.readUInt32LE(0), longestName)
      .toString('latin1')
      .split('\0', 1)[0];
    return { name, isDefined: symbol.readUInt16LE(6) !== 0, address: readNumber(symbol, 8) };
  };
  const findSymbol = (name) => {
    for (let offset = symbols; offset + symbolSize <= strings; offset += symbolSize) {
      const symbol = readSymbol(offset);
      if (symbol.name === name && symbol.isDefined) return symbol;
    }
    return undefined;
  };
  const calls = toOffset(tags.get(dynamicTags.calls));
  const findCall = (name) => {
    for (let offset = calls; offset < calls + tags.get(dynamicTags.callsSize); offset += callSize) {
      const call = read(offset, callSize);
      if (readSymbol(symbols + symbolSize * call.readUInt32LE(12)).name !== name) continue;
      const place = readNumber(call, 0);
      // The address before the first call: code that looks the function up.
      return { place, lookUp: readNumber(read(toOffset(place), 8), 0) };
    }
    return undefined;
  };
  const environ = findSymbol('environ');
  if (!environ) return 'it has no variable `environ`';
  const mapCall = calls && findCall('mmap');
  if (!mapCall) return 'it does not call `mmap` through a table';
  const end = Math.max(...loads.map(({ address, sizeInMemory }) => address + sizeInMemory));
  return { entry: readNumber(head, fileHeader.entry), end, noteHeader: note.headerAt, environ: environ.address, mapCall };
}

/** Longer than the names that are looked for. */
const longestName = 16;

/** Encodes the start. The system calls it with the stack that a process begins with: the number of arguments, their addresses, 0, the
 *  addresses of the variables, 0, and pairs of numbers until one that begins with 0. The start writes a copy with more variables below
 *  it. Register `rdx` is a parameter of the runtime and keeps its value, and so does `rbp`. The last one of `words` starts the server. */
function encodeStart({ address, environ, entry, mapCall, words }) {
  const variables = Object.entries(startSettings).map(([name, value]) => ({ name: `${name}=`, text: `${name}=${value}` }));
  const code = [
    // Fewer than two arguments: run the runtime.
    [0x4c, 0x8b, 0x04, 0x24], //                mov r8, [rsp]
    [0x49, 0x83, 0xf8, 0x02], //                cmp r8, 2
    jump.below('run'),

    // Compare the first argument, r9, with each word. The list of words ends with an empty one.
    [0x4c, 0x8b, 0x4c, 0x24, 0x10], //          mov r9, [rsp + 16]
    [0x48, 0x8d, 0x35, relative('words')], //   lea rsi, [words]
    label('word'),
    [0x80, 0x3e, 0x00], //                      cmp byte [rsi], 0
    jump.equal('run'),
    [0x4c, 0x89, 0xcf], //                      mov rdi, r9
    label('letter'),
    [0xac], //                                  lodsb
    [0x3a, 0x07], //                            cmp al, [rdi]
    jump.unequal('nextWord'),
    [0x48, 0xff, 0xc7], //                      inc rdi
    [0x84, 0xc0], //                            test al, al
    jump.unequal('letter'),
    // rsi: the next word, which is empty after that of the server.
    [0x38, 0x06], //                            cmp [rsi], al
    jump.equal('server'),
    jump.always('options'),
    label('skip'),
    [0xac], //                                  lodsb
    label('nextWord'),
    [0x84, 0xc0], //                            test al, al
    jump.unequal('skip'),
    jump.always('word'),

    // With `--limit` the amount of work is what the user says: run the runtime. rax: the place of an argument, from the last to the third.
    label('options'),
    [0x4c, 0x89, 0xc0], //                      mov rax, r8
    label('option'),
    [0x48, 0xff, 0xc8], //                      dec rax
    [0x48, 0x83, 0xf8, 0x02], //                cmp rax, 2
    jump.below('copy'),
    [0x48, 0x8b, 0x4c, 0xc4, 0x08], //          mov rcx, [rsp + rax * 8 + 8]
    [0x81, 0x39, [...Buffer.from('--li')]], //  cmp dword [rcx], '--li'
    jump.equal('run'),
    jump.always('option'),

    // r10: the addresses of the variables. rcx: the end of the stack.
    label('copy'),
    [0x4e, 0x8d, 0x54, 0xc4, 0x10], //          lea r10, [rsp + r8 * 8 + 16]
    [0x4c, 0x89, 0xd1], //                      mov rcx, r10
    label('variable'),
    [0x48, 0x83, 0xc1, 0x08], //                add rcx, 8
    [0x48, 0x83, 0x79, 0xf8, 0x00], //          cmp qword [rcx - 8], 0
    jump.unequal('variable'),
    [0x49, 0x89, 0xcb], //                      mov r11, rcx (the first pair)
    label('pair'),
    [0x48, 0x83, 0xc1, 0x10], //                add rcx, 16
    [0x48, 0x83, 0x79, 0xf0, 0x00], //          cmp qword [rcx - 16], 0
    jump.unequal('pair'),

    // Reserve as much again and room for the settings, at an address that 16 divides.
    [0x48, 0x89, 0xe6], //                      mov rsi, rsp
    [0x48, 0x89, 0xe0], //                      mov rax, rsp
    [0x48, 0x29, 0xc8], //                      sub rax, rcx
    [0x48, 0x8d, 0xa4, 0x04, bytes32(-8 * variables.length)], // lea rsp, [rsp + rax - room]
    [0x48, 0x83, 0xe4, 0xf0], //                and rsp, -16

    // Copy until the last variable.
    [0x48, 0x89, 0xe7], //                      mov rdi, rsp
    [0x49, 0x8d, 0x4b, 0xf8], //                lea rcx, [r11 - 8]
    [0x48, 0x29, 0xf1], //                      sub rcx, rsi
    [0x48, 0xc1, 0xe9, 0x03], //                shr rcx, 3
    [0xf3, 0x48, 0xa5], //                      rep movsq

    // Add each setting that is not set. r9: the address of its text.
    ...variables.flatMap(({ name }, i) => [
      [0x4c, 0x8d, 0x0d, relative(`setting${i}`)], // lea r9, [setting]
      [0x4c, 0x89, 0xd0], //                    mov rax, r10
      label(`compare${i}`),
      [0x4c, 0x8b, 0x00], //                    mov r8, [rax]
      [0x48, 0x83, 0xc0, 0x08], //              add rax, 8
      [0x4d, 0x85, 0xc0], //                    test r8, r8
      jump.equal(`add${i}`),
      [0x31, 0xc9], //                          xor ecx, ecx
      label(`character${i}`),
      [0x46, 0x8a, 0x1c, 0x01], //              mov r11b, [rcx + r8]
      [0x46, 0x3a, 0x1c, 0x09], //              cmp r11b, [rcx + r9]
      jump.unequal(`compare${i}`),
      [0xff, 0xc1], //                          inc ecx
      [0x83, 0xf9, Buffer.byteLength(name)], // cmp ecx, length of the name
      jump.unequal(`character${i}`),
      jump.always(`next${i}`),
      label(`add${i}`),
      [0x4c, 0x89, 0xc8], //                    mov rax, r9
      [0x48, 0xab], //                          stosq
      label(`next${i}`),
    ]),

    // Copy the pairs after a 0.
    label('pairs'),
    [0x48, 0xa5], //                            movsq (the 0 after the variables)
    label('copyPair'),
    [0x48, 0xa5], //                            movsq
    [0x48, 0xa5], //                            movsq
    [0x48, 0x83, 0x7e, 0xf0, 0x00], //          cmp qword [rsi - 16], 0
    jump.unequal('copyPair'),

    // The C library has stored the address of the variables.
    [0x48, 0x8b, 0x04, 0x24], //                mov rax, [rsp]
    [0x48, 0x8d, 0x44, 0xc4, 0x10], //          lea rax, [rsp + rax * 8 + 16]
    [0x48, 0x89, 0x04, 0x25, bytes32(environ)], // mov [environ], rax

    // Take the place of `mmap`, unless the system looked it up already because a variable says so.
    [0x48, 0x8d, 0x05, relative('everyday')], // lea rax, [everyday]
    jump.always('takePlace'),
    label('server'),
    [0x48, 0x8d, 0x05, relative('serve')], //   lea rax, [serve]
    label('takePlace'),
    [0x48, 0x81, 0x3c, 0x25, bytes32(mapCall.place), bytes32(mapCall.lookUp)], // cmp qword [place], lookUp
    jump.unequal('run'),
    [0x48, 0x89, 0x04, 0x25, bytes32(mapCall.place)], // mov [place], rax

    label('run'),
    [0xb8, bytes32(entry)], //                  mov eax, entry
    [0xff, 0xe0], //                            jmp rax

    ...encodeMap('everyday', filledParts.everyday, mapCall),
    ...encodeMap('serve', filledParts.server, mapCall),

    label('words'),
    [...Buffer.from(`${words.join('\0')}\0\0`)],
    ...variables.flatMap(({ text }, i) => [label(`setting${i}`), [...Buffer.from(`${text}\0`)]]),
  ];
  if (Math.max(address, environ, entry, mapCall.place, mapCall.lookUp) > 0x7fffffff)
    throw new Error('the executable has addresses above 2 GB');
  return assemble(code);
}

/** Encodes what is called instead of `mmap`: rdi, rsi, rdx, rcx, r8, r9 are its parameters, and rax is its result. */
const encodeMap = (name, parts, { place, lookUp }) => [
  label(name),
  [0x49, 0x89, 0xca], //                        mov r10, rcx
  [0xb8, bytes32(systemCalls.map)], //          mov eax, map
  [0x0f, 0x05], //                              syscall
  [0x48, 0x3d, bytes32(-4096)], //              cmp rax, -4096
  jump.above(`${name}Fail`),
  [0x48, 0x81, 0xfe, bytes32(heapSize)], //     cmp rsi, heapSize
  jump.unequal(`${name}Return`),
  [0x48, 0xc7, 0x04, 0x25, bytes32(place), bytes32(lookUp)], // mov qword [place], lookUp
  [0x50], //                                    push rax
  ...parts.flatMap((offset) => [
    [0x48, 0x8b, 0x3c, 0x24], //                mov rdi, [rsp]
    [0x48, 0x81, 0xc7, bytes32(offset)], //     add rdi, offset
    [0xbe, bytes32(partSize)], //               mov esi, partSize
    [0xba, bytes32(largePages)], //             mov edx, largePages
    [0xb8, bytes32(systemCalls.advise)], //     mov eax, advise
    [0x0f, 0x05], //                            syscall (where it fails, pages are small)
  ]),
  [0x58], //                                    pop rax
  label(`${name}Return`),
  [0xc3], //                                    ret
  // The C library repeats the call and sets `errno`.
  label(`${name}Fail`),
  [0x48, 0xc7, 0x04, 0x25, bytes32(place), bytes32(lookUp)], // mov qword [place], lookUp
  [0x4c, 0x89, 0xd1], //                        mov rcx, r10
  [0xb8, bytes32(lookUp)], //                   mov eax, lookUp
  [0xff, 0xe0], //                              jmp rax
];

const systemCalls = { map: 9, advise: 28 };
/** MADV_HUGEPAGE. */
const largePages = 14;

const label = (name) => ({ label: name });
/** The distance to a label from the end of the instruction, in 4 bytes. */
const relative = (to) => ({ to, size: 4 });
const bytes32 = (value) => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, (value >> 24) & 0xff];
const jump = {
  always: (to) => [0xe9, relative(to)],
  above: (to) => [0x0f, 0x87, relative(to)],
  below: (to) => [0x0f, 0x82, relative(to)],
  equal: (to) => [0x0f, 0x84, relative(to)],
  unequal: (to) => [0x0f, 0x85, relative(to)],
};

/** Turns instructions with labels into bytes. An instruction is a list of bytes; a distance is always its last part. */
function assemble(code) {
  const measure = (part) => (typeof part === 'number' ? 1 : Array.isArray(part) ? part.length : part.size);
  const places = new Map();
  let length = 0;
  for (const line of code) {
    if (Array.isArray(line)) length += line.reduce((sum, part) => sum + measure(part), 0);
    else places.set(line.label, length);
  }
  const result = Buffer.alloc(length);
  let offset = 0;
  for (const line of code) {
    if (!Array.isArray(line)) continue;
    for (const part of line.flat()) {
      if (typeof part === 'number') offset = result.writeUInt8(part, offset);
      else offset = result.writeIntLE(places.get(part.to) - offset - part.size, offset, part.size);
    }
  }
  return result;
}
