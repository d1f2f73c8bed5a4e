import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';
import { createEmptyFolder } from '../../../test/folder.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';

const skillText = (name: string, metadata = '', body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: Does ${name}\n${metadata && `metadata:\n${metadata}`}---\n\n${body}\n`;
const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const names = ({ skills }: Json): string[] => skills.map(({ name }: { name: string }) => name);
const bundled = [
  'ct-adr-recorder',
  'ct-cleo',
  'ct-documentor',
  'ct-epic-architect',
  'ct-ivtr-validator',
  'ct-orchestrator',
  'ct-research-agent',
  'ct-spec-writer',
  'ct-task-executor',
  'ct-test-writer-bats',
  'ct-validator',
];

describe('list', () => {
  test('lists the bundled skills with their descriptions', async () => {
    const { call } = await openApp();
    const found = await call('skills.list');
    expect(found._meta).toMatchObject({ command: 'skills.list', resultsField: 'skills' });
    expect(found._meta.warnings).toBeUndefined();
    expect(names(found).sort()).toEqual(bundled);
    expect(found.skills.find(({ name }: { name: string }) => name === 'ct-research-agent')).toEqual({
      name: 'ct-research-agent',
      category: 'research',
      protocol: 'research',
      origin: 'bundled',
      description: expect.stringMatching(/^Answers questions/),
    });
    for (const { category, description } of found.skills) {
      expect(category).toBeTypeOf('string');
      expect(description).not.toMatch(/\n/);
    }
  });

  test('accepts all names of the operation, also outside a project', async () => {
    const { call, cli } = await openApp();
    expect(names(await call('tools.skill.list')).sort()).toEqual(bundled);
    expect((await cli(['skill', 'list', '--json'])).envelope).toMatchObject({ _meta: { command: 'skills.list' } });
    expect((await cli(['skills', 'list', '--json'])).envelope).toMatchObject({ _meta: { command: 'skills.list' } });
    expect((await cli(['skill', 'list', '--quiet', '--category', 'validation'])).out).toBe('ct-ivtr-validator\nct-validator\n');
    expect(names((await createEmptyFolder().cli(['skill', 'list', '--json'])).envelope).sort()).toEqual(bundled);
  });

  test('puts project skills first and reports hidden and broken ones', async () => {
    const { call, root, env } = await openApp();
    put(join(root, '.cleo', 'skills', 'ct-cleo', 'SKILL.md'), skillText('ct-cleo'));
    put(join(root, '.cleo', 'skills', 'broken', 'SKILL.md'), 'nothing');
    put(join(env.CLEO_HOME!, 'skills', 'own', 'SKILL.md'), skillText('own', '  category: own\n'));
    const found = await call('skills.list');
    expect(found.skills.slice(0, 2)).toEqual([
      { name: 'ct-cleo', origin: 'project', shadows: ['bundled'], description: 'Does ct-cleo' },
      { name: 'own', category: 'own', origin: 'user', description: 'Does own' },
    ]);
    expect(found._meta.warnings).toEqual(['.cleo/skills/broken/SKILL.md: does not begin with front matter between two lines of ---']);
    expect(names(await call('skills.list', { origin: 'project' }))).toEqual(['ct-cleo']);
    expect(names(await call('skills.list', { category: 'own' }))).toEqual(['own']);
    expect(await call('skills.list', { category: 'none' })).toMatchObject({ _meta: { exitCode: 100 }, skills: [] });
  });
});

describe('show', () => {
  test('shows a skill with its text', async () => {
    const { call } = await openApp();
    const { skill } = await call('skills.show', { name: 'ct-orchestrator' });
    expect(skill).toMatchObject({ version: expect.any(String), path: 'skills/ct-orchestrator/SKILL.md', origin: 'bundled' });
    for (let n = 1; n <= 9; n += 1) expect(skill.text).toContain(`| ORC-00${n} |`);
    expect(skill.triggers).toEqual(expect.arrayContaining(['context-protected workflow', 'HITL orchestration', 'pipeline management']));
    expect(await call('tools.skill.show', { name: 'ct-orchestrator' })).toMatchObject({ skill: { text: skill.text } });
  });

  test('prefers the project skill', async () => {
    const { call, root } = await openApp();
    put(join(root, '.cleo', 'skills', 'ct-cleo', 'SKILL.md'), skillText('ct-cleo', '', 'Ours.'));
    expect(await call('skills.show', { name: 'ct-cleo' })).toMatchObject({ skill: { text: 'Ours.', shadows: ['bundled'] } });
  });

  test('suggests the nearest name', async () => {
    const { call, cli } = await openApp();
    const near = await call('skills.show', { name: 'ct-orchestrater' });
    expect(near).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4, fix: 'cleo skill show ct-orchestrator' } });
    expect((await cli(near.error.fix)).exitCode).toBe(0);
    const far = await call('skills.show', { name: '../../etc/passwd' });
    expect(far).toMatchObject({ error: { exitCode: 4, fix: 'cleo skill list' } });
    expect((await cli(far.error.fix)).exitCode).toBe(0);
  });
});

describe('validate', () => {
  test('accepts the bundled skills', async () => {
    const { call } = await openApp();
    expect(await call('skills.validate')).toMatchObject({ report: { ok: true, skills: 11, findings: [] } });
  });

  test('reports warnings without failing', async () => {
    const { call, root } = await openApp();
    put(join(root, '.cleo', 'skills', 'own', 'SKILL.md'), skillText('own', '  stability: fine\n'));
    const { report } = await call('skills.validate');
    expect(report).toMatchObject({ ok: false, skills: 12, findings: [{ skill: 'own', severity: 'warning' }] });
  });

  test('reports all errors, and the fix moves a broken skill aside', async () => {
    const { call, cli, root } = await openApp();
    const outside = createTempFolder();
    put(join(outside, 'SKILL.md'), skillText('out'));
    const mine = join(root, '.cleo', 'skills');
    put(join(mine, "it's", 'SKILL.md'), 'nothing');
    put(join(mine, 'catalog.json'), '{');
    symlinkSync(outside, join(mine, 'out'));
    let refused = await call('skills.validate');
    expect(refused).toMatchObject({ error: { code: 'E_VALIDATION_SKILLS', exitCode: 6, details: { findings: { length: 3 } } } });
    for (let n = 0; n < 3; n += 1) {
      const [move, again] = refused.error.fix.split(' && ');
      expect(move).toMatch(/^mv /);
      expect(again).toBe('cleo skill validate');
      execFileSync('sh', ['-c', move], { cwd: root });
      refused = (await cli(again)).envelope;
    }
    expect(refused).toMatchObject({ report: { ok: true } });
  });
});
