import { describe, expect, test } from 'vitest';
import { readCatalogue, readSkill } from './skill-read.ts';

const source = (fields: Record<string, string>, metadata: Record<string, string> = {}, body = 'Do this.\n'): string =>
  `---\n${Object.entries({ name: 'a-skill', description: 'What it does', ...fields })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}${Object.keys(metadata).length ? 'metadata:\n' : ''}${Object.entries(metadata)
    .map(([key, value]) => `  ${key}: ${value}\n`)
    .join('')}---\n\n${body}`;

describe('a skill', () => {
  test('with everything', () => {
    const metadata = {
      version: '1.10',
      category: 'writing',
      tags: 'docs, guide, docs',
      triggers: '[write a guide, "a, b"]',
      protocol: 'specification',
      lastReviewed: '2026-05-27T00:00:00.000Z',
      stability: 'stable',
    };
    expect(readSkill('a-skill', source({ license: 'MIT', description: '>-\n  What\n  it does' }, metadata))).toEqual({
      skill: {
        name: 'a-skill',
        description: 'What it does',
        version: '1.10',
        category: 'writing',
        tags: ['docs', 'guide'],
        triggers: ['write a guide', 'a, b'],
        protocol: 'specification',
        lastReviewed: '2026-05-27T00:00:00.000Z',
        stability: 'stable',
        text: 'Do this.',
      },
      remarks: [],
    });
  });

  test('with the least', () => {
    expect(readSkill('a-skill', source({}))).toEqual({
      skill: { name: 'a-skill', description: 'What it does', tags: [], triggers: [], text: 'Do this.' },
      remarks: [],
    });
  });
});

describe('what makes it none', () => {
  test.each<[why: string, text: string, message: RegExp]>([
    ['no front matter', '# Title', /does not begin with front matter/],
    ['no name', source({ name: '""' }), /^name is missing/],
    ['a name of another form', source({ name: 'A_Skill' }), /^name must be 1-64 of a-z/],
    ['two hyphens', source({ name: 'a--skill' }), /^name must be/],
    ['a name that is too long', source({ name: 'a'.repeat(65) }), /^name must be/],
    ['another name than its folder', source({ name: 'b' }), /^name is b, but its folder is called "a-skill"/],
    ['a name that is a list', source({ name: '[a-skill]' }), /^name is missing/],
    ['no description', source({ description: '"  "' }), /^description is missing/],
    ['a description that is too long', source({ description: 'x'.repeat(1025) }), /^description has more than 1,024/],
    ['nothing to read', source({}, {}, ' \n'), /^there is nothing behind/],
    ['NUL', source({}, {}, 'a\0b'), /^holds NUL/],
    ['metadata that is a list', source({ metadata: '[a]' }), /^metadata is no list/],
    ['a protocol that there is not', source({}, { protocol: 'magic' }), /^protocol "magic" is none of research, /],
    ['tags that are a map', source({}, { tags: '{a: b}' }), /^tags and triggers are lists/],
    ['triggers with a list inside', source({}, { triggers: '[[a]]' }), /^tags and triggers are lists/],
  ])('%s', (_, text, message) => {
    const { skill, remarks } = readSkill('a-skill', text);
    expect(skill).toBeUndefined();
    expect(remarks.filter(({ severity }) => severity === 'error').map((remark) => remark.message)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test('all of it is told at once, and what others wrote is not repeated at length', () => {
    const { remarks } = readSkill('x', source({ name: 'N'.repeat(5000), description: '""' }, { protocol: 'p'.repeat(5000) }));
    expect(remarks).toHaveLength(3);
    for (const { message } of remarks) expect(message.length).toBeLessThan(300);
  });
});

describe('what is only remarked', () => {
  test.each<[why: string, text: string, message: RegExp]>([
    ['a tag that no label can be', source({}, { tags: 'Docs' }), /^no label can equal the tag "Docs"/],
    ['a field that the convention does not know', source({ version: '1' }), /^"version" is no field of the convention/],
    ['a version that is none', source({}, { version: 'new' }), /^version "new"/],
    ['a date that is none', source({}, { lastReviewed: 'May' }), /^lastReviewed "May"/],
    ['a stability that is none', source({}, { stability: 'ok' }), /^stability "ok" is none of stable, /],
    ['a version that is a list', source({}, { version: '[1]' }), /^version is no text/],
    ['a token that nobody fills', source({}, {}, `{{TASK_ID}} {{ MINE }} ${'$'}{{ THEIRS }} {{MINE}}`), /^\{\{MINE\}\} is no token/],
    ['a long text', source({}, {}, 'Do this and that. '.repeat(3000)), /^the text is longer than 5000 tokens/],
  ])('%s', (_, text, message) => {
    const { skill, remarks } = readSkill('a-skill', text);
    expect(skill?.name).toBe('a-skill');
    expect(remarks).toEqual([{ severity: 'warning', message: expect.stringMatching(message) }]);
  });
});

describe('a catalogue', () => {
  test('with an order and rows', () => {
    expect(readCatalogue('{"order":["a"],"rows":[{"phase":"core","size":"small","skill":"a"},{"stage":"release","skill":"b"}]}')).toEqual({
      order: ['a'],
      rows: [
        { phase: 'core', size: 'small', skill: 'a' },
        { stage: 'release', skill: 'b' },
      ],
      remarks: [],
    });
    expect(readCatalogue('{}')).toEqual({ order: [], rows: [], remarks: [] });
  });

  test.each<[text: string, message: RegExp]>([
    ['{', /^is not JSON/],
    ['[]', /^is no object/],
    ['{"order":[1]}', /^order is no list of names/],
    ['{"rows":{}}', /^rows is no list/],
    ['{"rows":[1]}', /^row 1 is no object of texts/],
    ['{"rows":[{"skill":"a","phase":1}]}', /^row 1 is no object of texts/],
    ['{"rows":[{"phase":"x"}]}', /^row 1 names no skill/],
    ['{"rows":[{"skill":"a"}]}', /^row 1 asks for nothing/],
    ['{"rows":[{"skill":"a","label":"x"}]}', /^row 1 asks for "label", which is none of phase, size, stage, protocol/],
    ['{"rows":[{"skill":"a","protocol":"x"}]}', /^row 1 asks for a protocol that there is not: "x"/],
  ])('%s', (text, message) => {
    const { rows, remarks } = readCatalogue(text);
    expect(rows).toEqual([]);
    expect(remarks).toEqual([{ severity: 'error', message: expect.stringMatching(message) }]);
  });

  test('a bad row leaves the others in force', () => {
    const { rows, remarks } = readCatalogue('{"rows":[{"skill":"a"},{"skill":"b","phase":"core"}]}');
    expect(rows).toEqual([{ skill: 'b', phase: 'core' }]);
    expect(remarks).toHaveLength(1);
  });
});
