import { readFrontMatter } from '#lib/front-matter.ts';
import { isMap } from '#lib/is-map.ts';

/** What the head of a SKILL.md says. In a file of its own: what reads YAML is larger than everything else that runs a skill. */
export function headOf(text: string): { fields: Record<string, unknown>; metadata: Record<string, unknown> } {
  const head = readFrontMatter(text);
  const fields = 'fields' in head ? head.fields : {};
  return { fields, metadata: isMap(fields.metadata) ? fields.metadata : {} };
}
