import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { SkillFinding, SkillOrigin, SkillSet } from '#skills/model/skill.ts';
import { inForce, type SkillPlace } from '#skills/rules/skill-set.ts';
import type { Project } from './port.ts';
import { bundledCatalogue, bundledHeads, bundledSkills } from './skills.generated.ts';

/** No text that agents are given whole is longer. */
export const largestSkill = 65_536;
const mostSkills = 1000;
const catalogue = 'catalog.json';

/** Everything that is in force: of one name that of the project before that of the user before our own. */
export async function allSkills(project: Project | undefined, home: string): Promise<SkillSet> {
  return inForce([
    ...(project ? [await readPlace('project', project.folder, project.root)] : []),
    await readPlace('user', home, home),
    { origin: 'bundled', skills: bundledSkills, ...bundledCatalogue, findings: [], path: `skills/${catalogue}` },
  ]);
}

export function bundledSource(name: string): string | undefined {
  const skill = bundledSkills.find((each) => each.name === name);
  return skill && `${bundledHeads[name]}${skill.text}\n`;
}

/** The skills of a folder. Nothing in it may lead out of `within`; what cannot be taken is a finding. */
async function readPlace(origin: SkillOrigin, folder: string, within: string): Promise<SkillPlace> {
  const top = join(folder, 'skills');
  const shown = (path: string): string => (origin === 'project' ? relative(within, path).replaceAll(sep, '/') : path);
  const place: SkillPlace = { origin, skills: [], order: [], rows: [], findings: [], path: shown(join(top, catalogue)) };
  const report = (skill: string, path: string, found: Pick<SkillFinding, 'severity' | 'message'>): void =>
    void place.findings.push({ skill, origin, path: shown(path), ...found });
  const { names, problem } = namesIn(top);
  if (problem) report('skills', top, { severity: 'error', message: problem });
  if (names.length === 0) return place;
  // It brings a parser of YAML along; the build has read our own.
  const { readCatalogue, readSkill } = await import('#skills/rules/skill-read.ts');
  for (const name of names) {
    const path = name === catalogue ? join(top, name) : join(top, name, 'SKILL.md');
    const source = readInside(path, within);
    if (typeof source !== 'string') {
      report(name, path, { severity: 'error', message: source.problem });
      continue;
    }
    if (name === catalogue) {
      const { remarks, ...read } = readCatalogue(source);
      Object.assign(place, read);
      for (const remark of remarks) report(name, path, remark);
    } else {
      const { skill, remarks } = readSkill(name, source);
      if (skill) place.skills.push({ ...skill, origin, path: shown(path) });
      for (const remark of remarks) report(name, path, remark);
    }
  }
  return place;
}

/** The folders and the catalogue in it, by name; what begins with a dot is put aside or under way. */
function namesIn(top: string): { names: string[]; problem?: string } {
  try {
    const names = readdirSync(top, { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink() || entry.name === catalogue))
      .map((entry) => entry.name)
      .sort();
    return { names: names.slice(0, mostSkills), ...(names.length > mostSkills ? { problem: `holds more than ${mostSkills}` } : {}) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { names: [], ...(code === 'ENOENT' ? {} : { problem: problems[code ?? ''] ?? `cannot be read (${code})` }) };
  }
}

const problems: Record<string, string> = {
  ENOENT: 'there is no SKILL.md',
  ENOTDIR: 'is no folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'is a link that leads nowhere',
  EISDIR: 'is no plain file',
  ENXIO: 'is no plain file',
};

/** A plain text file of moderate size; links are followed as long as they stay inside. */
export function readInside(path: string, within: string): string | { problem: string } {
  try {
    const target = realpathSync(path);
    const place = relative(realpathSync(within), target);
    if (place === '..' || place.startsWith(`..${sep}`)) return { problem: 'is a link that leads out' };
    // Opened without waiting, and looked at once it is open: a pipe would never answer.
    const file = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const found = fstatSync(file);
      if (!found.isFile()) return { problem: 'is no plain file' };
      if (found.size > largestSkill) return { problem: `is longer than ${largestSkill} bytes` };
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
