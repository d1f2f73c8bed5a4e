import { describe, expect, test } from 'vitest';
import type { DocSchema } from '../../model/doc-schema.ts';
import { completenessOf, headingWords, isTitled } from './completeness.ts';
import { missingSections } from './missing.ts';
import { builtInSchemas } from './schemas.ts';

const section = (id: string, titles: string[], minWords = 4, more: object = {}) => ({
  id,
  titles,
  required: true,
  weight: 1,
  minWords,
  ...more,
});
const one = (titles: string[], minWords = 4, more: object = {}): DocSchema => ({
  id: 'x',
  version: '1.0.0',
  sections: [section('it', titles, minWords, more)],
});
/** Written so that nobody takes it for a mark of ours. */
const later = ['TO', 'DO'].join('');
const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const score = (body: string, minWords = 4): number =>
  completenessOf(`# Doc\n\n## Goals\n\n${body}\n`, one(['goals'], minWords)).completeness;

describe('headings', () => {
  test.each<[string, string, boolean]>([
    ['1. Goals & Metrics', 'goals and metrics', true],
    ['Product Goals', 'goals', true],
    ['Non-Goals', 'goals', false],
    ['Out of Scope', 'scope', false],
    ['What is in scope, and out of it', 'scope', true],
    ['Non-Functional Requirements', 'functional requirements', false],
    ['Functional Requirements', 'functional requirements', true],
    ['Non-Functional Requirements', 'non functional requirements', true],
    ['ＧＯＡＬＳ', 'goals', true],
    ['Goalsetting', 'goals', false],
    ['Non-Functional Requirements', 'functional requirements | requirements', false],
    ['Nonfunctional Requirements', 'functional requirements | requirements', false],
    ['Requirements', 'functional requirements | requirements', true],
    ['Requirements, functional and non-functional', 'functional requirements | requirements', true],
    ['Goals and Non-Goals', 'goals', true],
    ['Re\u0301sume\u0301', 'r\u00e9sum\u00e9', true],
  ])('%s / %s', (heading, title, expected) => {
    expect(isTitled(headingWords(heading), title.split(' | ').map(headingWords))).toBe(expected);
  });

  test('the only heading of the first level is the title', () => {
    expect(completenessOf(`# Goals\n\n${words(9)}\n`, one(['goals'])).completeness).toBe(0);
    expect(completenessOf(`# Goals\n\n${words(9)}\n\n# More\n`, one(['goals'])).completeness).toBe(1);
  });

  test('the shallowest fits, then the first; and one may do for several', () => {
    const text = `# D\n\n### Goals\n\nno\n\n## Goals\n\n${words(4)}\n\n## Goals\n\nno\n`;
    expect(completenessOf(text, one(['goals'])).sections[0]).toMatchObject({ line: 7, score: 1 });
    const both = { ...one(['goals']), sections: [section('a', ['goals']), section('b', ['goals', 'aims'])] };
    expect(completenessOf(text, both).completeness).toBe(1);
  });

  test('functional requirements are found behind those that are not, and are not those', () => {
    const [prd] = builtInSchemas;
    const other = `# P\n\n## Non-Functional Requirements\n\n${words(20)}\n\n`;
    const headings = (text: string) =>
      completenessOf(text, prd!).sections.flatMap(({ id, line }) => (line === null ? [] : [`${id} ${line}`]));
    expect(headings(other)).toEqual(['non_functional_requirements 3']);
    expect(headings(`${other}## Requirements\n\nx\n`)).toEqual(['functional_requirements 7', 'non_functional_requirements 3']);
  });

  test('headings of other marks and inside of other blocks', () => {
    expect(completenessOf(`Title\n=====\n\nGoals\n-----\n\n${words(4)}\n`, one(['goals'])).completeness).toBe(1);
    expect(completenessOf(`# T\n\n## Why &amp; **what** [for](x)\n\n${words(4)}\n`, one(['why and what for'])).completeness).toBe(1);
    expect(completenessOf(`# T\n\n> ## Goals\n>\n> ${words(4)}\n`, one(['goals'])).completeness).toBe(0);
    expect(completenessOf(`# T\n\n\`\`\`\n## Goals\n${words(4)}\n\`\`\`\n`, one(['goals'])).completeness).toBe(0);
  });
});

