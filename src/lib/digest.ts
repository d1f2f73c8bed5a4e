// Each write computes SHA-256 of its log entry, once in a process, so that V8 interprets nearly all of this code: calls of small functions take
// more time than the arithmetic.

/** The distance from each of the first 64 primes to the next one: `0` with that many characters after it, so that `:` is 10. Looking for the
 *  primes takes 0.1 ms. */
const primeGaps = '12242424626424662642646842424>462:2664662:242<<42462:6662642:>4';

/** Computes the first 32 bits of the fractional parts of the square roots of the first primes, and of the cube roots. They are signed, because V8
 *  allocates an object for numbers above 31 bits. */
function createConstants(): { start: Int32Array; rounds: Int32Array } {
  const start = new Int32Array(8);
  const rounds = new Int32Array(64);
  for (let i = 0, prime = 2; i < 64; prime += primeGaps.charCodeAt(i++) - 48) {
    if (i < 8) start[i] = ((Math.sqrt(prime) % 1) * 2 ** 32) | 0;
    rounds[i] = ((Math.cbrt(prime) % 1) * 2 ** 32) | 0;
  }
  return { start, rounds };
}

let constants: ReturnType<typeof createConstants> | undefined;

/** Computes SHA-256 in hex. Loading `node:crypto` would cost every write a seventh of a cold start. */
export function sha256(text: string): string {
  const words = packAscii(text) ?? packBytes(new TextEncoder().encode(text));
  constants ??= createConstants();
  const state = constants.start.slice();
  const schedule = new Int32Array(64);
  for (let at = 0; at < words.length; at += 16) compress(state, schedule, constants.rounds, words, at);
  let hex = '';
  for (let i = 0; i < 8; i++) hex += formatWord(state[i]!);
  return hex;
}

/** Packs a text into words of four characters; undefined if it has characters of more than one byte. */
function packAscii(text: string): Int32Array | undefined {
  const words = createWords(text.length);
  const whole = text.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    if ((a | b | c | d) > 127) return undefined;
    words[i >> 2] = (a << 24) | (b << 16) | (c << 8) | d;
  }
  for (let i = whole; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return undefined;
    words[i >> 2]! |= code << (24 - 8 * (i & 3));
  }
  return words;
}

function packBytes(bytes: Uint8Array): Int32Array {
  const words = createWords(bytes.length);
  for (let i = 0; i < bytes.length; i++) words[i >> 2]! |= bytes[i]! << (24 - 8 * (i & 3));
  return words;
}

/** Creates the words of whole blocks. They have the bit that follows `length` bytes, and at their end the number of bits. */
function createWords(length: number): Int32Array {
  const words = new Int32Array((((length + 8) >> 6) + 1) * 16);
  words[length >> 2] = 0x80 << (24 - 8 * (length & 3));
  words[words.length - 2] = Math.floor(length / 2 ** 29);
  words[words.length - 1] = length << 3;
  return words;
}

function compress(state: Int32Array, schedule: Int32Array, rounds: Int32Array, words: Int32Array, at: number): void {
  for (let i = 0; i < 16; i++) schedule[i] = words[at + i]!;
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15]!;
    const y = schedule[i - 2]!;
    const first = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const second = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = schedule[i - 16]! + first + schedule[i - 7]! + second;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const first = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + first + (g ^ (e & (f ^ g))) + rounds[i]! + schedule[i]!) | 0;
    const second = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = second + ((a & (b ^ c)) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

function formatWord(word: number): string {
  let hex = '';
  for (let shift = 28; shift >= 0; shift -= 4) hex += '0123456789abcdef'.charAt((word >>> shift) & 15);
  return hex;
}

/** Formats JSON so that equal values give equal texts: sorted keys, no white space, no undefined values. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, item]) => `${JSON.stringify(name)}:${toCanonicalJson(item)}`)
    .join(',')}}`;
}
