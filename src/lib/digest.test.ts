import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './digest.ts';

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq', '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
])('computes the published hash of %.20j', (text, hash) => {
  expect(sha256(text)).toBe(hash);
});

test('agrees with node:crypto for all lengths around a block and for any text', () => {
  const known = (text: string): string => createHash('sha256').update(text).digest('hex');
  for (let length = 0; length < 200; length++) expect(sha256('x'.repeat(length))).toBe(known('x'.repeat(length)));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(known(text));
    }),
  );
});
