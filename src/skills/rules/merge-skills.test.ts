import { expect, test } from 'vitest';
import type { Skill, SkillOrigin } from '../model/skill.ts';
import { mergeSkills, type SkillSource } from './merge-skills.ts';

const createSource = (origin: SkillOrigin, names: string[], more: Partial<SkillSource> = {}): SkillSource => ({
  origin,
  skills: names.map((name): Skill => ({ name, description: '', tags: [], triggers: [], origin, path: `${origin}/${name}`, text: '' })),
  order: [],
  rows: [],
  findings: [],
  path: `${origin}/catalog.json`,
  ...more,
});

test('prefers the project, then the user, and lists the hidden origins', () => {
  const { skills } = mergeSkills([
    createSource('project', ['a', 'b']),
    createSource('user', ['c', 'a']),
    createSource('bundled', ['a', 'b', 'd']),
  ]);
  expect(skills.map(({ name, origin, shadows }) => [name, origin, shadows])).toEqual([
    ['a', 'project', ['user', 'bundled']],
    ['b', 'project', ['bundled']],
    ['c', 'user', undefined],
    ['d', 'bundled', undefined],
  ]);
});

test('orders skills of one source by the catalog, then by name', () => {
  const { skills } = mergeSkills([createSource('bundled', ['b', 'd', 'a', 'c'], { order: ['d', 'c'] })]);
  expect(skills.map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
});

test('puts rows of the project first', () => {
  const { rows } = mergeSkills([
    createSource('project', ['a'], { rows: [{ phase: 'x', skill: 'a' }] }),
    createSource('bundled', ['b'], { rows: [{ phase: 'x', skill: 'b' }] }),
  ]);
  expect(rows.map(({ skill }) => skill)).toEqual(['a', 'b']);
});

test('warns about an unknown skill in the catalog', () => {
  const { findings } = mergeSkills([
    createSource('project', [], { order: ['a', 'gone'], rows: [{ phase: 'x', skill: 'gone' }] }),
    createSource('bundled', ['a']),
  ]);
  expect(findings).toEqual([
    {
      skill: 'gone',
      origin: 'project',
      path: 'project/catalog.json',
      severity: 'warning',
      message: 'is in the catalog, but does not exist',
    },
  ]);
});
