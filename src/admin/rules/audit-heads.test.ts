import { describe, expect, test } from 'vitest';
import {
  type CheckedHead,
  compareHeads,
  findLevelAt,
  formatSignatureGaps,
  parseHeads,
  parseSigner,
  type SignatureGap,
  stepSignatureGaps,
  toSignedText,
} from './audit-heads.ts';

const hash = (letter: string): string => letter.repeat(64);
const log = { entries: 4, replica: 'r1', hashes: new Map([1, 2, 3, 4].map((seq) => [seq, hash(String(seq))] as const)) };
const signer = { name: 'ada', publicKey: 'ed25519:x' };
const at = '2026-01-01T00:00:00.000Z';

const createHead = (seq: number, more: Partial<CheckedHead['head']> = {}, source?: string): CheckedHead => ({
  head: { kind: 'head', project: 'p', replica: 'r1', seq, hash: hash(String(seq)), at, ...more },
  signer,
  isValid: true,
  ...(source === undefined ? {} : { source }),
});

const compare = (...heads: CheckedHead[]) => compareHeads(log, heads, { local: 'audit-heads.jsonl' });

describe('compareHeads', () => {
  test('reports the newest head of each kind', () => {
    expect(compare()).toEqual({ level: 'unsigned', warnings: [] });
    expect(compare(createHead(2), createHead(3))).toMatchObject({ level: 'signed', signed: { entries: 3, signer: 'ada' } });
    expect(compare(createHead(4), createHead(2, {}, 'origin'))).toMatchObject({
      level: 'anchored',
      signed: { entries: 4 },
      anchored: { entries: 2, source: 'origin' },
    });
  });

  test.each<[string, CheckedHead, number]>([
    ['a head with another hash', createHead(2, { hash: hash('f') }), 2],
    ['a head beyond the end', createHead(9), 5],
    ['a head that was changed', { ...createHead(2), isValid: false }, 2],
    ['a changed head from elsewhere', { ...createHead(3, {}, 'origin'), isValid: false }, 3],
    ['a local head of another store', createHead(2, { replica: 'r2' }), 1],
  ])('finds %s', (_, head, seq) => {
    expect(compare(createHead(1), head).broken).toMatchObject({ seq });
  });

  test('ignores heads of other stores on a remote', () => {
    expect(compare(createHead(9, { replica: 'r2' }, 'origin'))).toEqual({ level: 'unsigned', warnings: [] });
  });

  test('a segment replaces earlier heads beyond it, but not later ones', () => {
    const segment = createHead(3, { kind: 'segment', at: '2026-01-02T00:00:00.000Z', lost: { seq: 9, hash: hash('9') } });
    expect(compare(createHead(9), segment)).toMatchObject({ level: 'signed', warnings: [expect.stringContaining('entries 4 to 9')] });
    expect(compare(createHead(9, { at: '2026-01-03T00:00:00.000Z' }), segment).broken).toMatchObject({ seq: 5 });
    expect(compare(createHead(2, { hash: hash('f') }), segment).broken).toMatchObject({ seq: 2 });
  });
});

test.each([
  [4, 'signed'],
  [2, 'anchored'],
  [5, 'unsigned'],
])('entry %i is %s', (seq, level) => {
  const cover = (entries: number) => ({ entries, at, signer: 'ada' });
  expect(findLevelAt({ signed: cover(4), anchored: cover(3) }, seq)).toBe(level);
});

const key = `ed25519:${'A'.repeat(43)}=`;
test.each([
  [key, { publicKey: key, name: '…AAAAAAAAAAAA' }],
  [`ci ${key}`, { publicKey: key, name: 'ci' }],
  ['ada ssh-ed25519 AAAAC3Nz', { publicKey: 'ssh-ed25519 AAAAC3Nz', name: 'ada' }],
  ['ssh-ed25519   AAAAC3Nz ada@laptop', { publicKey: 'ssh-ed25519 AAAAC3Nz', name: 'ada@laptop' }],
  ['nonsense', undefined],
  ['ed25519:short', undefined],
  ['', undefined],
])('parses the signer %j', (text, signerOf) => {
  expect(parseSigner(text)).toEqual(signerOf);
});

test('parses heads from lines and from the answer of a server, and skips the rest', () => {
  const head = { version: 1, kind: 'head', project: 'p', replica: 'r', seq: 1, hash: hash('1'), at, signer: key, signature: 'x' };
  expect(parseHeads(`<<<<<<<\n${JSON.stringify(head)}\n\n{"seq":1}\n`)).toEqual({ heads: [head], invalidLines: 2 });
  expect(parseHeads(JSON.stringify({ success: true, heads: [head, head] })).heads).toHaveLength(2);
});

test('the signed text does not depend on the order of the keys, and leaves out the signature', () => {
  expect(toSignedText({ b: 1, a: 2, signature: 'x' })).toBe(toSignedText({ a: 2, b: 1 }));
  expect(toSignedText({ a: 1 })).not.toBe(toSignedText({ a: 2 }));
});

test.each([
  ['', undefined],
  ['---', undefined],
  ['--ss', undefined],
  ['-s-', 'entry 3 has'],
  ['s--s-', 'entries 2 to 3, 5 have'],
  ['s-s-s-s-s-', 'entries 2, 4, 6 and 2 more ranges have'],
])('entries %j, signed (s) or not (-): %s no signature', (entries, expected) => {
  const gaps: SignatureGap[] = [];
  [...entries].forEach((entry, i) => {
    stepSignatureGaps(gaps, i + 1, entry === 's', entries.slice(0, i).includes('s'));
  });
  expect(formatSignatureGaps(gaps)?.split(' no signature')[0]).toBe(expected);
});
