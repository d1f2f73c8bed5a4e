import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { array, boolean, number, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { quote } from '#core/errors/catalog.ts';
import { CleoError } from '#core/errors/error.ts';
import type { Platform } from '#platform/port.ts';
import { type SkillFinding, SkillFindingSchema } from '../model/skill.ts';
import { listSkills } from './shared/find-skill.ts';

export const skillsValidate = query({
  name: 'skills.validate',
  summary: 'Check installed skills and their catalogs',
  params: strictObject({}),
  result: strictObject({ report: strictObject({ ok: boolean(), skills: number(), findings: array(SkillFindingSchema) }) }),
  errors: ['E_VALIDATION'],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['skill validate', 'skills validate'] },
  example: { call: {} },
  async run({ platform }) {
    const { skills, findings } = await listSkills(platform);
    const errors = findings.filter(({ severity }) => severity === 'error');
    const [first] = errors;
    if (!first) return { report: { ok: findings.length === 0, skills: skills.length, findings } };
    throw new CleoError('E_VALIDATION', {
      field: 'skills',
      problem: `have ${errors.length === 1 ? 'one error' : `${errors.length} errors`}: ${first.path}: ${first.message}`,
      fix: formatMoveAside(platform, first),
      manual: `Repair ${first.path} or move it aside`,
      findings,
    });
  },
});

/** Formats a command that renames a broken skill instead of deleting it. Names with a leading dot are ignored. */
function formatMoveAside(platform: Platform, { path }: SkillFinding): string {
  const absolute = join(platform.getProject()?.root ?? '', path);
  const broken = isAbsolute(path) ? path : relative(platform.folder, absolute);
  const thing = broken.endsWith('SKILL.md') ? dirname(broken) : broken;
  const aside = join(dirname(thing), `.${basename(thing)}.aside`);
  return `mv ${quote(thing)} ${quote(aside)} && cleo skill validate`;
}
