import type { Completeness, DocSchema, SectionScore, SectionSpec } from '../../model/doc-schema.ts';
import { type Block, blocksOf } from './units.ts';

/** How much of what a schema asks for a document holds: the same on every machine, and offline.
 *  It sees that something stands there, not whether it is any good. */
export function completenessOf(text: string, schema: DocSchema): Completeness {
  const { body, firstLine } = withoutFrontMatter(text);
  const blocks = blocksOf(body);
  const headings = headingsOf(blocks);
  const sections = schema.sections.map((section) => scoreOf(section, blocks, headings, firstLine));
  // Rounded last: what is shown of a section does not decide about the whole.
  // What is next to nothing is not nothing: a section that must be there is.
  const shown = sections.map((one) => ({ ...one, score: rounded(one.score) || one.score }));
  return { completeness: overall(sections, blocks), sections: shown };
}

/** The text of a document as every machine sees it: without a mark at its beginning, with plain line ends. */
export const plainText = (text: string): string =>
  text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');

export function withoutFrontMatter(text: string): { frontMatter?: string; body: string; firstLine: number } {
  const plain = plainText(text);
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

/** The only heading of the first level is the title of the document. */
function headingsOf(blocks: Block[]): Heading[] {
  const all = blocks.flatMap(({ heading }, at) => (heading ? [{ at, ...heading, words: headingWords(heading.text) }] : []));
  const titles = all.filter(({ depth }) => depth === 1);
  return titles.length === 1 ? all.filter((one) => one !== titles[0]) : all;
}

export const headingWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '' && !/^\p{N}+$/u.test(word));

/** Whether one of the titles stands in a heading, word after word. What is a non-goal, or out of scope, is the opposite; and so is each
 *  word of it: requirements that are non-functional are no requirements of a section that asks for functional ones. */
export function isTitled(heading: string[], titles: string[][]): boolean {
  const spans = titles.flatMap((title) => spansOf(heading, title));
  const opposites = spans.filter(({ isOpposite }) => isOpposite);
  return spans.some(({ isOpposite, start, end }) => !isOpposite && !opposites.some((other) => other.start <= start && end <= other.end));
}

function spansOf(heading: string[], title: string[]): { start: number; end: number; isOpposite: boolean }[] {
  return heading.flatMap((word, start) => {
    const isJoined = word === `non${title[0]}`;
    if (!title.every((one, i) => heading[start + i] === one || (i === 0 && isJoined))) return [];
    const before = heading.slice(0, start);
    const isOpposite = isJoined || before.at(-1) === 'non' || (before.at(-1) === 'of' && before.at(-2) === 'out');
    return [{ start, end: start + title.length, isOpposite }];
  });
}

function headingFor({ titles }: SectionSpec, headings: Heading[]): Heading | undefined {
  const wanted = titles.map(headingWords).filter((words) => words.length > 0);
  const fitting = headings.filter(({ words }) => isTitled(words, wanted));
  return fitting.reduce<Heading | undefined>((best, one) => (best && best.depth <= one.depth ? best : one), undefined);
}

function scoreOf(section: SectionSpec, blocks: Block[], headings: Heading[], firstLine: number): SectionScore {
  const { id, required, weight, minWords, minItems = 0, titles } = section;
  const heading = headingFor(section, headings);
  const base = { id, required, weight };
  if (!heading)
    return {
      ...base,
      score: 0,
      heading: null,
      line: null,
      words: 0,
      placeholderWords: 0,
      items: 0,
      lacks: [`a heading such as "${titles[0] ?? id}"`],
    };
  const units = bodyOf(blocks, heading).flatMap((block) => block.units);
  const words = units.reduce((sum, unit) => sum + unit.words, 0);
  const placeholderWords = units.reduce((sum, unit) => sum + unit.placeholderWords, 0);
  const items = units.filter(({ isItem }) => isItem).length;
  const real = words - placeholderWords;
  const score =
    words === 0
      ? 0
      : Math.min(1, minWords === 0 ? 1 : real / minWords) *
        (1 - placeholderWords / words) *
        (minItems === 0 ? 1 : Math.min(1, items / minItems));
  return {
    ...base,
    score,
    heading: heading.text,
    line: firstLine - 1 + blocks[heading.at]!.line,
    words: real,
    placeholderWords,
    items,
    lacks: [
      ...(real < minWords ? [counted(minWords - real, 'more word')] : []),
      ...(placeholderWords > 0 ? [`${counted(placeholderWords, 'placeholder')} replaced`] : []),
      ...(items < minItems ? [counted(minItems - items, 'more item')] : []),
    ],
  };
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Up to the next heading that is not below this one. */
function bodyOf(blocks: Block[], { at, depth }: Heading): Block[] {
  const rest = blocks.slice(at + 1);
  const end = rest.findIndex(({ heading }) => heading !== undefined && heading.depth <= depth);
  return end < 0 ? rest : rest.slice(0, end);
}

function overall(sections: SectionScore[], blocks: Block[]): number {
  const asked = sections.filter(({ required }) => required);
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0);
  if (whole > 0) return rounded(asked.reduce((sum, { weight, score }) => sum + weight * score, 0) / whole);
  return blocks.some(({ units }) => units.some((unit) => unit.words > unit.placeholderWords)) ? 1 : 0;
}

/** Half up, at four decimals: what binary fractions add or take away does not decide. */
const rounded = (share: number): number => Math.floor(share * 10_000 + 0.5 + 1e-9) / 10_000;
