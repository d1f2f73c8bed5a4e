import { expect, test } from 'vitest';
import { harmlessShapes } from '../../test/harmless-shapes.ts';
import { harmlessTexts } from '../../test/harmless-texts.ts';
import { corpus } from '../../test/secret-corpus.ts';
import { secrets } from '../../test/secrets.ts';
import { findBeginnings, getSecretPattern, matchesAnyShape } from './secrets.ts';

test.each([
  ['\\bAIza[A-Z]{30}', ['AIza']],
  ['\\b(?:AKIA|ASIA)[A-Z]{16}', ['AKIA', 'ASIA']],
  ['\\bya29\\.[a-z]+', ['ya29.']],
  ['\\b1\\/\\/0[a-z]+', ['1//0']],
  ['-----BEGIN (?:RSA )*KEY', ['-----BEGIN ']],
  ['\\babc?def', ['ab']],
  ['\\babc+', ['ab']],
  ['\\b(?:bot)?\\d{8}', undefined],
  ['\\b[rsp]k_live', undefined],
  ['(?<=sig=)[a-z]+', undefined],
])('the beginnings of %s are %j', (source, expected) => {
  expect(findBeginnings(source)).toEqual(expected);
});

test('the check of a short text finds what the pattern for all shapes finds, and nothing else', () => {
  const samples = [...corpus.map(({ text }) => text), ...Object.values(secrets)];
  const texts = [
    ...samples.flatMap((text) => [
      text,
      `see ${text} there`,
      `\\n${text}`,
      `a%20${text}`,
      `_${text}`,
      `x${text}`,
      JSON.stringify({ text }),
    ]),
    ...harmlessTexts,
    ...harmlessShapes,
    'Fix the task-runner of src/components/header-of-the-page.ts',
    '/home/ada/project/.cleo/runs/run-mwnp9yoe8ef8b8/skill/yes/1/stdout.log',
  ].filter((text) => text.length <= 4000);
  const matches = texts.map((text) => text.search(getSecretPattern()) >= 0);
  expect(texts.filter((text, i) => matchesAnyShape(text) !== matches[i])).toEqual([]);
  expect([matches.filter(Boolean).length > 500, matches.filter((isMatch) => !isMatch).length > 200]).toEqual([true, true]);
});
