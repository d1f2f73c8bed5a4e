import type { Completeness, DocSchema } from '../model/doc-schema.ts';
import { completenessOf, withoutFrontMatter } from '../rules/document/completeness.ts';
import type { Schemas } from './found.ts';

/** How complete a document is, and what is wrong with its front matter. Apart from the rest: what reads documents is large, and
 *  most skills make none. */
export const measure = (schemas: Schemas, schema: DocSchema, text: string): { completeness: Completeness; problems: string[] } => ({
  completeness: completenessOf(text, schema),
  problems: frontMatterProblems(schemas, schema, text),
});

export function frontMatterProblems(schemas: Schemas, schema: DocSchema, text: string): string[] {
  if (!schema.frontMatter) return [];
  const { frontMatter } = withoutFrontMatter(text);
  try {
    return schemas
      .check(schema.frontMatter, frontMatter === undefined ? {} : (schemas.parseYaml(frontMatter) ?? {}))
      .map((one) => `has front matter that ${one}`);
  } catch (error) {
    return [`has front matter that cannot be read: ${(error as Error).message.split('\n')[0]}`];
  }
}
