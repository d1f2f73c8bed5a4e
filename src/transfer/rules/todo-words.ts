import { sha256 } from '#lib/digest.ts';

/** Parses `key:value`. A URL or a time of day is not a key. */
export function parseTodoKey(word: string): [string, string] | undefined {
  const [, key, value] = /^([A-Za-z][^\s:]*):([^\s:/][^\s:]*)$/.exec(word) ?? [];
  return key && value ? [key.toLowerCase(), value] : undefined;
}

/** Checks whether a word means something else than itself, in any position of a line. */
const isSpecial = (word: string): boolean => /^(?:[+@]\S.*|x|\([A-Z]\)|\d{4}-\d\d-\d\d)$/s.test(word) || parseTodoKey(word) !== undefined;

/** A backslash before a word of a title makes it a plain word. Other words with a backslash, such as `C:\temp`, are left alone. */
export const escapeTodoWord = (word: string): string => (isSpecial(word.replace(/^\\+/, '')) ? `\\${word}` : word);

export const unescapeTodoWord = (word: string): string =>
  word.startsWith('\\') && isSpecial(word.replace(/^\\+/, '')) ? word.slice(1) : word;

/** Identifies a line without an id by its words and its date. */
export const hashTodoLine = (created: string, title: string): string => sha256(`${created} ${title.toLowerCase()}`).slice(0, 12);

/** A value contains no white space, colon or comma, and does not begin with a slash. */
export const encodeValue = (text: string): string => text.replace(/[%\s:,]|^\//gu, (sign) => encodeURIComponent(sign).toLowerCase());

export function decodeValue(value: string): string {
  try {
    return /%[0-9a-f]{2}/.test(value) ? decodeURIComponent(value) : value;
  } catch {
    return value;
  }
}
