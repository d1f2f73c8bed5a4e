/** How much a name says of its value. */
export type NameKind = 'telling' | 'ambiguous';

/** What is called so is secret, however short it is. */
const telling =
  /(?:password|passwd|passphrase|secret|credential|apikey|(?:access|private|auth|secret|signing|encryption)key)s?$|token$|^(?:private|authorization)$/;
/** What is called so often is: a short word is the name of something. */
const ambiguous = /^(?:keys?|tokens|o?auth|authentication|(?:account|deploy|master|session|shared|ssh)key)$/;
/** Behind such a word, what comes is still the thing itself. */
const stillItself = /^(?:base|value|raw|plain|text|current|old|new|prod|dev|test|live|\d+)$/;
/** Keys that nobody hides. */
const open = /^(?:public|cache|primary|foreign|sort|partition|idempotency|host|group|lock|object|index|row|unique|map)$/;
const counts = /^(?:count|counts|limit|budget|usage|used|total|estimate|est|length|size)$/;

const wordsOf = (name: string): string[] =>
  name
    .slice(0, 200)
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.replace(/(?<=[a-z])\d+$/, ''));

/** Of a key in data: any word of it tells. */
export function kindOfKey(name: string): NameKind | undefined {
  const words = wordsOf(name);
  return words.some((word) => telling.test(word)) ? 'telling' : words.some((word) => ambiguous.test(word)) ? 'ambiguous' : undefined;
}

/** Of a name to which something is assigned in a text: it is what it ends with. */
export function kindOfName(name: string): NameKind | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && stillItself.test(words.at(-1)!)) words.pop();
  const [last = '', before = ''] = words.toReversed();
  // A header has a way of its own to say what it holds.
  if (last === 'authorization') return undefined;
  if (telling.test(last) || (last === 'key' && /^(?:api|access|private|secret|auth)$/.test(before))) return 'telling';
  return ambiguous.test(last) && !open.test(before) ? 'ambiguous' : undefined;
}

/** What is counted is a number, whatever it counts. */
export const isCount = (name: string): boolean => counts.test(wordsOf(name).at(-1) ?? '');
