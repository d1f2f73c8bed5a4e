import { custom, type InferOutput, metadata, pipe, strictObject, string, transform } from 'valibot';
import { RelationType } from '#core/model/scalars.ts';

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

/** `Relates-To`, `relates to` and `related` are one type. */
export function relationTypeOf(text: string): RelationType | undefined {
  const word = text.toLowerCase().replace(/[\s_-]+/g, '');
  return RelationType.options.find((type) => type === word) ?? (Object.hasOwn(synonyms, word) ? synonyms[word] : undefined);
}

// A custom schema, as for ids: a type that is none is a call of the wrong shape (exit 2).
export const RelationTypeInput = pipe(
  custom<string>((value) => typeof value === 'string' && relationTypeOf(value) !== undefined, 'Expected a type of relation'),
  transform((text) => relationTypeOf(text)!),
  metadata({ choices: RelationType.options, jsonSchema: { type: 'string', enum: RelationType.options } }),
);

export const RelationEdge = strictObject({ from: string(), to: string(), type: RelationType, reason: string() });
export type RelationEdge = InferOutput<typeof RelationEdge>;
