import { isProblem, type JsonItem, type JsonNode, memberOf, readJsonc, skipBlank } from './jsonc.ts';

/** A text with something put in, and the very characters that were: taken out again they leave what was there before. */
export interface Insertion {
  text: string;
  inserted: string;
}

/** Puts a value at a path of keys, as the first member there; with `[]` as the last key, as the first element of an array.
 *  Nothing else of the text changes: comments, order, indentation, line ends and a byte order mark stay. The text must be sound.
 *  Undefined where something on the way is neither an object nor, at its end, an array. */
export function insertJson(text: string, path: string[], value: unknown): Insertion | undefined {
  const root = readJsonc(text);
  if (isProblem(root)) return undefined;
  let node: JsonNode = root;
  let depth = 0;
  for (; depth < path.length - 1; depth += 1) {
    const next = path[depth] === '[]' ? undefined : memberOf(node, path[depth]!)?.value;
    if (!next) break;
    node = next;
  }
  const [key, ...rest] = path.slice(depth);
  if (node.kind !== (key === '[]' ? 'array' : 'object')) return undefined;
  const wrapped = rest.reduceRight<unknown>((inner, name) => (name === '[]' ? [inner] : { [name]: inner }), value);
  return putFirst(text, node, key === '[]' ? undefined : key!, wrapped);
}

/** The text of the value at a path, if it is ours; of the elements of an array, of the first that is. */
export function findJson(text: string, path: string[], isOurs?: (value: string) => boolean): string | undefined {
  const root = readJsonc(text);
  const found = isProblem(root) ? undefined : trailOf(text, root, path, isOurs)?.at(-1)?.item.value;
  return found && text.slice(found.start, found.end);
}

/** Takes out what `insertJson` put in and others have changed around since; what it leaves empty goes with it. */
export function removeJson(text: string, path: string[], isOurs?: (value: string) => boolean): string {
  const root = readJsonc(text);
  if (isProblem(root)) return text;
  const trail = trailOf(text, root, path, isOurs);
  if (!trail) return text;
  let { parent, item } = trail.pop()!;
  while (parent.items?.length === 1 && trail.length > 0) ({ parent, item } = trail.pop()!);
  return cutItem(text, parent, item);
}

interface Step {
  parent: JsonNode;
  item: JsonItem;
}

function trailOf(text: string, root: JsonNode, path: string[], isOurs: (value: string) => boolean = () => true): Step[] | undefined {
  const trail: Step[] = [];
  let parent = root;
  for (const key of path) {
    const elements = parent.kind === 'array' ? parent.items : [];
    const item: JsonItem | undefined =
      key === '[]' ? elements?.find(({ value }) => isOurs(text.slice(value.start, value.end))) : memberOf(parent, key);
    if (!item) return undefined;
    trail.push({ parent, item });
    parent = item.value;
  }
  const found = trail.at(-1)?.item.value;
  return found && isOurs(text.slice(found.start, found.end)) ? trail : undefined;
}

/** Takes the characters out again, where they stand exactly once. */
export function cut(text: string, inserted: string): string | undefined {
  const at = text.indexOf(inserted);
  if (inserted === '' || at < 0 || text.indexOf(inserted, at + 1) >= 0) return undefined;
  return text.slice(0, at) + text.slice(at + inserted.length);
}

function putFirst(text: string, node: JsonNode, key: string | undefined, value: unknown): Insertion {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = indentAt(text, node.start);
  const first = node.items?.[0];
  const before = text.slice(node.start + 1, first?.start ?? node.end - 1);
  // An empty pair of brackets says nothing of its form; the rest of the text does.
  const isSpread = before.includes('\n') || (!first && (text.trimEnd().includes('\n') || !/\S/.test(text.slice(0, node.start))));
  const inner = isSpread && first && /(^|\n)[ \t]*$/.test(before) ? /[ \t]*$/.exec(before)![0] : outer + unitOf(text);
  const written = isSpread
    ? spread(key, value, eol, inner, unitOf(text))
    : `${key === undefined ? '' : `${JSON.stringify(key)}: `}${oneLine(value)}`;
  const at = behindRemark(text, node.start + 1);
  const lead = isSpread ? eol + inner : /^[ \t]*/.exec(before)![0];
  // An empty pair of brackets on one line needs the line end that others have already.
  const tail = first ? ',' : isSpread && !before.includes('\n') ? eol + outer : '';
  const inserted = `${lead}${written}${tail}`;
  return { text: text.slice(0, at) + inserted + text.slice(at), inserted };
}

/** A remark on the line of the opening bracket belongs to the bracket. */
function behindRemark(text: string, from: number): number {
  const remark = /^[ \t]*(?:\/\/[^\n]*?(?=\r?\n)|\/\*(?:(?!\*\/)[^\n])*\*\/(?=[ \t]*\r?\n))/.exec(text.slice(from, from + 2000));
  return remark ? from + remark[0].length : from;
}

function cutItem(text: string, parent: JsonNode, item: JsonItem): string {
  const items = parent.items ?? [];
  const before = items[items.indexOf(item) - 1];
  if (item.comma === undefined && before?.comma !== undefined) {
    // The last one takes along the comma in front of it.
    return text.slice(0, before.value.end) + text.slice(before.comma, blanksBefore(text, item.start)) + text.slice(item.value.end);
  }
  const end = item.comma !== undefined && skipBlank(text, item.value.end) === item.comma - 1 ? item.comma : item.value.end;
  return text.slice(0, blanksBefore(text, item.start)) + text.slice(end);
}

function blanksBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && ' \t\r\n'.includes(text[start - 1]!)) start -= 1;
  // A remark of slashes lasts to the end of its line, which therefore stays.
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (!line.includes('//')) return start;
  const end = text.indexOf('\n', start);
  return end < 0 || end >= at ? start : end + 1;
}

/** The blanks at the start of the line that a position is on. */
const indentAt = (text: string, at: number): string => /^\ufeff?([ \t]*)/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))![1]!;

/** What one level is indented by in this text. */
const unitOf = (text: string): string => /\n([ \t]+)["[{]/.exec(text)?.[1]?.replace(/^(\t)\t*$/, '$1') ?? '  ';

const oneLine = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2');

function spread(key: string | undefined, value: unknown, eol: string, indent: string, unit: string): string {
  const text = shortArrays(JSON.stringify(value, null, unit)).replaceAll('\n', eol + indent);
  return key === undefined ? text : `${JSON.stringify(key)}: ${text}`;
}

/** `["mcp"]` on one line, as people write it. */
export const shortArrays = (text: string): string =>
  text.replace(/\[\s+("(?:[^"\\\n]|\\.)*"(?:,\s+"(?:[^"\\\n]|\\.)*")*)\s+\]/g, (_, items: string) => `[${items.replace(/,\s+/g, ', ')}]`);
