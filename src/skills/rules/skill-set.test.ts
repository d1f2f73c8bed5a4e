import { expect, test } from 'vitest';
import type { Skill, SkillOrigin } from '../model/skill.ts';
import { inForce, type SkillPlace } from './skill-set.ts';

const place = (origin: SkillOrigin, names: string[], more: Partial<SkillPlace> = {}): SkillPlace => ({
  origin,
  skills: names.map((name): Skill => ({ name, description: '', tags: [], triggers: [], origin, path: `${origin}/${name}`, text: '' })),
  order: [],
  rows: [],
  findings: [],
  path: `${origin}/catalog.json`,
  ...more,
});

test('of one name that of the project wins, then that of the user; the others are told', () => {
  const { skills } = inForce([place('project', ['a', 'b']), place('user', ['c', 'a']), place('bundled', ['a', 'b', 'd'])]);
  expect(skills.map(({ name, origin, shadows }) => [name, origin, shadows])).toEqual([
    ['a', 'project', ['user', 'bundled']],
    ['b', 'project', ['bundled']],
    ['c', 'user', undefined],
    ['d', 'bundled', undefined],
  ]);
});

test('within a place the catalogue orders; what it leaves out follows by name', () => {
  const { skills } = inForce([place('bundled', ['b', 'd', 'a', 'c'], { order: ['d', 'c'] })]);
  expect(skills.map(({ name }) => name)).toEqual(['d', 'c', 'a', 'b']);
});

test('rows of the project come before those of others', () => {
  const { rows } = inForce([
    place('project', ['a'], { rows: [{ phase: 'x', skill: 'a' }] }),
    place('bundled', ['b'], { rows: [{ phase: 'x', skill: 'b' }] }),
  ]);
  expect(rows.map(({ skill }) => skill)).toEqual(['a', 'b']);
});

test('a catalogue that names what is nowhere is told so', () => {
  const { findings } = inForce([
    place('project', [], { order: ['a', 'gone'], rows: [{ phase: 'x', skill: 'gone' }] }),
    place('bundled', ['a']),
  ]);
  expect(findings).toEqual([
    {
      skill: 'gone',
      origin: 'project',
      path: 'project/catalog.json',
      severity: 'warning',
      message: 'the catalogue names it, and there is none',
    },
  ]);
});
