import { describe, expect, test } from 'vitest';
import { parseSkill, parseSkillCatalog } from './parse-skill.ts';

const source = (fields: Record<string, string>, metadata: Record<string, string> = {}, body = 'Do this.\n'): string =>
  `---\n${Object.entries({ name: 'a-skill', description: 'What it does', ...fields })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}${Object.keys(metadata).length ? 'metadata:\n' : ''}${Object.entries(metadata)
    .map(([key, value]) => `  ${key}: ${value}\n`)
    .join('')}---\n\n${body}`;

describe('parseSkill', () => {
  test('reads all fields', () => {
    const metadata = {
      version: '1.10',
      category: 'writing',
      tags: 'docs, guide, docs',
      triggers: '[write a guide, "a, b"]',
      protocol: 'specification',
      lastReviewed: '2026-05-27T00:00:00.000Z',
      stability: 'stable',
    };
    expect(parseSkill('a-skill', source({ license: 'MIT', description: '>-\n  What\n  it does' }, metadata))).toEqual({
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

  test('reads a skill with required fields only', () => {
    expect(parseSkill('a-skill', source({}))).toEqual({
      skill: { name: 'a-skill', description: 'What it does', tags: [], triggers: [], text: 'Do this.' },
      remarks: [],
    });
  });
});

describe('refuses', () => {
  test.each<[why: string, text: string, message: RegExp]>([
    ['no front matter', '# Title', /does not begin with front matter/],
    ['no name', source({ name: '""' }), /^name is missing/],
    ['a name of another form', source({ name: 'A_Skill' }), /^name must be 1-64 of a-z/],
    ['two hyphens', source({ name: 'a--skill' }), /^name must be/],
    ['a name that is too long', source({ name: 'a'.repeat(65) }), /^name must be/],
    ['another name than its folder', source({ name: 'b' }), /^name is b, but its folder is "a-skill"/],
    ['a name that is a list', source({ name: '[a-skill]' }), /^name is missing/],
    ['no description', source({ description: '"  "' }), /^description is missing/],
    ['a description that is too long', source({ description: 'x'.repeat(1025) }), /^description has more than 1,024/],
    ['an empty body', source({}, {}, ' \n'), /^there is no text after/],
    ['NUL', source({}, {}, 'a\0b'), /^contains NUL/],
    ['metadata that is a list', source({ metadata: '[a]' }), /^metadata is not a map/],
    ['an unknown protocol', source({}, { protocol: 'magic' }), /^protocol "magic" is not one of research, /],
    ['tags that are a map', source({}, { tags: '{a: b}' }), /^tags and triggers must be lists/],
    ['triggers with a list inside', source({}, { triggers: '[[a]]' }), /^tags and triggers must be lists/],
  ])('%s', (_, text, message) => {
    const { skill, remarks } = parseSkill('a-skill', text);
    expect(skill).toBeUndefined();
    expect(remarks.filter(({ severity }) => severity === 'error').map((remark) => remark.message)).toEqual([
      expect.stringMatching(message),
    ]);
  });

  test('all problems at once, with long values shortened', () => {
    const { remarks } = parseSkill('x', source({ name: 'N'.repeat(5000), description: '""' }, { protocol: 'p'.repeat(5000) }));
    expect(remarks).toHaveLength(3);
    for (const { message } of remarks) expect(message.length).toBeLessThan(300);
  });
});

describe('warns about', () => {
  test.each<[why: string, text: string, message: RegExp]>([
    ['a tag that no label can match', source({}, { tags: 'Docs' }), /^tag "Docs" cannot match/],
    ['an unknown field', source({ version: '1' }), /^"version" is not a field of the convention/],
    ['an invalid version', source({}, { version: 'new' }), /^version "new"/],
    ['an invalid date', source({}, { lastReviewed: 'May' }), /^lastReviewed "May"/],
    ['an unknown stability', source({}, { stability: 'ok' }), /^stability "ok" is not one of stable, /],
    ['a version that is a list', source({}, { version: '[1]' }), /^version is not text/],
    ['an unknown token', source({}, {}, `{{TASK_ID}} {{ MINE }} ${'$'}{{ THEIRS }} {{MINE}}`), /^\{\{MINE\}\} is an unknown token/],
    ['a long text', source({}, {}, 'Do this and that. '.repeat(3000)), /^the text is longer than 5000 tokens/],
  ])('%s', (_, text, message) => {
    const { skill, remarks } = parseSkill('a-skill', text);
    expect(skill?.name).toBe('a-skill');
    expect(remarks).toEqual([{ severity: 'warning', message: expect.stringMatching(message) }]);
  });
});

describe('parseSkillCatalog', () => {
  test('reads order and rows', () => {
    expect(
      parseSkillCatalog('{"order":["a"],"rows":[{"phase":"core","size":"small","skill":"a"},{"stage":"release","skill":"b"}]}'),
    ).toEqual({
      order: ['a'],
      rows: [
        { phase: 'core', size: 'small', skill: 'a' },
        { stage: 'release', skill: 'b' },
      ],
      remarks: [],
    });
    expect(parseSkillCatalog('{}')).toEqual({ order: [], rows: [], remarks: [] });
  });

  test.each<[text: string, message: RegExp]>([
    ['{', /^is not JSON/],
    ['[]', /^is not an object/],
    ['{"order":[1]}', /^order is not a list of names/],
    ['{"rows":{}}', /^rows is not a list/],
    ['{"rows":[1]}', /^row 1 is not an object of strings/],
    ['{"rows":[{"skill":"a","phase":1}]}', /^row 1 is not an object of strings/],
    ['{"rows":[{"phase":"x"}]}', /^row 1 names no skill/],
    ['{"rows":[{"skill":"a"}]}', /^row 1 has no condition/],
    ['{"rows":[{"skill":"a","label":"x"}]}', /^row 1 has the unknown condition "label"; use phase, size, stage, protocol/],
    ['{"rows":[{"skill":"a","protocol":"x"}]}', /^row 1 has the unknown protocol "x"/],
  ])('%s', (text, message) => {
    const { rows, remarks } = parseSkillCatalog(text);
    expect(rows).toEqual([]);
    expect(remarks).toEqual([{ severity: 'error', message: expect.stringMatching(message) }]);
  });

  test('skips an invalid row and keeps the others', () => {
    const { rows, remarks } = parseSkillCatalog('{"rows":[{"skill":"a"},{"skill":"b","phase":"core"}]}');
    expect(rows).toEqual([{ skill: 'b', phase: 'core' }]);
    expect(remarks).toHaveLength(1);
  });
});
