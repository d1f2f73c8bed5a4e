import { escapeInvisible } from './invisible.ts';
import { knownSigns, knownWords } from './tokens-known.ts';

/** Estimates the tokens of a text. The estimate is never below the count of the public tokenizers and rarely above twice of it. It
 *  splits as they do: words, numbers, runs of signs, runs of blanks. Other scripts have an average cost for each character. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const kind = classifyCharacter(text.charCodeAt(at));
    if (kind === other) {
      const point = text.codePointAt(at)!;
      tokens += getCharacterCost(point);
      at += point > 0xffff ? 2 : 1;
      continue;
    }
    const end = findRunEnd(text, at, kind);
    tokens += measureRun(text, at, end, kind);
    at = end;
  }
  return Math.ceil(tokens);
}

/** Estimates the longer form of an answer that is printed as JSON or as text. Text has visible marks for line ends and control
 *  characters. */
export const estimateAnswerTokens = (json: string): number =>
  Math.max(estimateTokens(json), estimateTokens(escapeInvisible(json.replace(/\\n/g, ' ↵ '))));

const lower = 0;
const upper = 1;
const digit = 2;
const blank = 3;
const sign = 4;
const other = 5;

function classifyCharacter(code: number): number {
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  if (code >= 48 && code <= 57) return digit;
  if (code === 32 || (code >= 9 && code <= 13)) return blank;
  return code < 128 ? sign : other;
}

/** Finds the end of a run. A word may begin with one capital: `camelCase` is two words. */
function findRunEnd(text: string, at: number, kind: number): number {
  let end = at + 1;
  if (kind === upper && classifyCharacter(text.charCodeAt(end)) === lower) return findRunEnd(text, end, lower);
  while (end < text.length && classifyCharacter(text.charCodeAt(end)) === kind) end += 1;
  // In `JSONText` the T belongs to the word after it.
  return kind === upper && end - at > 1 && end < text.length && classifyCharacter(text.charCodeAt(end)) === lower ? end - 1 : end;
}

function measureRun(text: string, at: number, end: number, kind: number): number {
  const length = end - at;
  if (kind === blank) return measureBlanks(text, at, end);
  if (kind === digit) return length < 4 ? 1 : Math.ceil(length / 2);
  if (kind === sign) return measureSigns(text, at, end);
  const isShouted = kind === upper && classifyCharacter(text.charCodeAt(end - 1)) === upper;
  if (isShouted) return Math.ceil(length * 0.7);
  if (kind === lower && length > 3 && length < 15 && isKnownWord(text, at, end)) return 1;
  if (!isSpeakable(text, at, end)) return Math.ceil(length * 0.6);
  // A name is rarer than a word, and a long word than a short one.
  return 1 + Math.floor(length / (kind === upper ? 2.5 : 3.1));
}

/** Checks for a word that is one token. A single sign in front of a word belongs to its token and changes it. */
const isKnownWord = (text: string, at: number, end: number): boolean =>
  (classifyCharacter(text.charCodeAt(at - 1)) !== sign || classifyCharacter(text.charCodeAt(at - 2)) === sign) &&
  (end === text.length || classifyCharacter(text.charCodeAt(end)) !== other) &&
  knownWords.has(text.slice(at, end));

/** Rates a run of signs. The punctuation between parts of JSON is mostly one token, except after a blank. */
function measureSigns(text: string, at: number, end: number): number {
  const known = end - at < 7 && classifyCharacter(text.charCodeAt(at - 1)) !== blank ? knownSigns.get(text.slice(at, end)) : undefined;
  return known ?? Math.ceil(countChanges(text, at, end) * 0.7 + (end - at) / 16);
}

/** Rates a run of blanks. In most scripts a single space is part of the next word; line ends and indentation are tokens. */
function measureBlanks(text: string, at: number, end: number): number {
  if (end - at === 1 && text.charCodeAt(at) === 32) return classifyCharacter(text.charCodeAt(end)) === other ? 0.5 : 0;
  return Math.ceil(countChanges(text, at, end) * 0.6 + (end - at) / 16);
}

/** Counts the changes of character in a run. A line of dashes is few tokens at any length. */
function countChanges(text: string, at: number, end: number): number {
  let count = 1;
  for (let i = at + 1; i < end; i += 1) if (text.charCodeAt(i) !== text.charCodeAt(i - 1)) count += 1;
  return count;
}

/** Checks whether letters could be a word. Random letters cost three times as much. */
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

/** Unicode blocks: the first code point, and the average cost of one character. */
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

function getCharacterCost(point: number): number {
  let low = 0;
  for (let high = costs.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (costs[middle]![0] > point) high = middle;
    else low = middle;
  }
  return costs[low]![1];
}
