/** What stands for a token. Text of a task is data: it is shown as such, and never read again. */
export type TokenValue = string | { data: string };

export interface Resolution {
  text: string;
  /** Names of tokens, and references as `@path`, in the order in which they first occur. */
  resolved: string[];
  unresolved: string[];
}

/** Fills a template in one pass. What is put in for a token is not looked at again, so that `{{…}}` or `@file` in a title is a part of
 *  the title. References are put in first, and once: they are part of the template, and what they refer to themselves is unresolved. */
export function resolveTemplate(
  template: string,
  values: Readonly<Record<string, TokenValue>>,
  files: ReadonlyMap<string, string>,
): Resolution {
  const resolved = new Set<string>();
  const unresolved = new Set<string>();
  const whole = eachReference(template, (path, reference) => {
    const text = files.get(path);
    (text === undefined ? unresolved : resolved).add(reference);
    if (text !== undefined) for (const inner of referencesIn(text)) unresolved.add(`@${inner}`);
    return text?.trim() ?? reference;
  });
  const text = filled(whole, (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    (value === undefined ? unresolved : resolved).add(name);
    return value;
  });
  return { text, resolved: [...resolved], unresolved: [...unresolved] };
}

/** The paths of all references in a text, once each. */
export function referencesIn(text: string): string[] {
  const found = new Set<string>();
  eachReference(text, (path, reference) => {
    found.add(path);
    return reference;
  });
  return [...found];
}

/** A text as a block of its own that nothing in it can end. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1));
  return `${fence}text\n${text}\n${fence}`;
}

// An address or a decorator is no reference, nor is the name of a package: a path has an ending, or begins like one.
const reference = /(?<=^|[\s(])@((?:~|\.{0,2})\/[^\s)`'",;:]*[^\s)`'",;:.!?]|[\w.-]+(?:\/[\w.-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/]))/g;

/** Code only looks as if it referred to something. */
function eachReference(text: string, put: (path: string, reference: string) => string): string {
  const lines = text.split('\n');
  const inCode = new Set(fencesIn(lines).flatMap(({ open, close }) => range(open, close)));
  return lines.map((line, i) => (inCode.has(i) ? line : line.replace(reference, (all, path: string) => put(path, all)))).join('\n');
}

// `${{ … }}` belongs to others.
const token = /(`*)(?<!\$)\{\{[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*\}\}(`*)/g;

function filled(text: string, given: (name: string) => TokenValue | undefined): string {
  const lines = text.split('\n');
  const blocks = fencesIn(lines);
  const inCode = new Set(blocks.flatMap(({ open, close }) => range(open, close)));
  const data = new Map<number, string[]>();
  const out = lines.map((line, i) =>
    line.replace(token, (all, before: string, name: string, after: string, at: number) => {
      const value = given(name);
      if (value === undefined) return all;
      if (typeof value === 'string') return before + value + after;
      if (inCode.has(i)) {
        data.set(i, [...(data.get(i) ?? []), value.data]);
        return before + value.data + after;
      }
      const isAlone = line.trim() === all;
      if (!isAlone && !value.data.includes('\n')) return span(value.data);
      // The mark of a block stands at the beginning of a line.
      return `${isAlone && line.slice(0, at) === '' ? '' : '\n\n'}${fenced(value.data)}${isAlone ? '' : '\n\n'}`;
    }),
  );
  for (const block of blocks)
    raise(
      out,
      block,
      range(block.open, block.close).flatMap((i) => data.get(i) ?? []),
    );
  return out.join('\n');
}

/** As code within a line. */
export function span(text: string): string {
  const ticks = '`'.repeat(longestRun(text, '`') + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return ticks + pad + text + pad + ticks;
}

interface Block {
  open: number;
  close: number;
  mark: string;
}

/** The blocks of code, from mark to mark; one that is not closed reaches to the end. */
function fencesIn(lines: string[]): Block[] {
  const blocks: Block[] = [];
  let within: Block | undefined;
  lines.forEach((line, i) => {
    const mark = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    if (!within && mark) {
      within = { open: i, close: lines.length - 1, mark };
      blocks.push(within);
    } else if (within && mark?.startsWith(within.mark) && line.trim() === mark) {
      within.close = i;
      within = undefined;
    }
  });
  return blocks;
}

/** Makes the marks of a block longer than anything that was put into it. */
function raise(lines: string[], { open, close, mark }: Block, put: string[]): void {
  const sign = mark[0]!;
  const length = Math.max(mark.length, ...put.map((text) => longestRun(text, sign) + 1));
  if (length === mark.length) return;
  for (const i of [open, close])
    if (lines[i]!.trimStart().startsWith(mark)) lines[i] = lines[i]!.replace(new RegExp(`${sign}{3,}`), sign.repeat(length));
}

const longestRun = (text: string, sign: string): number =>
  Math.max(0, ...(text.match(new RegExp(`${sign}+`, 'g')) ?? []).map((run) => run.length));
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
