import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTempFolder, runAsNobody } from '../../test/temp-folder.ts';
import { loadSkills, maxSkillBytes } from './skills.ts';

const createSkillText = (name: string, more = ''): string => `---\nname: ${name}\ndescription: Does it\n${more}---\n\nDo it.\n`;
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};
const createFolders = () => {
  const top = createTempFolder();
  const [root, home] = [join(top, 'project'), join(top, 'home')];
  mkdirSync(join(root, '.cleo', 'skills'), { recursive: true });
  mkdirSync(home);
  const project = { root, folder: join(root, '.cleo') };
  return { top, root, home, mine: join(root, '.cleo', 'skills'), project, load: () => loadSkills(project, home) };
};

test('loads the bundled skills in catalog order without findings', async () => {
  const { home } = createFolders();
  const { skills, findings, rows } = await loadSkills(undefined, home);
  expect(findings).toEqual([]);
  expect(skills).toHaveLength(11);
  expect(new Set(skills.map(({ origin }) => origin))).toEqual(new Set(['bundled']));
  expect(skills.at(-1)?.name).toBe('ct-task-executor');
  expect(rows.length).toBeGreaterThan(9);
});

test('project and user skills override bundled ones', async () => {
  const { mine, home, load } = createFolders();
  put(join(mine, 'ct-cleo', 'SKILL.md'), createSkillText('ct-cleo'));
  put(join(mine, 'README.md'), 'not a skill');
  put(join(mine, '.aside', 'SKILL.md'), 'not one either');
  put(join(home, 'skills', 'own', 'SKILL.md'), createSkillText('own'));
  put(join(home, 'skills', 'catalog.json'), '{"rows":[{"phase":"own","skill":"own"}]}');
  const { skills, rows, findings } = await load();
  expect(findings).toEqual([]);
  expect(skills.slice(0, 2)).toMatchObject([
    { name: 'ct-cleo', origin: 'project', path: '.cleo/skills/ct-cleo/SKILL.md', shadows: ['bundled'], text: 'Do it.' },
    { name: 'own', origin: 'user', path: join(home, 'skills', 'own', 'SKILL.md') },
  ]);
  expect(skills.filter(({ name }) => name === 'ct-cleo')).toHaveLength(1);
  expect(rows[0]).toEqual({ phase: 'own', skill: 'own' });
});

describe('reports invalid skills and loads the others', () => {
  test.each<[why: string, make: (folder: string, top: string) => void, message: RegExp]>([
    ['no SKILL.md', (folder) => put(join(folder, 'skill.md'), createSkillText('bad')), /^SKILL.md is missing/],
    ['a folder in its place', (folder) => mkdirSync(join(folder, 'SKILL.md'), { recursive: true }), /^is not a regular file/],
    ['a pipe', (folder) => pipe(join(folder, 'SKILL.md')), /^is not a regular file/],
    [
      'too long',
      (folder) => put(join(folder, 'SKILL.md'), createSkillText('bad') + 'x'.repeat(maxSkillBytes)),
      /^is longer than 65536 bytes/,
    ],
    [
      'another encoding',
      (folder) => put(join(folder, 'SKILL.md'), Buffer.from(createSkillText('bad', 'license: \xe9\n'), 'latin1')),
      /^is not UTF-8/,
    ],
    ['a link out of the project', (folder, top) => link(folder, join(top, 'secret.md')), /^is a link to a file outside/],
    ['a link to a system file', (folder) => link(folder, '/etc/hostname'), /^is a link to a file outside/],
    ['a link to nothing', (folder) => link(folder, 'nowhere'), /^SKILL.md is missing/],
    ['a link to itself', (folder) => link(folder, 'SKILL.md'), /^is a broken link/],
    ['invalid front matter', (folder) => put(join(folder, 'SKILL.md'), '---\nname: [\n---\nx'), /^line 3: /],
    ['another name', (folder) => put(join(folder, 'SKILL.md'), createSkillText('good')), /^name is good/],
  ])('%s', async (_, make, message) => {
    const { mine, top, load } = createFolders();
    put(join(top, 'secret.md'), createSkillText('bad'));
    put(join(mine, 'good', 'SKILL.md'), createSkillText('good'));
    make(join(mine, 'bad'), top);
    const { skills, findings } = await load();
    expect(skills[0]?.name).toBe('good');
    expect(skills).toHaveLength(12);
    expect(findings).toEqual([
      { skill: 'bad', origin: 'project', path: '.cleo/skills/bad/SKILL.md', severity: 'error', message: expect.stringMatching(message) },
    ]);
  });

  test('rejects a linked folder outside the project and accepts one inside', async () => {
    const { mine, root, top, load } = createFolders();
    put(join(top, 'elsewhere', 'SKILL.md'), createSkillText('out'));
    put(join(root, 'tools', 'near', 'SKILL.md'), createSkillText('near'));
    symlinkSync(join(top, 'elsewhere'), join(mine, 'out'));
    symlinkSync(join(root, 'tools', 'near'), join(mine, 'near'));
    const { skills, findings } = await load();
    expect(skills[0]).toMatchObject({ name: 'near', path: '.cleo/skills/near/SKILL.md' });
    expect(findings).toMatchObject([{ skill: 'out', message: 'is a link to a file outside the folder' }]);
  });

  test('an unreadable folder', async () => {
    const { mine, top, load } = createFolders();
    chmodSync(mine, 0o000);
    chmodSync(top, 0o755);
    const { findings, skills } = await runAsNobody(load);
    expect(findings).toMatchObject([{ skill: 'skills', path: '.cleo/skills', message: 'permission denied' }]);
    expect(skills).toHaveLength(11);
  });

  test('an invalid catalog, and a file in place of the folder', async () => {
    const { mine, home, load } = createFolders();
    put(join(mine, 'catalog.json'), '{');
    put(join(home, 'skills'), 'a file');
    const { findings, skills } = await load();
    expect(findings).toMatchObject([
      { skill: 'catalog.json', origin: 'project', message: expect.stringMatching(/^is not JSON/) },
      { skill: 'skills', origin: 'user', message: 'is not a folder' },
    ]);
    expect(skills).toHaveLength(11);
  });

  test('an invalid project skill does not hide the bundled one', async () => {
    const { mine, load } = createFolders();
    put(join(mine, 'ct-cleo', 'SKILL.md'), 'nothing');
    const { skills, findings } = await load();
    expect(skills.find(({ name }) => name === 'ct-cleo')).toMatchObject({ origin: 'bundled' });
    expect(findings).toHaveLength(1);
  });

  test('more than 1000 skills', async () => {
    const { mine, load } = createFolders();
    for (let i = 0; i <= 1000; i += 1) mkdirSync(join(mine, `skill-${i}`));
    const { findings, skills } = await load();
    expect(findings).toContainEqual(expect.objectContaining({ skill: 'skills', message: 'contains more than 1000 skills' }));
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
