/** A value of a JSON text with comments, and where it stands. */
export interface JsonNode {
  kind: 'object' | 'array' | 'string' | 'other';
  start: number;
  /** Just behind it. */
  end: number;
  /** Of an object or array, in order; undefined for anything else. */
  items?: JsonItem[];
}

export interface JsonItem {
  /** Of a member of an object. */
  key?: string;
  /** Where the member, or the element, begins. */
  start: number;
  value: JsonNode;
  /** Just behind the comma that follows it. */
  comma?: number;
}

/** Why a text is not JSON, and where. */
export interface JsonProblem {
  problem: string;
  line: number;
}

/** Reads JSON with comments and trailing commas, without recursion: the text may be anybody's. */
export function readJsonc(text: string): JsonNode | JsonProblem {
  const open: JsonNode[] = [];
  let root: JsonNode | undefined;
  /** A value may come here; behind an item only a comma or the end. */
  let expects: 'value' | 'next' | 'end' = 'value';
  let at = skipBlank(text, text.startsWith('\ufeff') ? 1 : 0);
  const wrong = (problem: string, where = at): JsonProblem => ({ problem, line: text.slice(0, where).split('\n').length });
  const close = (node: JsonNode): void => {
    node.end = at + 1;
    open.pop();
    expects = open.length > 0 ? 'next' : 'end';
  };

  for (; at >= 0 && at < text.length; at = skipBlank(text, at)) {
    const sign = text[at]!;
    const inside = open.at(-1);
    if (expects === 'end') return wrong('holds more than one value');
    if (inside && sign === (inside.kind === 'object' ? '}' : ']')) {
      close(inside);
      at += 1;
      continue;
    }
    if (expects === 'next') {
      if (sign !== ',') return wrong('lacks a comma or a bracket');
      at += 1;
      inside!.items!.at(-1)!.comma = at;
      expects = 'value';
      continue;
    }
    const start = at;
    let key: string | undefined;
    if (inside?.kind === 'object') {
      const end = endOfString(text, at);
      if (end === undefined) return wrong('has a key that is not a string');
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipBlank(text, end);
      if (text[at] !== ':') return wrong('lacks a colon', start);
      at = skipBlank(text, at + 1);
    }
    const value = valueAt(text, at);
    if (!value) return wrong('has a value that is not JSON', at < 0 ? start : at);
    if (inside) inside.items!.push({ ...(key === undefined ? {} : { key }), start, value });
    else root = value;
    if (value.items) {
      open.push(value);
      expects = 'value';
      at += 1;
    } else {
      at = value.end;
      expects = inside ? 'next' : 'end';
    }
  }
  if (at < 0) return wrong('has a comment without an end', text.length);
  if (open.length > 0) return wrong('ends too early', text.length);
  return root ?? wrong('is empty', 0);
}

export const isProblem = (read: JsonNode | JsonProblem): read is JsonProblem => 'problem' in read;

/** The last member of that name, which is the one that readers of JSON go by. */
export const memberOf = (node: JsonNode | undefined, key: string): JsonItem | undefined =>
  node?.kind === 'object' ? node.items?.findLast((item) => item.key === key) : undefined;

/** Behind blanks and comments; below zero where a comment has no end. */
export function skipBlank(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return -1;
      at = end + 2;
    } else return at;
  }
}

function valueAt(text: string, start: number): JsonNode | undefined {
  const sign = text[start];
  if (sign === '{') return { kind: 'object', start, end: start, items: [] };
  if (sign === '[') return { kind: 'array', start, end: start, items: [] };
  const string = endOfString(text, start);
  if (string !== undefined) return { kind: 'string', start, end: string };
  let end = start;
  while (end < text.length && /[\w+.-]/.test(text[end]!)) end += 1;
  return start >= 0 && isJson(text.slice(start, end)) ? { kind: 'other', start, end } : undefined;
}

function endOfString(text: string, start: number): number | undefined {
  if (text[start] !== '"') return undefined;
  let end = start + 1;
  while (end < text.length && text[end] !== '"' && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
  return text[end] === '"' && isJson(text.slice(start, end + 1)) ? end + 1 : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
