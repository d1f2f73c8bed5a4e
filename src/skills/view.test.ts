import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { skillView } from './view.ts';

const render = renderWith(skillView);

const own = { name: 'upload', category: 'core', origin: 'project', description: 'Knows how uploads go on where they stopped, and more' };

test('draws skills in rows and cuts everything except the name', async () => {
  const skills = [
    { ...own, shadows: ['user', 'bundled'] },
    { ...own, name: 'ct-test-writer-bats', category: 'testing', origin: 'bundled' },
  ];
  expect(await render({ skills: skills.map((skill) => ({ ...skill, origin: 'bundled', shadows: undefined })) }, {}, 60)).toBe(
    [
      'SKILL                CATEGORY  DESCRIPTION',
      'upload               core      Knows how uploads go on wher…',
      'ct-test-writer-bats  testing   Knows how uploads go on wher…',
      '',
    ].join('\n'),
  );
  expect(await render({ skills }, { warnings: ['.cleo/skills/x/SKILL.md: is not UTF-8'] })).toBe(
    [
      'SKILL                CATEGORY  ORIGIN   HIDES          DESCRIPTION',
      'upload               core      project  user, bundled  Knows how uploads go on…',
      'ct-test-writer-bats  testing   bundled                 Knows how uploads go on…',
      '',
      'warning: .cleo/skills/x/SKILL.md: is not UTF-8',
      '',
    ].join('\n'),
  );
});

test('draws one skill with description, triggers and text', async () => {
  const skill = {
    ...own,
    version: '1.2.0',
    stability: 'stable',
    tags: ['upload'],
    triggers: ['go on', 'resume'],
    protocol: 'implementation',
    path: '.cleo/skills/upload/SKILL.md',
    text: `# Title\n\n| a | b |\n\u001b[31m${'long '.repeat(30)}`,
  };
  const lines = (await render({ skill }, {}, 50)).split('\n');
  expect(lines.slice(0, 12)).toEqual([
    'upload',
    '  core · version 1.2.0 · stable · project',
    '',
    '  Knows how uploads go on where they stopped, and',
    '  more',
    '',
    '  tags      upload',
    '  triggers  go on, resume',
    '  protocol  implementation',
    '  path      .cleo/skills/upload/SKILL.md',
    '',
    '# Title',
  ]);
  expect(lines[13]).toBe('| a | b |');
  expect(lines[14]!.length).toBeGreaterThan(100);
  expect(lines.join('')).not.toContain('\u001b');
});

test('prints selected fields unchanged', async () => {
  expect(await render({ skills: [{ name: 'a' }, { name: 'b' }] })).toBe('a\nb\n');
  expect(await render({ skill: { path: 'x' } })).toBe('path  x\n');
});
