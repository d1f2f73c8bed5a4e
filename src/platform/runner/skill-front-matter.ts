import { isPlainObject } from '#lib/collections.ts';
import { parseFrontMatter } from '#lib/yaml/front-matter.ts';

/** Reads the front matter of a SKILL.md. It is a file of its own because the YAML parser is larger than the rest of the runner. */
export function readSkillFrontMatter(text: string): { fields: Record<string, unknown>; metadata: Record<string, unknown> } {
  const head = parseFrontMatter(text);
  const fields = 'fields' in head ? head.fields : {};
  return { fields, metadata: isPlainObject(fields.metadata) ? fields.metadata : {} };
}
