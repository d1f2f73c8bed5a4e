const token =
  /[{}[\],:]|"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const blank = /[ \t\r\n]*/y;

type Awaits = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'more' | 'end';

/** Line and column, both from 1, of the first character that cannot go on a JSON text. Node names a position in some versions
 *  and for some mistakes only, so that its messages cannot be relied on for one. */
export function placeOfError(text: string): { line: number; column: number } {
  const open: ('{' | '[')[] = [];
  let awaits: Awaits = 'value';
  let at = 0;
  for (;;) {
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
    token.lastIndex = at;
    const word = token.exec(text)?.[0];
    const next: Awaits | undefined = word === undefined ? undefined : after(word, awaits, open);
    if (next === undefined) break;
    awaits = next;
    at = token.lastIndex;
  }
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

/** What may follow this word; undefined where it may not stand. */
function after(word: string, awaits: Awaits, open: ('{' | '[')[]): Awaits | undefined {
  const isText = word.startsWith('"');
  if (awaits === ':') return word === ':' ? 'value' : undefined;
  if (awaits.startsWith('key') && isText) return ':';
  if (awaits === 'more' && word === ',') return open.at(-1) === '{' ? 'key' : 'value';
  if (
    (word === '}' && (awaits === 'key or }' || (awaits === 'more' && open.at(-1) === '{'))) ||
    (word === ']' && (awaits === 'value or ]' || (awaits === 'more' && open.at(-1) === '[')))
  ) {
    open.pop();
    return open.length > 0 ? 'more' : 'end';
  }
  if (!awaits.startsWith('value')) return undefined;
  if (word === '{' || word === '[') {
    open.push(word);
    return word === '{' ? 'key or }' : 'value or ]';
  }
  if (!isText && /^[}\],:]/.test(word)) return undefined;
  return open.length > 0 ? 'more' : 'end';
}
