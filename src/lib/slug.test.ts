import { expect, test } from 'vitest';
import { slugify } from './slug.ts';

test.each<[text: string, slug: string, options?: Partial<Parameters<typeof slugify>[1]>]>([
  ['Write the parser', 'write-the-parser'],
  ['  --Über uns!--  ', 'uber-uns'],
  ['a - b', 'a-b'],
  ['日本', ''],
  ['', ''],
  ['?!', ''],
  ['one two three', 'one-two', { maxLength: 8 }],
  ['My App 2', 'my_app_2', { separator: '_' }],
  ['v1.2_beta x', 'v1.2_beta-x', { allow: '._' }],
  ['._', '', { allow: '._' }],
])('%j becomes %j', (text, slug, options) => {
  expect(slugify(text, { maxLength: 64, ...options })).toBe(slug);
});

test('trims the separator in linear time', () => {
  expect(slugify('-'.repeat(100_000), { maxLength: 64, allow: '-' })).toBe('');
});
