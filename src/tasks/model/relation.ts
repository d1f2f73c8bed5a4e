import { array, custom, description, type InferOutput, metadata, picklist, pipe, strictObject, string, transform } from 'valibot';
import { type RelationType, RelationTypeSchema, TaskIdSchema } from '#core/model/scalars.ts';

const synonyms: Record<string, RelationType> = {
  block: 'blocks',
  relate: 'related',
  relates: 'related',
  relatedto: 'related',
  relatesto: 'related',
  duplicate: 'duplicates',
  duplicateof: 'duplicates',
  dupe: 'duplicates',
  absorb: 'absorbs',
  fix: 'fixes',
  extend: 'extends',
  supersede: 'supersedes',
  replace: 'supersedes',
  replaces: 'supersedes',
};

/** Parses a relation type leniently: `Relates-To`, `relates to` and `related` are one type. */
export function parseRelationType(text: string): RelationType | undefined {
  const key = text.toLowerCase().replace(/[\s_-]+/g, '');
  return RelationTypeSchema.options.find((type) => type === key) ?? (Object.hasOwn(synonyms, key) ? synonyms[key] : undefined);
}

// A custom schema, as for ids: an unknown type is a malformed call (exit 2), not a broken rule (exit 6).
export const RelationTypeInput = pipe(
  custom<string>((value) => typeof value === 'string' && parseRelationType(value) !== undefined, 'Expected a relation type'),
  transform((text) => parseRelationType(text)!),
  metadata({ choices: RelationTypeSchema.options, jsonSchema: { type: 'string', enum: RelationTypeSchema.options } }),
);

/** The parameters that name the two tasks of a relation. */
export const relationEnds = {
  from: pipe(TaskIdSchema, description('Source of the relation')),
  to: pipe(TaskIdSchema, description('Target of the relation')),
};

export const RelationEdgeSchema = strictObject({ from: string(), to: string(), type: RelationTypeSchema, reason: string() });
export type RelationEdge = InferOutput<typeof RelationEdgeSchema>;

/** A task found by what it shares with another. */
export const RelationDiscoverySchema = strictObject({
  taskId: string(),
  title: string(),
  by: array(strictObject({ method: picklist(['labels', 'files', 'text', 'depends']), shared: array(string()) })),
});
export type RelationDiscovery = InferOutput<typeof RelationDiscoverySchema>;
