import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asNobody, temporary } from '../../test/temporary.ts';
import { allSkills, largestSkill } from './skills.ts';

const text = (name: string, more = ''): string => `---\nname: ${name}\ndescription: Does it\n${more}---\n\nDo it.\n`;
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const places = () => {
  const top = temporary();
  const [root, home] = [join(top, 'project'), join(top, 'home')];
  mkdirSync(join(root, '.cleo', 'skills'), { recursive: true });
  mkdirSync(home);
  const project = { root, folder: join(root, '.cleo') };
  return { top, root, home, mine: join(root, '.cleo', 'skills'), project, all: () => allSkills(project, home) };
};

test('our own are there, in the order of the catalogue, without a remark', async () => {
  const { home } = places();
  const { skills, findings, rows } = await allSkills(undefined, home);
  expect(findings).toEqual([]);
  expect(skills).toHaveLength(11);
  expect(new Set(skills.map(({ origin }) => origin))).toEqual(new Set(['bundled']));
  expect(skills.at(-1)?.name).toBe('ct-task-executor');
  expect(rows.length).toBeGreaterThan(9);
});

test('those of the project and of the user are found, and win', async () => {
  const { mine, home, all } = places();
  put(join(mine, 'ct-cleo', 'SKILL.md'), text('ct-cleo'));
  put(join(mine, 'README.md'), 'not a skill');
  put(join(mine, '.aside', 'SKILL.md'), 'not one either');
  put(join(home, 'skills', 'own', 'SKILL.md'), text('own'));
  put(join(home, 'skills', 'catalog.json'), '{"rows":[{"phase":"own","skill":"own"}]}');
  const { skills, rows, findings } = await all();
  expect(findings).toEqual([]);
  expect(skills.slice(0, 2)).toMatchObject([
    { name: 'ct-cleo', origin: 'project', path: '.cleo/skills/ct-cleo/SKILL.md', shadows: ['bundled'], text: 'Do it.' },
    { name: 'own', origin: 'user', path: join(home, 'skills', 'own', 'SKILL.md') },
  ]);
  expect(skills.filter(({ name }) => name === 'ct-cleo')).toHaveLength(1);
  expect(rows[0]).toEqual({ phase: 'own', skill: 'own' });
});

describe('what cannot be taken is reported, and the rest is in force', () => {
  test.each<[why: string, make: (folder: string, top: string) => void, message: RegExp]>([
    ['no SKILL.md', (folder) => put(join(folder, 'skill.md'), text('bad')), /^there is no SKILL.md/],
    ['a folder in its place', (folder) => mkdirSync(join(folder, 'SKILL.md'), { recursive: true }), /^is no plain file/],
    ['a pipe', (folder) => pipe(join(folder, 'SKILL.md')), /^is no plain file/],
    ['too long', (folder) => put(join(folder, 'SKILL.md'), text('bad') + 'x'.repeat(largestSkill)), /^is longer than 65536 bytes/],
    ['another encoding', (folder) => put(join(folder, 'SKILL.md'), Buffer.from(text('bad', 'license: \xe9\n'), 'latin1')), /^is not UTF-8/],
    ['a link out of the project', (folder, top) => link(folder, join(top, 'secret.md')), /^is a link that leads out/],
    ['a link to a system file', (folder) => link(folder, '/etc/hostname'), /^is a link that leads out/],
    ['a link to nothing', (folder) => link(folder, 'nowhere'), /^there is no SKILL.md/],
    ['a link to itself', (folder) => link(folder, 'SKILL.md'), /^is a link that leads nowhere/],
    ['front matter that is none', (folder) => put(join(folder, 'SKILL.md'), '---\nname: [\n---\nx'), /^line 3: /],
    ['another name', (folder) => put(join(folder, 'SKILL.md'), text('good')), /^name is good/],
  ])('%s', async (_, make, message) => {
    const { mine, top, all } = places();
    put(join(top, 'secret.md'), text('bad'));
    put(join(mine, 'good', 'SKILL.md'), text('good'));
    make(join(mine, 'bad'), top);
    const { skills, findings } = await all();
    expect(skills[0]?.name).toBe('good');
    expect(skills).toHaveLength(12);
    expect(findings).toEqual([
      { skill: 'bad', origin: 'project', path: '.cleo/skills/bad/SKILL.md', severity: 'error', message: expect.stringMatching(message) },
    ]);
  });

  test('a folder that is a link out, and one that stays inside', async () => {
    const { mine, root, top, all } = places();
    put(join(top, 'elsewhere', 'SKILL.md'), text('out'));
    put(join(root, 'tools', 'near', 'SKILL.md'), text('near'));
    symlinkSync(join(top, 'elsewhere'), join(mine, 'out'));
    symlinkSync(join(root, 'tools', 'near'), join(mine, 'near'));
    const { skills, findings } = await all();
    expect(skills[0]).toMatchObject({ name: 'near', path: '.cleo/skills/near/SKILL.md' });
    expect(findings).toMatchObject([{ skill: 'out', message: 'is a link that leads out' }]);
  });

  test('a folder that may not be read', async () => {
    const { mine, top, all } = places();
    chmodSync(mine, 0o000);
    chmodSync(top, 0o755);
    const { findings, skills } = await asNobody(all);
    expect(findings).toMatchObject([{ skill: 'skills', path: '.cleo/skills', message: 'permission denied' }]);
    expect(skills).toHaveLength(11);
  });

  test('a catalogue that is broken, and a file in place of the folder', async () => {
    const { mine, home, all } = places();
    put(join(mine, 'catalog.json'), '{');
    put(join(home, 'skills'), 'a file');
    const { findings, skills } = await all();
    expect(findings).toMatchObject([
      { skill: 'catalog.json', origin: 'project', message: expect.stringMatching(/^is not JSON/) },
      { skill: 'skills', origin: 'user', message: 'is no folder' },
    ]);
    expect(skills).toHaveLength(11);
  });

  test('a skill of the project that is broken does not hide ours', async () => {
    const { mine, all } = places();
    put(join(mine, 'ct-cleo', 'SKILL.md'), 'nothing');
    const { skills, findings } = await all();
    expect(skills.find(({ name }) => name === 'ct-cleo')).toMatchObject({ origin: 'bundled' });
    expect(findings).toHaveLength(1);
  });

  test('more than anybody has', async () => {
    const { mine, all } = places();
    for (let i = 0; i <= 1000; i += 1) mkdirSync(join(mine, `skill-${i}`));
    const { findings, skills } = await all();
    expect(findings).toContainEqual(expect.objectContaining({ skill: 'skills', message: 'holds more than 1000' }));
    expect(skills).toHaveLength(11);
  });
});

function pipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync('mkfifo', [path]);
}

function link(folder: string, target: string): void {
  mkdirSync(folder, { recursive: true });
  symlinkSync(target, join(folder, 'SKILL.md'));
}