describe('what counts', () => {
  test.each<[string, string, number]>([
    ['enough', words(4), 1],
    ['half', words(2), 0.5],
    ['nothing', '', 0],
    ['what stands below', `### More\n\n${words(4)}`, 1],
    ['not what stands beside', `## Next\n\n${words(4)}`, 0],
    ['list items', '- one two\n- three four', 1],
    ['rows of a table, not its head', '| a b c d | x |\n|---|---|\n| one two | three |', 0.75],
    ['code', '```\none two three four\n```', 1],
    ['no HTML', '<div>one two three four</div>', 0],
    ['no comment', '<!-- one two three four -->', 0],
    ['no images, no targets', '![one two](three/four.png) [a](b/c/d)', 0.25],
    ['no footnotes', '[^1]: one two three four', 0],
    ['quotes', '> one two three four', 1],
    ['an address is no word', '<https://a.example/b/c/d/e>', 0],
    ['TBD', 'TBD', 0],
    ['tbd in a sentence', 'The scope is tbd until later', 0],
    ['a mark to come back', `${later}: one two three four`, 0],
    ['a todo list is none', 'the todo list works', 1],
    ['nothing said', 'N/A', 0],
    ['dots', '...', 0],
    ['to be decided', 'This is To Be Decided by us', 0],
    ['half of the items', `- one two three four\n- ${later} five six seven`, 0.5],
    ['braces', '{describe the goals here}', 0],
    ['braces in a sentence', 'one two three four {five six}', 0.6667],
    ['brackets', '[fill this in please]', 0],
    ['brackets over two lines', '[fill this in\nplease, and soon]', 0],
    ['brackets with an emphasis', '[fill **this** in please]', 0],
    ['brackets that are meant', '\\[one two three four\\]', 1],
    ['less and more', 'p95 < 200 ms and rate > 100 rps', 1],
    ['a tag with a comma', '<your name, please, here>', 0],
    ['characters by name', 'one &amp; two &nbsp; &#116;hree', 0.75],
    ['a row of nothing', '| a | b |\n|---|---|\n| n/a | - |', 0],
    ['a link is no bracket', '[one two three four](x.md)', 1],
    ['a tag of nobody', '<your goals go here>', 0],
    ['braces of code are code', '`{ a: b, c: d }` one two', 1],
    ['a name in code is to be filled in', '`{Project Name Here Now}`', 0],
    ['footnote marks are no brackets, and no words', 'one two three[^1]', 0.75],
    ['boxes are no brackets', '- [ ] one two\n- [x] three four', 1],
    ['scripts without spaces', '目標は明確', 1],
  ])('%s', (_, body, expected) => {
    expect(score(body)).toBe(expected);
  });

  test('items, where they are asked for', () => {
    const items = (list: string) => completenessOf(`# D\n\n## Goals\n\n${list}\n`, one(['goals'], 4, { minItems: 4 })).completeness;
    expect(items('- one two\n- three four')).toBe(0.5);
    expect(items('- one two\n- three four\n-\n-')).toBe(0.5);
  });
});

test('weights decide, and what is not required does not', () => {
  const schema: DocSchema = {
    ...one([]),
    sections: [
      section('a', ['alpha'], 4, { weight: 3 }),
      section('b', ['beta'], 4),
      section('c', ['gamma'], 4, { required: false, weight: 9 }),
    ],
  };
  const result = completenessOf(`# D\n\n## Alpha\n\n${words(2)}\n\n## Beta\n\n${words(9)}\n`, schema);
  expect(result.completeness).toBe(0.625);
  expect(missingSections(result, true)).toEqual([]);
  expect(missingSections(result, ['c', 'b']).map(({ id }) => id)).toEqual(['c']);
});

test('a section that is next to nothing is there', () => {
  const found = completenessOf('# D\n\n## Goals\n\nword\n', one(['goals'], 100_000));
  expect([found.completeness, missingSections(found, true)]).toEqual([0, []]);
});

test('without required sections any word will do', () => {
  const schema = { ...one([]), sections: [] };
  expect([
    completenessOf('', schema).completeness,
    completenessOf('TBD', schema).completeness,
    completenessOf('A word', schema).completeness,
  ]).toEqual([0, 0, 1]);
});

test('line ends, a mark at the beginning and front matter change nothing', () => {
  const plain = `# D\n\n## Goals\n\n${words(3)}\n`;
  const expected = completenessOf(plain, one(['goals']));
  expect(completenessOf(plain.replaceAll('\n', '\r\n'), one(['goals']))).toEqual(expected);
  expect(completenessOf(`\ufeff${plain}`, one(['goals']))).toEqual(expected);
  expect(completenessOf(plain.replaceAll('\n', '\r'), one(['goals']))).toEqual(expected);
  const accents = plain.replaceAll('o', '\u00f6');
  const apart = completenessOf(accents.normalize('NFD'), one(['g\u00f6als']));
  expect({ ...apart, sections: apart.sections.map((found) => ({ ...found, heading: found.heading?.normalize('NFC') })) }).toEqual(
    completenessOf(accents, one(['go\u0308als'])),
  );
  const below = completenessOf(`---\ntitle: Goals\n---\n${plain}`, one(['goals']));
  expect(below.completeness).toBe(expected.completeness);
  expect(below.sections[0]!.line).toBe(expected.sections[0]!.line! + 3);
});

test('a document of nothing but headings is empty, and says what it lacks', () => {
  const [prd] = builtInSchemas;
  const text = '# PRD\n\n## Problem\n\nTBD\n\n## Goals\n\nTBD\n\n## Users\n\n## Functional Requirements\n\nTBD\n';
  const result = completenessOf(text, prd!);
  expect(result.completeness).toBe(0);
  expect(missingSections(result, true)).toHaveLength(7);
  expect(result.sections.find(({ id }) => id === 'scope')).toMatchObject({ heading: null, lacks: ['a heading such as "scope"'] });
});
