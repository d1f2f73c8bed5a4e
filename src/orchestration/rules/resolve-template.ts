import { addToList } from '#lib/collections.ts';

/** The value of a token. Text of a task is data: it is quoted and never parsed for tokens or references. */
export type TokenValue = string | { data: string };

export interface ResolvedTemplate {
  text: string;
  /** Token names, and references as `@path`, in order of first occurrence. */
  resolved: string[];
  unresolved: string[];
}

/** Resolves a template in one pass. Inserted values are not parsed again, so `{{…}}` or `@file` in a title stays literal. References
 *  are inserted first and only one level deep: a reference inside a referenced file is reported as unresolved. */
export function resolveTemplate(
  template: string,
  values: Readonly<Record<string, TokenValue>>,
  files: ReadonlyMap<string, string>,
): ResolvedTemplate {
  const resolved = new Set<string>();
  const unresolved = new Set<string>();
  const expanded = replaceReferences(template, (path, reference) => {
    const text = files.get(path);
    (text === undefined ? unresolved : resolved).add(reference);
    if (text !== undefined) for (const nested of findReferences(text)) unresolved.add(`@${nested}`);
    return text?.trim() ?? reference;
  });
  const text = fillTokens(expanded, (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    (value === undefined ? unresolved : resolved).add(name);
    return value;
  });
  return { text, resolved: [...resolved], unresolved: [...unresolved] };
}

/** Lists the paths of all references in a text, each once. */
export function findReferences(text: string): string[] {
  const paths = new Set<string>();
  replaceReferences(text, (path, reference) => {
    paths.add(path);
    return reference;
  });
  return [...paths];
}

/** Wraps a text in a fenced code block with a fence longer than any inside the text. */
export function toCodeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, getLongestRun(text, '`') + 1));
  return `${fence}text\n${text}\n${fence}`;
}

// Email addresses, decorators and package names do not match: a path has an extension, or starts with `/`, `./`, `../` or `~/`.
const referencePattern =
  /(?<=^|[\s(])@((?:~|\.{0,2})\/[^\s)`'",;:]*[^\s)`'",;:.!?]|[\w.-]+(?:\/[\w.-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/]))/g;

/** Replaces references outside code blocks; inside them, `@name` is code. */
function replaceReferences(text: string, replace: (path: string, reference: string) => string): string {
  const lines = text.split('\n');
  const inCode = new Set(findCodeFences(lines).flatMap(({ open, close }) => listRange(open, close)));
  return lines
    .map((line, i) => (inCode.has(i) ? line : line.replace(referencePattern, (all, path: string) => replace(path, all))))
    .join('\n');
}

// `${{ … }}` is the syntax of other tools, such as GitHub Actions.
const tokenPattern = /(`*)(?<!\$)\{\{[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*\}\}(`*)/g;

function fillTokens(text: string, getValue: (name: string) => TokenValue | undefined): string {
  const lines = text.split('\n');
  const blocks = findCodeFences(lines);
  const inCode = new Set(blocks.flatMap(({ open, close }) => listRange(open, close)));
  const dataByLine = new Map<number, string[]>();
  const out = lines.map((line, i) =>
    line.replace(tokenPattern, (match, before: string, name: string, after: string, at: number) => {
      const value = getValue(name);
      if (value === undefined) return match;
      if (typeof value === 'string') return before + value + after;
      if (inCode.has(i)) {
        addToList(dataByLine, i, value.data);
        return before + value.data + after;
      }
      const isWholeLine = line.trim() === match;
      if (!isWholeLine && !value.data.includes('\n')) return toCodeSpan(value.data);
      // A fence must begin at the start of a line.
      return `${isWholeLine && line.slice(0, at) === '' ? '' : '\n\n'}${toCodeBlock(value.data)}${isWholeLine ? '' : '\n\n'}`;
    }),
  );
  for (const block of blocks)
    lengthenFence(
      out,
      block,
      listRange(block.open, block.close).flatMap((i) => dataByLine.get(i) ?? []),
    );
  return out.join('\n');
}

/** Wraps a text in an inline code span. */
export function toCodeSpan(text: string): string {
  const ticks = '`'.repeat(getLongestRun(text, '`') + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return ticks + pad + text + pad + ticks;
}

interface CodeFence {
  open: number;
  close: number;
  mark: string;
}

/** Finds fenced code blocks. A fence that is not closed extends to the end of the text. */
function findCodeFences(lines: string[]): CodeFence[] {
  const fences: CodeFence[] = [];
  let open: CodeFence | undefined;
  lines.forEach((line, i) => {
    const mark = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (!open && mark) {
      open = { open: i, close: lines.length - 1, mark };
      fences.push(open);
    } else if (open && mark?.startsWith(open.mark) && line.trim() === mark) {
      open.close = i;
      open = undefined;
    }
  });
  return fences;
}

/** Lengthens a fence so that the inserted data cannot close it. */
function lengthenFence(lines: string[], { open, close, mark }: CodeFence, contents: string[]): void {
  const character = mark[0]!;
  const length = Math.max(mark.length, ...contents.map((text) => getLongestRun(text, character) + 1));
  if (length === mark.length) return;
  for (const i of [open, close])
    if (lines[i]!.trimStart().startsWith(mark)) lines[i] = lines[i]!.replace(new RegExp(`${character}{3,}`), character.repeat(length));
}

const getLongestRun = (text: string, character: string): number =>
  Math.max(0, ...(text.match(new RegExp(`${character}+`, 'g')) ?? []).map((run) => run.length));
const listRange = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
