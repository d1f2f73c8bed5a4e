import { describe, expect, test } from 'vitest';
import type { DocSchema } from '../../model/doc-schema.ts';
import { listMissingSections } from '../gate/gate.ts';
import { hasTitle, measureCompleteness, toHeadingWords } from './completeness.ts';
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
/** Split, so that tools that search for open marks do not report this file. */
const marker = ['TO', 'DO'].join('');
const words = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const score = (body: string, minWords = 4): number =>
  measureCompleteness(`# Doc\n\n## Goals\n\n${body}\n`, one(['goals'], minWords)).completeness;

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
  ])('heading %j matches %j: %s', (heading, title, expected) => {
    expect(hasTitle(toHeadingWords(heading), title.split(' | ').map(toHeadingWords))).toBe(expected);
  });

  test('the only heading of level 1 is the title of the document', () => {
    expect(measureCompleteness(`# Goals\n\n${words(9)}\n`, one(['goals'])).completeness).toBe(0);
    expect(measureCompleteness(`# Goals\n\n${words(9)}\n\n# More\n`, one(['goals'])).completeness).toBe(1);
  });

  test('picks the highest level, then the first; one heading can match several sections', () => {
    const text = `# D\n\n### Goals\n\nno\n\n## Goals\n\n${words(4)}\n\n## Goals\n\nno\n`;
    expect(measureCompleteness(text, one(['goals'])).sections[0]).toMatchObject({ line: 7, score: 1 });
    const both = { ...one(['goals']), sections: [section('a', ['goals']), section('b', ['goals', 'aims'])] };
    expect(measureCompleteness(text, both).completeness).toBe(1);
  });

  test('does not confuse functional and non-functional requirements', () => {
    const [prd] = builtInSchemas;
    const other = `# P\n\n## Non-Functional Requirements\n\n${words(20)}\n\n`;
    const headings = (text: string) =>
      measureCompleteness(text, prd!).sections.flatMap(({ id, line }) => (line === null ? [] : [`${id} ${line}`]));
    expect(headings(other)).toEqual(['non_functional_requirements 3']);
    expect(headings(`${other}## Requirements\n\nx\n`)).toEqual(['functional_requirements 7', 'non_functional_requirements 3']);
  });

  test('reads underlined headings, and ignores headings in quotes and code', () => {
    expect(measureCompleteness(`Title\n=====\n\nGoals\n-----\n\n${words(4)}\n`, one(['goals'])).completeness).toBe(1);
    expect(measureCompleteness(`# T\n\n## Why &amp; **what** [for](x)\n\n${words(4)}\n`, one(['why and what for'])).completeness).toBe(1);
    expect(measureCompleteness(`# T\n\n> ## Goals\n>\n> ${words(4)}\n`, one(['goals'])).completeness).toBe(0);
    expect(measureCompleteness(`# T\n\n\`\`\`\n## Goals\n${words(4)}\n\`\`\`\n`, one(['goals'])).completeness).toBe(0);
  });
});

describe('the score of a section', () => {
  test.each<[string, string, number]>([
    ['enough words', words(4), 1],
    ['half of the words', words(2), 0.5],
    ['an empty section', '', 0],
    ['a subsection', `### More\n\n${words(4)}`, 1],
    ['the next section does not count', `## Next\n\n${words(4)}`, 0],
    ['list items', '- one two\n- three four', 1],
    ['rows of a table, not its head', '| a b c d | x |\n|---|---|\n| one two | three |', 0.75],
    ['code', '```\none two three four\n```', 1],
    ['HTML does not count', '<div>one two three four</div>', 0],
    ['comments do not count', '<!-- one two three four -->', 0],
    ['images and link targets do not count', '![one two](three/four.png) [a](b/c/d)', 0.25],
    ['footnotes do not count', '[^1]: one two three four', 0],
    ['quotes', '> one two three four', 1],
    ['a bare URL does not count', '<https://a.example/b/c/d/e>', 0],
    ['TBD', 'TBD', 0],
    ['tbd in a sentence', 'The scope is tbd until later', 0],
    ['an upper-case mark', `${marker}: one two three four`, 0],
    ['a lower-case todo is text', 'the todo list works', 1],
    ['not applicable', 'N/A', 0],
    ['dots', '...', 0],
    ['to be decided', 'This is To Be Decided by us', 0],
    ['a mark in one of two items', `- one two three four\n- ${marker} five six seven`, 0.5],
    ['braces', '{describe the goals here}', 0],
    ['braces in a sentence', 'one two three four {five six}', 0.6667],
    ['brackets', '[fill this in please]', 0],
    ['brackets over two lines', '[fill this in\nplease, and soon]', 0],
    ['brackets with an emphasis', '[fill **this** in please]', 0],
    ['escaped brackets are text', '\\[one two three four\\]', 1],
    ['comparison signs are text', 'p95 < 200 ms and rate > 100 rps', 1],
    ['an unknown tag with a comma', '<your name, please, here>', 0],
    ['character references', 'one &amp; two &nbsp; &#116;hree', 0.75],
    ['a table row without content', '| a | b |\n|---|---|\n| n/a | - |', 0],
    ['a link is text', '[one two three four](x.md)', 1],
    ['an unknown tag', '<your goals go here>', 0],
    ['braces in code are text', '`{ a: b, c: d }` one two', 1],
    ['a capitalized name in code braces', '`{Project Name Here Now}`', 0],
    ['footnote references do not count', 'one two three[^1]', 0.75],
    ['check boxes are not placeholders', '- [ ] one two\n- [x] three four', 1],
    ['scripts without spaces', '目標は明確', 1],
  ])('%s', (_, body, expected) => {
    expect(score(body)).toBe(expected);
  });

  test('counts non-empty items if the schema needs them', () => {
    const items = (list: string) => measureCompleteness(`# D\n\n## Goals\n\n${list}\n`, one(['goals'], 4, { minItems: 4 })).completeness;
    expect(items('- one two\n- three four')).toBe(0.5);
    expect(items('- one two\n- three four\n-\n-')).toBe(0.5);
  });
});

