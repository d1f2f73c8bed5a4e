import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SkillFinding, SkillOrigin, SkillSet } from '#skills/model/skill.ts';
import { mergeSkills, type SkillSource } from '#skills/rules/merge-skills.ts';
import { isBelow } from './files.ts';
import type { Project } from './port.ts';
import { bundledCatalogue, bundledHeads, bundledSkills } from './skills.generated.ts';

/** Agents receive a skill as a whole, so it must not be longer. */
export const maxSkillBytes = 65_536;
const maxSkills = 1000;
const catalogFile = 'catalog.json';

/** Loads the skills in effect. Of the same name, a project skill overrides a user skill, which overrides a bundled one. */
export async function loadSkills(project: Project | undefined, home: string): Promise<SkillSet> {
  return mergeSkills([
    ...(project ? [await readSkillSource('project', project.folder, project.root)] : []),
    await readSkillSource('user', home, home),
    { origin: 'bundled', skills: bundledSkills, ...bundledCatalogue, findings: [], path: `skills/${catalogFile}` },
  ]);
}

export function readBundledSkill(name: string): string | undefined {
  const skill = bundledSkills.find((each) => each.name === name);
  return skill && `${bundledHeads[name]}${skill.text}\n`;
}

/** Reads the skills of a folder. Links must not lead out of `within`. Problems are findings. */
async function readSkillSource(origin: SkillOrigin, folder: string, within: string): Promise<SkillSource> {
  const top = join(folder, 'skills');
  const formatPath = (path: string): string => (origin === 'project' ? relative(within, path).replaceAll(sep, '/') : path);
  const source: SkillSource = { origin, skills: [], order: [], rows: [], findings: [], path: formatPath(join(top, catalogFile)) };
  const report = (skill: string, path: string, found: Pick<SkillFinding, 'severity' | 'message'>): void =>
    void source.findings.push({ skill, origin, path: formatPath(path), ...found });
  const { names, problem } = listSkillNames(top);
  if (problem) report('skills', top, { severity: 'error', message: problem });
  if (names.length === 0) return source;
  // Loaded only if needed, because it contains a YAML parser. Bundled skills are parsed by the build.
  const { parseSkillCatalog, parseSkill } = await import('#skills/rules/parse-skill.ts');
  for (const name of names) {
    const path = name === catalogFile ? join(top, name) : join(top, name, 'SKILL.md');
    const text = readTextInside(path, within);
    if (typeof text !== 'string') {
      report(name, path, { severity: 'error', message: text.problem });
      continue;
    }
    if (name === catalogFile) {
      const { remarks, ...read } = parseSkillCatalog(text);
      Object.assign(source, read);
      for (const remark of remarks) report(name, path, remark);
    } else {
      const { skill, remarks } = parseSkill(name, text);
      if (skill) source.skills.push({ ...skill, origin, path: formatPath(path) });
      for (const remark of remarks) report(name, path, remark);
    }
  }
  return source;
}

/** Returns the names of the skill folders and of the catalog. Names with a leading dot are temporary or moved aside. */
function listSkillNames(top: string): { names: string[]; problem?: string } {
  try {
    const names = readdirSync(top, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink() || entry.name === catalogFile))
      .map((entry) => entry.name)
      .sort();
    return { names: names.slice(0, maxSkills), ...(names.length > maxSkills ? { problem: `contains more than ${maxSkills} skills` } : {}) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { names: [], ...(code === 'ENOENT' ? {} : { problem: problems[code ?? ''] ?? `cannot be read (${code})` }) };
  }
}

const problems: Record<string, string> = {
  ENOENT: 'SKILL.md is missing',
  ENOTDIR: 'is not a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'is a broken link',
  EISDIR: 'is not a regular file',
  ENXIO: 'is not a regular file',
};

/** Reads a text file of limited size. Follows links that stay inside `within`. */
export function readTextInside(path: string, within: string): string | { problem: string } {
  try {
    const target = realpathSync(path);
    if (!isBelow(relative(realpathSync(within), target))) return { problem: 'is a link to a file outside the folder' };
    // Opens without blocking and then checks the type, because opening a pipe would block.
    const file = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const found = fstatSync(file);
      if (!found.isFile()) return { problem: 'is not a regular file' };
      if (found.size > maxSkillBytes) return { problem: `is longer than ${maxSkillBytes} bytes` };
      const bytes = Buffer.alloc(found.size);
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, readSync(file, bytes)));
      return text;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return { problem: 'is not UTF-8' };
    return { problem: problems[code ?? ''] ?? `cannot be read (${code})` };
  }
}
