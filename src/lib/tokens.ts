import { knownSigns, knownWords } from './tokens-known.ts';

/** How many tokens a model reads in a text: a stated estimate that is not under what the public tokenizers count, and seldom over twice of it.
 *  It follows how they cut: a word, a number, a run of signs, a run of blanks; other scripts by what a character of theirs usually costs. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === other) {
      const point = text.codePointAt(at)!;
      tokens += costOf(point);
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    const end = endOfRun(text, at, kind);
    tokens += runCost(text, at, end, kind);
    at = end;
  }
  return Math.ceil(tokens);
}

/** The same of a JSON text that people may be shown as well: a line end becomes a mark, and what a terminal would obey is spelt out. */
export const estimateShown = (json: string): number =>
  Math.max(
    estimateTokens(json),
    estimateTokens(
      json.replace(/\\n/g, ' ↵ ').replace(/[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '\\u0000'),
    ),
  );

const lower = 0;
const upper = 1;
const digit = 2;
const blank = 3;
const sign = 4;
const other = 5;

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  if (code >= 48 && code <= 57) return digit;
  if (code === 32 || (code >= 9 && code <= 13)) return blank;
  return code < 128 ? sign : other;
}

/** A word may begin with one capital: `camelCase` is two words. */
function endOfRun(text: string, at: number, kind: number): number {
  let end = at + 1;
  if (kind === upper && kindOf(text.charCodeAt(end)) === lower) return endOfRun(text, end, lower);
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end += 1;
  // In `JSONText` the T belongs to the word after it.
  return kind === upper && end - at > 1 && end < text.length && kindOf(text.charCodeAt(end)) === lower ? end - 1 : end;
}

function runCost(text: string, at: number, end: number, kind: number): number {
  const length = end - at;
  if (kind === blank) return blankCost(text, at, end);
  if (kind === digit) return length < 4 ? 1 : Math.ceil(length / 2);
  if (kind === sign) return signCost(text, at, end);
  const isShouted = kind === upper && kindOf(text.charCodeAt(end - 1)) === upper;
  if (isShouted) return Math.ceil(length * 0.7);
  if (kind === lower && length > 3 && length < 15 && isKnown(text, at, end)) return 1;
  if (!isSpeakable(text, at, end)) return Math.ceil(length * 0.6);
  // A name is rarer than a word, and a long word than a short one.
  return 1 + Math.floor(length / (kind === upper ? 2.5 : 3.1));
}

/** A single sign before a word is cut with the word, and then the word is not what it is alone. */
const isKnown = (text: string, at: number, end: number): boolean =>
  (kindOf(text.charCodeAt(at - 1)) !== sign || kindOf(text.charCodeAt(at - 2)) === sign) &&
  (end === text.length || kindOf(text.charCodeAt(end)) !== other) &&
  knownWords.has(text.slice(at, end));

/** What stands between the parts of JSON is mostly one token, however many signs it is; but not behind a blank. */
function signCost(text: string, at: number, end: number): number {
  const known = end - at < 7 && kindOf(text.charCodeAt(at - 1)) !== blank ? knownSigns.get(text.slice(at, end)) : undefined;
  return known ?? Math.ceil(changes(text, at, end) * 0.7 + (end - at) / 16);
}

/** One space before a word is part of the word, though not in every script; a line end and an indentation are one token each. */
function blankCost(text: string, at: number, end: number): number {
  if (end - at === 1 && text.charCodeAt(at) === 32) return kindOf(text.charCodeAt(end)) === other ? 0.5 : 0;
  return Math.ceil(changes(text, at, end) * 0.6 + (end - at) / 16);
}

/** A line of dashes and an indentation are a few tokens, however long: what counts is how often the character changes. */
function changes(text: string, at: number, end: number): number {
  let count = 1;
  for (let i = at + 1; i < end; i += 1) if (text.charCodeAt(i) !== text.charCodeAt(i - 1)) count += 1;
  return count;
}

/** Whether it could be a word: random letters cost three times as much. */
function isSpeakable(text: string, at: number, end: number): boolean {
  let consonants = 0;
  let vowels = 0;
  for (let i = at; i < end; i += 1) {
    const isVowel = 'aeiouyAEIOUY'.includes(text[i]!);
    vowels += isVowel ? 1 : 0;
    consonants = isVowel ? 0 : consonants + 1;
    if (consonants > 4) return false;
  }
  return vowels > 0 || end - at <= 2;
}

/** Where a block of Unicode begins, and what one of its characters costs. */
const costs: [from: number, cost: number][] = [
  [0x80, 2], // control characters
  [0xa0, 1.6], // accented Latin
  [0x180, 2],
  [0x370, 1.4], // Greek
  [0x400, 0.9], // Cyrillic
  [0x460, 2],
  [0x530, 2.2], // Armenian
  [0x590, 1.5], // Hebrew, Arabic
  [0x700, 2.6],
  [0x900, 2], // Devanagari
  [0x980, 2.5], // other scripts of India
  [0xe00, 2.1], // Thai
  [0xe80, 3.3], // Lao, Tibetan, Georgian, Ethiopic, Khmer
  [0x1e00, 2], // Latin of Vietnam
  [0x1f00, 3],
  [0x2000, 2.2], // punctuation
  [0x2100, 3], // arrows, symbols
  [0x3000, 2],
  [0x3040, 1.6], // kana
  [0x3100, 3],
  [0x4e00, 2.3], // Chinese
  [0xa000, 3],
  [0xac00, 2.3], // Hangul
  [0xd7b0, 3],
  [0xff00, 2], // full-width forms
  [0x10000, 4],
];

function costOf(point: number): number {
  let low = 0;
  for (let high = costs.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (costs[middle]![0] > point) high = middle;
    else low = middle;
  }
  return costs[low]![1];
}
