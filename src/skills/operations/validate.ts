import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { array, boolean, number, strictObject } from 'valibot';
import { query } from '#core/define.ts';
import { CleoError } from '#core/errors/error.ts';
import { quote } from '#core/errors/quote.ts';
import type { Platform } from '#platform/port.ts';
import { SkillFinding } from '../model/skill.ts';
import { skillsOf } from './shared/found.ts';

export const skillsValidate = query({
  name: 'skills.validate',
  summary: 'Check the skills of the project and of the user, and their catalogues',
  params: strictObject({}),
  result: strictObject({ report: strictObject({ ok: boolean(), skills: number(), findings: array(SkillFinding) }) }),
  errors: ['E_VALIDATION'],
  tier: 1,
  needs: 'nothing',
  cli: { command: ['skill validate', 'skills validate'] },
  example: { call: {} },
  async run({ platform }) {
    const { skills, findings } = await skillsOf(platform);
    const errors = findings.filter(({ severity }) => severity === 'error');
    const [first] = errors;
    if (!first) return { report: { ok: findings.length === 0, skills: skills.length, findings } };
    throw new CleoError('E_VALIDATION', {
      field: 'skills',
      problem: `are broken in ${errors.length === 1 ? 'one place' : `${errors.length} places`}: ${first.path}: ${first.message}`,
      fix: asideOf(platform, first),
      findings,
    });
  },
});

/** What is broken is put aside, not away; what begins with a dot is not looked at. */
function asideOf(platform: Platform, { path }: SkillFinding): string {
  const whole = join(platform.project()?.root ?? '', path);
  const broken = isAbsolute(path) ? path : relative(platform.folder, whole);
  const thing = broken.endsWith('SKILL.md') ? dirname(broken) : broken;
  const aside = join(dirname(thing), `.${basename(thing)}.aside`);
  return `mv ${quote(thing)} ${quote(aside)} && cleo skill validate`;
}
