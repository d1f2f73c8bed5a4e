import {
  array,
  boolean,
  description,
  maxLength,
  maxValue,
  metadata,
  minValue,
  nullable,
  number,
  optional,
  pipe,
  strictObject,
  string,
} from 'valibot';
import { query } from '#core/define.ts';
import { findNearest } from '#lib/nearest.ts';
import { createSkillError } from '#runs/errors/skill.ts';
import { measureCompleteness } from '#runs/rules/document/completeness.ts';
import { listMissingSections } from '#runs/rules/gate/gate.ts';
import { defaultMinCompleteness } from '#runs/rules/gate/handoff.ts';
import { decodeUtf8, findProjectPath, loadSchemas } from '#runs/runner/artifacts.ts';
import { checkFrontMatter } from '#runs/runner/documents.ts';

const Section = strictObject({
  id: string(),
  score: number(),
  required: boolean(),
  heading: nullable(string()),
  line: nullable(number()),
  words: number(),
  placeholderWords: number(),
  lacks: array(string()),
});

export const docsCheck = query({
  name: 'docs.check',
  summary: 'Measure how complete a document is by its schema',
  params: strictObject({
    file: pipe(
      string(),
      maxLength(4096, 'must have at most 4096 characters'),
      description('File inside the project'),
      metadata({ value: 'FILE' }),
    ),
    schema: pipe(
      string(),
      maxLength(100, 'must have at most 100 characters'),
      description('Schema: prd-v1, sdd-v1, sprint-v1, research-note, or one of .cleo/schemas'),
      metadata({ value: 'ID' }),
    ),
    min: optional(
      pipe(
        number(),
        minValue(0, 'must be at least 0'),
        maxValue(1, 'must be at most 1'),
        description('Required completeness, from 0 to 1'),
      ),
      defaultMinCompleteness,
    ),
    require: optional(pipe(array(string()), description('Sections that must not be empty'))),
    explain: optional(pipe(boolean(), description('Show every section and what it lacks'))),
  }),
  result: strictObject({
    document: strictObject({ file: string(), schema: string(), completeness: number(), min: number(), sections: optional(array(Section)) }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exitNamespace: 'skill',
  cli: { command: ['docs check', 'doc check'], args: ['file'], view: async () => (await import('#runs/view.ts')).runView },
  example: { world: ['construct'], call: { file: 'prd.md', schema: 'prd-v1' } },
  async run(ctx, { file, schema: id, min, require: requiredSections = [], explain }) {
    const runner = await ctx.platform.createRunner(ctx.project);
    const schemas = await loadSchemas(runner.readSchemaFiles());
    const schema = schemas.document(id);
    if (!schema) {
      const [nearestId] = findNearest(id, schemas.ids(), 1);
      throw createSkillError(64, `there is no schema ${JSON.stringify(id)}`, ctx.commandWith({ schema: nearestId ?? 'prd-v1' }), {
        schemas: schemas.ids(),
      });
    }
    const isInside = (one: string): boolean => !['outside', undefined].includes(runner.statFile(one)?.kind);
    const path = findProjectPath(ctx.platform, ctx.project, file, isInside);
    const help = 'cleo help docs check';
    if (path === undefined) throw createSkillError(66, `${file} does not exist or is outside the project`, help, { file });
    if (runner.statFile(path)?.kind !== 'file') throw createSkillError(65, `${file} is not a regular file`, help, { file });
    const text = decodeUtf8(runner.readFile(path));
    if (text === undefined) throw createSkillError(65, `${file} is not UTF-8 text`, help, { file });
    const unknown = requiredSections.find((one) => !schema.sections.some((section) => section.id === one));
    if (unknown)
      throw createSkillError(
        64,
        `${id} has no section ${JSON.stringify(unknown)}`,
        ctx.commandWith({ require: schema.sections.slice(0, 1).map((one) => one.id) }),
        { sections: schema.sections.map((one) => one.id) },
      );
    const measured = measureCompleteness(text, schema);
    const sections = measured.sections.map(({ items: _, weight: __, ...section }) => section);
    const document = { file: path, schema: id, completeness: measured.completeness, min, ...(explain ? { sections } : {}) };
    const missing = listMissingSections(measured, requiredSections);
    const faults = checkFrontMatter(schemas, schema, text);
    const problems = [
      ...faults,
      ...(measured.completeness >= min ? [] : [`is ${measured.completeness} complete; the minimum is ${min}`]),
      ...(missing.length === 0 ? [] : [`lacks ${missing.map((one) => one.id).join(', ')}`]),
    ];
    if (problems.length === 0) return { document };
    throw createSkillError(65, `${path} ${problems.join('; ')}`, ctx.commandWith({ min: 0, require: undefined, explain: true }), {
      document,
      ...(faults.length > 0 ? { manual: `Correct the front matter of ${path}, then check again` } : {}),
      missing: sections.filter(({ required, lacks }) => required && lacks.length > 0).map((one) => ({ id: one.id, lacks: one.lacks })),
    });
  },
});
