import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { stripBom } from './parse-json.ts';

/** The first syntax error of a text: `comma expected`, with line and column from 1. */
interface JsonProblem {
  problem: string;
  line: number;
  column: number;
}

/** Parses JSON with comments and trailing commas. A byte order mark is skipped. */
export function parseJsonc(text: string): { value: unknown } | JsonProblem {
  const parsed = parseNodes(text);
  return 'root' in parsed ? { value: getNodeValue(parsed.root) } : parsed;
}

/** Finds the first syntax error of plain JSON, or undefined. `JSON.parse` reports a position for some errors only. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const parsed = parseNodes(text, { disallowComments: true, allowTrailingComma: false });
  return 'problem' in parsed ? parsed : undefined;
}

/** Decides whether a value in a file is one that we wrote, by its source text. */
type IsOurs = (source: string) => boolean;

/** Returns the source text of the value at a path. With `[]` as the last key, it is the first element of an array that is ours. */
export function findJson(text: string, path: string[], isOurs: IsOurs = () => true): string | undefined {
  const source = stripBom(text);
  const node = findNode(source, path, isOurs);
  return node && sourceText(source, node);
}

/** Inserts a value as the first member of an object or, with `[]` as the last key, as the first element of an array. Only the
 *  characters of `inserted` are added, so that removing them restores the file byte for byte.
 *  Undefined if a value on the path is neither an object nor, at its end, an array. */
