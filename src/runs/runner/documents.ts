import type { ArtifactFile } from '../model/artifact.ts';
import type { DocSchema } from '../model/doc-schema.ts';
import { measureCompleteness, splitFrontMatter } from '../rules/document/completeness.ts';
import type { Schemas } from './artifacts.ts';

/** Measures a document. It is a file of its own because the document parser is large and most skills write no documents. */
export const measureDocument = (schemas: Schemas, schema: DocSchema, text: string): Pick<ArtifactFile, 'completeness' | 'problems'> => ({
  completeness: measureCompleteness(text, schema),
  problems: checkFrontMatter(schemas, schema, text),
});

export function checkFrontMatter(schemas: Schemas, schema: DocSchema, text: string): string[] {
  if (!schema.frontMatter) return [];
  const { frontMatter } = splitFrontMatter(text);
  try {
    return schemas
      .check(schema.frontMatter, frontMatter === undefined ? {} : (schemas.parseYaml(frontMatter) ?? {}))
      .map((problem) => `has front matter that ${problem}`);
  } catch (error) {
    return [`has front matter that cannot be parsed: ${(error as Error).message.split('\n')[0]}`];
  }
}