test('weights required sections and ignores optional ones', () => {
  const schema: DocSchema = {
    ...one([]),
    sections: [
      section('a', ['alpha'], 4, { weight: 3 }),
      section('b', ['beta'], 4),
      section('c', ['gamma'], 4, { required: false, weight: 9 }),
    ],
  };
  const result = measureCompleteness(`# D\n\n## Alpha\n\n${words(2)}\n\n## Beta\n\n${words(9)}\n`, schema);
  expect(result.completeness).toBe(0.625);
  expect(listMissingSections(result, true)).toEqual([]);
  expect(listMissingSections(result, ['c', 'b']).map(({ id }) => id)).toEqual(['c']);
});

test('a section whose score rounds to 0 is not missing', () => {
  const found = measureCompleteness('# D\n\n## Goals\n\nword\n', one(['goals'], 100_000));
  expect([found.completeness, listMissingSections(found, true)]).toEqual([0, []]);
});

test('without required sections any word is complete', () => {
  const schema = { ...one([]), sections: [] };
  expect([
    measureCompleteness('', schema).completeness,
    measureCompleteness('TBD', schema).completeness,
    measureCompleteness('A word', schema).completeness,
  ]).toEqual([0, 0, 1]);
});

test('ignores line ends, byte order mark and front matter', () => {
  const plain = `# D\n\n## Goals\n\n${words(3)}\n`;
  const expected = measureCompleteness(plain, one(['goals']));
  expect(measureCompleteness(plain.replaceAll('\n', '\r\n'), one(['goals']))).toEqual(expected);
  expect(measureCompleteness(`\ufeff${plain}`, one(['goals']))).toEqual(expected);
  expect(measureCompleteness(plain.replaceAll('\n', '\r'), one(['goals']))).toEqual(expected);
  const accents = plain.replaceAll('o', '\u00f6');
  const decomposed = measureCompleteness(accents.normalize('NFD'), one(['g\u00f6als']));
  expect({ ...decomposed, sections: decomposed.sections.map((found) => ({ ...found, heading: found.heading?.normalize('NFC') })) }).toEqual(
    measureCompleteness(accents, one(['go\u0308als'])),
  );
  const below = measureCompleteness(`---\ntitle: Goals\n---\n${plain}`, one(['goals']));
  expect(below.completeness).toBe(expected.completeness);
  expect(below.sections[0]!.line).toBe(expected.sections[0]!.line! + 3);
});

test('a document of headings and placeholders has completeness 0 and lists what it lacks', () => {
  const [prd] = builtInSchemas;
  const text = '# PRD\n\n## Problem\n\nTBD\n\n## Goals\n\nTBD\n\n## Users\n\n## Functional Requirements\n\nTBD\n';
  const result = measureCompleteness(text, prd!);
  expect(result.completeness).toBe(0);
  expect(listMissingSections(result, true)).toHaveLength(7);
  expect(result.sections.find(({ id }) => id === 'scope')).toMatchObject({ heading: null, lacks: ['a heading such as "scope"'] });
});
