/** Signed 32-bit constants: V8 allocates an object for unsigned numbers above 31 bits. */
interface Constants {
  k: Int32Array;
  h: Int32Array;
}

let constants: Constants | undefined;

/** Computes the first 32 bits of the fractional parts of the cube and square roots of the first primes. */
function createConstants(): Constants {
  const k = new Int32Array(64);
  const h = new Int32Array(8);
  for (let n = 2, found = 0; found < 64; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) h[found] = ((Math.sqrt(n) % 1) * 2 ** 32) | 0;
    k[found++] = ((Math.cbrt(n) % 1) * 2 ** 32) | 0;
  }
  return { k, h };
}

/** Computes SHA-256 in hex. Loading `node:crypto` would cost every write a seventh of a cold start. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  constants ??= createConstants();
  const h = constants.h.slice();
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) compress(h, w, constants.k, view, at);
  return Array.from(h, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function compress(h: Int32Array, w: Int32Array, k: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + i * 4);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    w[i] =
      w[i - 16]! +
      (rotateRight(x, 7) ^ rotateRight(x, 18) ^ (x >>> 3)) +
      w[i - 7]! +
      (rotateRight(y, 17) ^ rotateRight(y, 19) ^ (y >>> 10));
  }
  let a = h[0]!;
  let b = h[1]!;
  let c = h[2]!;
  let d = h[3]!;
  let e = h[4]!;
  let f = h[5]!;
  let g = h[6]!;
  let hh = h[7]!;
  for (let i = 0; i < 64; i++) {
    const t1 = (hh + (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) + ((e & f) ^ (~e & g)) + k[i]! + w[i]!) | 0;
    const t2 = ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    hh = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  h[0]! += a;
  h[1]! += b;
  h[2]! += c;
  h[3]! += d;
  h[4]! += e;
  h[5]! += f;
  h[6]! += g;
  h[7]! += hh;
}

const rotateRight = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

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
