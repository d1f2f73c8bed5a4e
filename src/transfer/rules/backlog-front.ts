import { readFrontMatter } from '#lib/front-matter.ts';
import { plainText } from './given.ts';

type Front = ReturnType<typeof readFrontMatter>;

/** The front matter of a task. The simple form in which Backlog.md writes nearly every file is read line by line: YAML in full takes
 *  five times as long, which counts with ten thousand files. */
export function frontOf(text: string): Front {
  const clean = plainText(text);
  const end = clean.indexOf('\n---', 3);
  const head = clean.startsWith('---\n') && end > 0 ? clean.slice(4, end + 1) : undefined;
  const isEnd = head !== undefined && /^\n---[ \t]*(?:\n|$)/.test(clean.slice(end, end + 200));
  const fields = isEnd ? simpleFields(head) : undefined;
  if (fields) return { fields, body: clean.slice(end + 1).replace(/^---[ \t]*\n?/, '') };
  // Backlog.md itself reads names with an @ that YAML does not allow there.
  const named = (yaml: string): string => yaml.replace(/^(\s*(?:-|assignee:|reporter:)[ \t]+)(@[^\n]*)$/gm, "$1'$2'");
  return readFrontMatter(head === undefined ? clean : `---\n${named(head)}${clean.slice(end + 1)}`);
}

/** Undefined for anything that could mean something else in YAML than it seems to. */
export function simpleFields(head: string): Record<string, unknown> | undefined {
  const fields: Record<string, unknown> = {};
  let list: string[] | undefined;
  for (const line of head.split('\n')) {
    if (line === '') continue;
    const item = /^ {2}- (.+)$/.exec(line)?.[1];
    if (item !== undefined) {
      const text = scalar(item);
      if (!list || text === undefined) return undefined;
      list.push(text);
      continue;
    }
    const [, key, value] = /^([a-z][a-z_]*):(?: (.+))?$/.exec(line) ?? [];
    if (key === undefined || Object.hasOwn(fields, key) || (list && list.length === 0)) return undefined;
    list = value === undefined ? [] : undefined;
    const text = value === '[]' ? [] : value === undefined ? list : scalar(value);
    if (text === undefined) return undefined;
    fields[key] = text;
  }
  return list && list.length === 0 ? undefined : fields;
}

function scalar(text: string): string | undefined {
  if (/^[\p{L}\p{N}][\p{L}\p{N} .,/()_-]*$/u.test(text) && !text.endsWith(' ')) return text;
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
  return quoted?.replaceAll("''", "'");
}
