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
import { placeIn } from '#core/place.ts';
import { nearest } from '#lib/nearest.ts';
import { skillRefusal } from '#runs/errors/skill.ts';
import { completenessOf } from '#runs/rules/document/completeness.ts';
import { missingSections } from '#runs/rules/document/missing.ts';
import { defaultCompleteness } from '#runs/rules/gate/handoff.ts';
import { frontMatterProblems } from '#runs/runner/documents.ts';
import { textOf } from '#runs/runner/found.ts';
import { schemasOf } from '#runs/runner/schemas.ts';

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
  summary: 'Say how complete a document is by its schema: what is there, not how good it is',
  params: strictObject({
    file: pipe(
      string(),
      maxLength(4096, 'must have at most 4096 characters'),
      description('The document, a file inside the project'),
      metadata({ value: 'FILE' }),
    ),
    schema: pipe(
      string(),
      maxLength(100, 'must have at most 100 characters'),
      description('What it should be: prd-v1, sdd-v1, sprint-v1, research-note, or one of .cleo/schemas'),
      metadata({ value: 'ID' }),
    ),
    min: optional(
      pipe(
        number(),
        minValue(0, 'must be at least 0'),
        maxValue(1, 'must be at most 1'),
        description('How complete it has to be, from 0 to 1'),
      ),
      defaultCompleteness,
    ),
    require: optional(pipe(array(string()), description('Sections that must not be empty'))),
    explain: optional(pipe(boolean(), description('Show every section, with what it lacks'))),
  }),
  result: strictObject({
    document: strictObject({ file: string(), schema: string(), completeness: number(), min: number(), sections: optional(array(Section)) }),
  }),
  errors: ['E_SKILL'],
  tier: 1,
  needs: 'project',
  exits: 'skill',
  cli: { command: ['docs check', 'doc check'], args: ['file'] },
  example: { world: ['construct'], call: { file: 'prd.md', schema: 'prd-v1' } },
  async run(ctx, { file, schema: id, min, require: wanted = [], explain }) {
    const ground = await ctx.platform.ground(ctx.project);
    const schemas = await schemasOf(ground.schemaFiles());
    const schema = schemas.document(id);
    if (!schema) {
      const [meant] = nearest(id, schemas.ids(), 1);
      throw skillRefusal(64, `there is no schema ${JSON.stringify(id)}`, ctx.commandWith({ schema: meant ?? 'prd-v1' }), {
        schemas: schemas.ids(),
      });
    }
    // As it is written where the caller stands, else as the project knows it.
    const place = [placeIn(ctx.platform, ctx.project, file), file].find((one) => one !== undefined && ground.at(one) !== undefined);
    const list = ctx.commandAs(['docs', 'list']);
    if (place === undefined) throw skillRefusal(66, `${file} is not there, or not inside the project`, list, { file });
    if (ground.at(place)?.kind !== 'file') throw skillRefusal(65, `${file} is no regular file inside the project`, list, { file });
    const text = textOf(ground.read(place));
    if (text === undefined) throw skillRefusal(65, `${file} is no UTF-8 text`, list, { file });
    const unknown = wanted.find((one) => !schema.sections.some((section) => section.id === one));
    if (unknown)
      throw skillRefusal(
        64,
        `${id} has no section ${JSON.stringify(unknown)}`,
        ctx.commandWith({ require: schema.sections.slice(0, 1).map((one) => one.id) }),
        { sections: schema.sections.map((one) => one.id) },
      );
    const found = completenessOf(text, schema);
    const sections = found.sections.map(({ items: _, weight: __, ...section }) => section);
    const document = { file: place, schema: id, completeness: found.completeness, min, ...(explain ? { sections } : {}) };
    const missing = missingSections(found, wanted);
    const problems = [
      ...frontMatterProblems(schemas, schema, text),
      ...(found.completeness >= min ? [] : [`is ${found.completeness} complete; ${min} is asked for`]),
      ...(missing.length === 0 ? [] : [`lacks ${missing.map((one) => one.id).join(', ')}`]),
    ];
    if (problems.length === 0) return { document };
    throw skillRefusal(65, `${place} ${problems.join('; ')}`, ctx.commandWith({ min: 0, require: undefined, explain: true }), {
      document,
      missing: sections.filter(({ required, lacks }) => required && lacks.length > 0).map((one) => ({ id: one.id, lacks: one.lacks })),
    });
  },
});
