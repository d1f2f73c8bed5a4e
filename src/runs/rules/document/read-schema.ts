import { stripBom } from '#lib/parse-json.ts';
import { DocSchemaFile, listPartKeys, manifestLimits, SectionPart } from '../../model/construct-file.ts';
import type { DocSchema, SectionSpec } from '../../model/doc-schema.ts';
import { createYamlReader } from '../construct/read.ts';

/** Reads a *.doc.yaml file: id, version and sections. */
export function readDocSchema(name: string, text: string): DocSchema | { problem: string } {
  const reader = createYamlReader(stripBom(text));
  const at = reader.fields(reader.top, listPartKeys(DocSchemaFile));
  const sections = reader.isPresent(at.sections)
    ? reader.items(at.sections).flatMap((item): SectionSpec[] => {
        const of = reader.fields(item, listPartKeys(SectionPart));
        const id = reader.text(of.id);
        if (id === undefined) {
          reader.addError(item, 'needs an id');
          return [];
        }
        const minItems = reader.number(of.min_items, manifestLimits.items);
        const titles = reader.texts(of.titles);
        return [
          {
            id,
            titles: titles.length > 0 ? titles : [id.replaceAll('_', ' ')],
            required: reader.boolean(of.required) ?? true,
            weight: reader.number(of.weight, manifestLimits.weight) ?? 1,
            minWords: reader.number(of.min_words, manifestLimits.words) ?? 1,
            ...(minItems === undefined ? {} : { minItems }),
          },
        ];
      })
    : [];
  const frontMatter = reader.isPresent(at.front_matter) ? (reader.plainValue(at.front_matter) as Record<string, unknown>) : undefined;
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
