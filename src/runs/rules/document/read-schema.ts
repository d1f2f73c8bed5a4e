import { DocSchemaFile, keysOf, limits, SectionPart } from '../../model/construct-file.ts';
import type { DocSchema, SectionSpec } from '../../model/doc-schema.ts';
import { readerOf } from '../construct/spot.ts';

/** A schema as a project writes it: id, version, and the sections that a document has. */
export function readDocSchema(name: string, text: string): DocSchema | { problem: string } {
  const reader = readerOf(text.replace(/^\ufeff/, ''));
  const at = reader.fields(reader.top, keysOf(DocSchemaFile));
  const sections = reader.isThere(at.sections)
    ? reader.items(at.sections).flatMap((item): SectionSpec[] => {
        const of = reader.fields(item, keysOf(SectionPart));
        const id = reader.text(of.id);
        if (id === undefined) {
          reader.error(item, 'needs an id');
          return [];
        }
        const minItems = reader.number(of.min_items, limits.items);
        const titles = reader.texts(of.titles);
        return [
          {
            id,
            titles: titles.length > 0 ? titles : [id.replaceAll('_', ' ')],
            required: reader.flag(of.required) ?? true,
            weight: reader.number(of.weight, limits.weight) ?? 1,
            minWords: reader.number(of.min_words, limits.words) ?? 1,
            ...(minItems === undefined ? {} : { minItems }),
          },
        ];
      })
    : [];
  const frontMatter = reader.isThere(at.front_matter) ? (reader.plain(at.front_matter) as Record<string, unknown>) : undefined;
  const [id, version] = [reader.text(at.id), reader.text(at.version)];
  const error = reader.findings.find(({ severity }) => severity === 'error');
  if (error) return { problem: `line ${error.line ?? 1}: ${error.where} ${error.problem}`.replace('  ', ' ') };
  return {
    id: id ?? name.replace(/\.doc\.yaml$/, ''),
    version: version ?? '1.0.0',
    sections,
    ...(frontMatter ? { frontMatter } : {}),
  };
}
