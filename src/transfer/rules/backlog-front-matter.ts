import { parseFrontMatter } from '#lib/front-matter.ts';
import { normalizeText } from './source-values.ts';

/** Reads the front matter of a task. Backlog.md writes nearly every file in a simple form, which is parsed line by line: a full YAML
 *  parser takes five times as long, which matters for ten thousand files. */
export function readBacklogFrontMatter(text: string): ReturnType<typeof parseFrontMatter> {
  const clean = normalizeText(text);
  const end = clean.indexOf('\n---', 3);
  const head = clean.startsWith('---\n') && end > 0 ? clean.slice(4, end + 1) : undefined;
  const isEnd = head !== undefined && /^\n---[ \t]*(?:\n|$)/.test(clean.slice(end, end + 200));
  const fields = isEnd ? parseSimpleFields(head) : undefined;
  if (fields) return { fields, body: clean.slice(end + 1).replace(/^---[ \t]*\n?/, '') };
  // Backlog.md accepts unquoted names with an @, which YAML does not.
  const quoteNames = (yaml: string): string => yaml.replace(/^(\s*(?:-|assignee:|reporter:)[ \t]+)(@[^\n]*)$/gm, "$1'$2'");
  return parseFrontMatter(head === undefined ? clean : `---\n${quoteNames(head)}${clean.slice(end + 1)}`);
}

/** Returns undefined for anything that a YAML parser might read differently. */
export function parseSimpleFields(head: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let list: string[] | undefined;
  for (const line of head.split('\n')) {
    if (line === '') continue;
    const item = /^ {2}- (.+)$/.exec(line)?.[1];
    if (item !== undefined) {
      const text = parseScalar(item);
      if (!list || text === undefined) return undefined;
      list.push(text);
      continue;
    }
    const [, key, value] = /^([a-z][a-z_]*):(?: (.+))?$/.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || (list && list.length === 0)) return undefined;
    list = value === undefined ? [] : undefined;
    const text = value === '[]' ? [] : value === undefined ? list : parseScalar(value);
    if (text === undefined) return undefined;
    fields[key] = text;
  }
  return list && list.length === 0 ? undefined : fields;
}

function parseScalar(text: string): string | undefined {
  if (/^[\p{L}\p{N}][\p{L}\p{N} .,/()_-]*$/u.test(text) && !text.endsWith(' ')) return text;
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
  return quoted?.replaceAll("''", "'");
}
