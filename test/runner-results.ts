import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './app.ts';
import { openSkillProject, type SkillProject } from './skill-project.ts';

export const formatOneSkill = (more = ''): string => `execution: {phases: [only]}\nskills: [{name: it, phase: only}]\n${more}`;
export const formatTwoSkills = (more = ''): string =>
  `execution: {phases: [first, second]}\nskills: [{name: a, phase: first}, {name: b, phase: second}]\n${more}`;

/** Opens a project with one skill in one phase. */
export async function openOneSkillProject(script: string, more = '', options = {}): Promise<SkillProject> {
  const shop = await openSkillProject(options);
  shop.writeConstruct(formatOneSkill(more));
  shop.writeSkill('it', script);
  return shop;
}

export const listCodes = (warnings: Json[] = []): string[] => warnings.map(({ code }) => code);
export const getGate = (result: Json, number: number): Json => result.diagnostics.gates_passed[number];
export const listRunFolders = (shop: SkillProject): string[] =>
  readdirSync(join(shop.root, '.cleo/runs')).filter((name) => name.startsWith('run-'));
export const readRunRecord = (shop: SkillProject): Json =>
  JSON.parse(readFileSync(join(shop.root, '.cleo/runs', listRunFolders(shop).sort().at(-1)!, 'run.json'), 'utf8'));
export const listFilesBelow = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];