export function insertJson(text: string, path: string[], value: unknown): { text: string; inserted: string } | undefined {
  const bom = text.slice(0, text.length - stripBom(text).length);
  const before = stripBom(text);
  const keys = path.map((key) => (key === '[]' ? 0 : key));
  // The editor takes seconds for a few thousand braces that are not closed.
  if (before.trim() !== '' && 'problem' in parseJsonc(before)) return undefined;
  // A file whose lines the formatter would change, such as one on a single line, gets the value unformatted.
  for (const formattingOptions of [detectFormatting(before), undefined]) {
    try {
      const options = { isArrayInsertion: true, getInsertionIndex: () => 0, ...(formattingOptions ? { formattingOptions } : {}) };
      const after = applyEdits(before, modify(before, keys, value, options));
      const added = findInsertion(before, after);
      if (!added) continue;
      const inserted = joinShortArrays(added.inserted);
      return { text: bom + before.slice(0, added.at) + inserted + before.slice(added.at), inserted };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Replaces a value in place, in the formatting of the file. Returns the source text of the value before and after. */
export function replaceJson(
  text: string,
  path: string[],
  value: unknown,
  isOurs: IsOurs = () => true,
): { text: string; before: string; after: string } | undefined {
  const source = stripBom(text);
  const node = findNode(source, path, isOurs);
  if (!node) return undefined;
  const before = sourceText(source, node);
  const { insertSpaces, tabSize, eol } = detectFormatting(source);
  const lineIndent = /^[ \t]*/.exec(source.slice(source.lastIndexOf('\n', node.offset) + 1))?.[0] ?? '';
  const after = before.includes('\n')
    ? joinShortArrays(JSON.stringify(value, null, insertSpaces ? tabSize : '\t').replaceAll('\n', eol + lineIndent))
    : JSON.stringify(value);
  const replaced = source.slice(0, node.offset) + after + source.slice(node.offset + node.length);
  return { text: text.slice(0, text.length - source.length) + replaced, before, after };
}

/** Removes a value that `insertJson` wrote, from a file that has changed since. Containers that become empty are removed as well. */
export function removeJson(text: string, path: string[], isOurs: IsOurs = () => true): string {
  const bom = text.slice(0, text.length - stripBom(text).length);
  const source = stripBom(text);
  const found = findNode(source, path, isOurs);
  if (!found) return text;
  let item = toItem(found);
  while (item.parent?.children?.length === 1 && item.parent.parent) item = toItem(item.parent);
  const siblings = item.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(item) - 1];
  const end = item.offset + item.length;
  const comma = findComma(source, end) ?? (previous && findComma(source, previous.offset + previous.length));
  const start = findBlankStart(source, item.offset);
  return (
    bom +
    applyEdits(source, [
      { offset: start, length: end - start, content: '' },
      ...(comma === undefined ? [] : [{ offset: comma, length: 1, content: '' }]),
    ])
  );
}

/** Replaces the strings at these paths. Undefined if none of them exists. */
export function replaceJsonStrings(text: string, paths: string[][], value: string): string | undefined {
  const source = stripBom(text);
  const nodes = paths.flatMap((path) => findNode(source, path, () => true) ?? []).filter(({ type }) => type === 'string');
  if (nodes.length === 0) return undefined;
  const edits = nodes.map(({ offset, length }) => ({ offset, length, content: JSON.stringify(value) }));
  return text.slice(0, text.length - source.length) + applyEdits(source, edits);
}

/** Removes characters that occur exactly once in a text; undefined if they do not. */
export function removeOnce(text: string, part: string): string | undefined {
  const at = text.indexOf(part);
  if (part === '' || at < 0 || text.indexOf(part, at + 1) >= 0) return undefined;
  return text.slice(0, at) + text.slice(at + part.length);
}

function parseNodes(text: string, options = { disallowComments: false, allowTrailingComma: true }): { root: Node } | JsonProblem {
  const source = stripBom(text);
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(source, errors, options);
  } catch (error) {
    // The parser is recursive.
    if (!(error instanceof RangeError)) throw error;
    return { problem: 'nested too deep', line: 1, column: 1 };
  }
  const [first] = errors;
  if (root && !first) return { root };
  const before = source.slice(0, first?.offset ?? 0).split('\n');
  const problem = first
    ? printParseErrorCode(first.error)
        .replace(/\B[A-Z]/g, ' $&')
        .toLowerCase()
    : 'value expected';
  return { problem, line: before.length, column: before.at(-1)!.length + 1 };
}

function findNode(source: string, path: string[], isOurs: IsOurs): Node | undefined {
  const parsed = parseNodes(source);
  if ('problem' in parsed) return undefined;
  const isElement = path.at(-1) === '[]';
  const node = findNodeAtLocation(parsed.root, isElement ? path.slice(0, -1) : path);
  const candidates = isElement ? (node?.type === 'array' ? node.children : undefined) : node && [node];
  return candidates?.find((candidate) => isOurs(sourceText(source, candidate)));
}

const sourceText = (source: string, { offset, length }: Node): string => source.slice(offset, offset + length);

/** Returns the property of a member, or the element of an array itself. */
const toItem = (node: Node): Node => (node.parent?.type === 'property' ? node.parent : node);

/** Finds the comma that is the next token. */
function findComma(source: string, from: number): number | undefined {
  const scanner = createScanner(source, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return source[at] === ',' ? at : undefined;
}

/** Finds where the blanks before a position begin. The line break after a `//` comment is not one of them: it ends the comment. */
function findBlankStart(source: string, at: number): number {
  const start = source.slice(0, at).trimEnd().length;
  const line = source.slice(source.lastIndexOf('\n', start - 1) + 1, start);
  const lineEnd = source.indexOf('\n', start);
  return line.includes('//') && lineEnd >= 0 && lineEnd < at ? lineEnd + 1 : start;
}

/** Compares two texts; undefined if the second is not the first with one part added. */
function findInsertion(before: string, after: string): { at: number; inserted: string } | undefined {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const inserted = after.slice(at, at + after.length - before.length);
  return before.slice(at) === after.slice(at + inserted.length) ? { at, inserted } : undefined;
}

function detectFormatting(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /\n([ \t]+)["[{]/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Puts arrays of strings on one line, as people write them: `["mcp"]`. */
const joinShortArrays = (text: string): string =>
  text.replace(/\[\s+("(?:[^"\\\n]|\\.)*"(?:,\s+"(?:[^"\\\n]|\\.)*")*)\s+\]/g, (_, items: string) => `[${items.replace(/,\s+/g, ', ')}]`);
