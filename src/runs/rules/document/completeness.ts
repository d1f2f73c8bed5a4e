import { pluralize } from '#lib/noun.ts';
import type { Completeness, DocSchema, SectionScore, SectionSpec } from '../../model/doc-schema.ts';
import { type Block, parseBlocks } from './units.ts';

/** Measures how much of a schema's sections a document contains. It needs no network and gives the same result on every machine. It
 *  measures presence, not quality. */
export function measureCompleteness(text: string, schema: DocSchema): Completeness {
  const { body, firstLine } = splitFrontMatter(text);
  const blocks = parseBlocks(body);
  const headings = listHeadings(blocks);
  const sections = schema.sections.map((section) => scoreSection(section, blocks, headings, firstLine));
  // Section scores are rounded only for display, so that rounding does not change the total. A score that would round to 0 stays as it
  // is, because 0 means that the section is missing.
  const rounded = sections.map((one) => ({ ...one, score: roundHalfUp(one.score) || one.score }));
  return { completeness: scoreDocument(sections, blocks), sections: rounded };
}

/** Removes a byte order mark and converts line ends to \n. */
export const normalizeDocument = (text: string): string =>
  text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');

export function splitFrontMatter(text: string): { frontMatter?: string; body: string; firstLine: number } {
  const plain = normalizeDocument(text);
  const found = /^---[ \t]*\n([\s\S]*?)^---[ \t]*(?:\n|$)/m.exec(plain);
  if (found?.index !== 0) return { body: plain, firstLine: 1 };
  return { frontMatter: found[1]!, body: plain.slice(found[0].length), firstLine: found[0].split('\n').length };
}

interface Heading {
  at: number;
  depth: number;
  text: string;
  words: string[];
}

/** All headings except the document title, which is the only heading of level 1. */
function listHeadings(blocks: Block[]): Heading[] {
  const all = blocks.flatMap(({ heading }, at) => (heading ? [{ at, ...heading, words: toHeadingWords(heading.text) }] : []));
  const titles = all.filter(({ depth }) => depth === 1);
  return titles.length === 1 ? all.filter((one) => one !== titles[0]) : all;
}

export const toHeadingWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '' && !/^\p{N}+$/u.test(word));

/** True if a heading contains all words of a title in a row. A negated title ("Non-Goals", "Out of Scope") does not match, nor does a part
 *  of one: "Non-Functional Requirements" does not match "requirements". */
export function hasTitle(heading: string[], titles: string[][]): boolean {
  const spans = titles.flatMap((title) => findSpans(heading, title));
  const opposites = spans.filter(({ isOpposite }) => isOpposite);
  return spans.some(({ isOpposite, start, end }) => !isOpposite && !opposites.some((other) => other.start <= start && end <= other.end));
}

function findSpans(heading: string[], title: string[]): { start: number; end: number; isOpposite: boolean }[] {
  return heading.flatMap((word, start) => {
    const isPrefixed = word === `non${title[0]}`;
    if (!title.every((one, i) => heading[start + i] === one || (i === 0 && isPrefixed))) return [];
    const wordsBefore = heading.slice(0, start);
    const isOpposite = isPrefixed || wordsBefore.at(-1) === 'non' || (wordsBefore.at(-1) === 'of' && wordsBefore.at(-2) === 'out');
    return [{ start, end: start + title.length, isOpposite }];
  });
}

function findHeading({ titles }: SectionSpec, headings: Heading[]): Heading | undefined {
  const titleWords = titles.map(toHeadingWords).filter((words) => words.length > 0);
  const matching = headings.filter(({ words }) => hasTitle(words, titleWords));
  return matching.reduce<Heading | undefined>((best, one) => (best && best.depth <= one.depth ? best : one), undefined);
}

function scoreSection(section: SectionSpec, blocks: Block[], headings: Heading[], firstLine: number): SectionScore {
  const { id, required, weight, minWords, minItems = 0, titles } = section;
  const heading = findHeading(section, headings);
  const identity = { id, required, weight };
  if (!heading)
    return {
      ...identity,
      score: 0,
      heading: null,
      line: null,
      words: 0,
      placeholderWords: 0,
      items: 0,
      lacks: [`a heading such as "${titles[0] ?? id}"`],
    };
  const units = listSectionBlocks(blocks, heading).flatMap((block) => block.units);
  const words = units.reduce((sum, unit) => sum + unit.words, 0);
  const placeholderWords = units.reduce((sum, unit) => sum + unit.placeholderWords, 0);
  const items = units.filter(({ isItem }) => isItem).length;
  const realWords = words - placeholderWords;
  const score =
    words === 0
      ? 0
      : Math.min(1, minWords === 0 ? 1 : realWords / minWords) *
        (1 - placeholderWords / words) *
        (minItems === 0 ? 1 : Math.min(1, items / minItems));
  return {
    ...identity,
    score,
    heading: heading.text,
    line: firstLine - 1 + blocks[heading.at]!.line,
    words: realWords,
    placeholderWords,
    items,
    lacks: [
      ...(realWords < minWords ? [pluralize(minWords - realWords, 'more word')] : []),
      ...(placeholderWords > 0 ? [`${pluralize(placeholderWords, 'placeholder')} replaced`] : []),
      ...(items < minItems ? [pluralize(minItems - items, 'more item')] : []),
    ],
  };
}

/** The blocks up to the next heading of the same or a higher level. */
function listSectionBlocks(blocks: Block[], { at, depth }: Heading): Block[] {
  const rest = blocks.slice(at + 1);
  const end = rest.findIndex(({ heading }) => heading !== undefined && heading.depth <= depth);
  return end < 0 ? rest : rest.slice(0, end);
}

function scoreDocument(sections: SectionScore[], blocks: Block[]): number {
  const required = sections.filter(({ required }) => required);
  const totalWeight = required.reduce((sum, { weight }) => sum + weight, 0);
  if (totalWeight > 0) return roundHalfUp(required.reduce((sum, { weight, score }) => sum + weight * score, 0) / totalWeight);
  return blocks.some(({ units }) => units.some((unit) => unit.words > unit.placeholderWords)) ? 1 : 0;
}

/** Rounds half up to four decimals. The epsilon hides the error of binary fractions. */
const roundHalfUp = (share: number): number => Math.floor(share * 10_000 + 0.5 + 1e-9) / 10_000;
