import { lexer, type Token, type Tokens } from 'marked';

/** A piece of text that is counted as one. */
export interface Unit {
  words: number;
  placeholderWords: number;
  isItem: boolean;
}

/** A block at the top of a document: a heading, or what it holds in units. */
export interface Block {
  line: number;
  heading?: { depth: number; text: string };
  units: Unit[];
}

/** The blocks of a markdown text, with the line each begins on. */
export function blocksOf(markdown: string): Block[] {
  let line = 1;
  return lexer(markdown, { gfm: true }).map((token) => {
    const block = { line, units: unitsOf(token, false), ...headingOf(token) };
    line += token.raw.split('\n').length - 1;
    return block;
  });
}

const headingOf = (token: Token): Pick<Block, 'heading'> =>
  token.type === 'heading' ? { heading: { depth: (token as Tokens.Heading).depth, text: spoken((token as Tokens.Heading).tokens) } } : {};

function unitsOf(token: Token, isItem: boolean): Unit[] {
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return unitOf([inline(token)], isItem);
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.flatMap((inner) => unitsOf(inner, isItem));
    case 'list':
      return (token as Tokens.List).items.flatMap((item) => itemUnits(item));
    case 'table':
      return (token as Tokens.Table).rows.flatMap((row) =>
        unitOf(
          row.map((cell) => cell.tokens.flatMap(pieces)),
          true,
        ),
      );
    case 'code':
      return unitOf([[{ text: (token as Tokens.Code).text, kind: 'code' }]], isItem);
    default:
      return [];
  }
}

/** One item is one item, however many paragraphs it has; one that says nothing is none. */
function itemUnits(item: Tokens.ListItem): Unit[] {
  const own = item.tokens.filter(({ type }) => type !== 'list').flatMap((inner) => unitsOf(inner, false));
  const below = item.tokens.filter(({ type }) => type === 'list').flatMap((inner) => unitsOf(inner, true));
  const [first, ...rest] = own;
  return [...(first ? [{ ...first, isItem: true }] : []), ...rest, ...below];
}

interface Piece {
  text: string;
  /** `tag`: one that no browser knows stands for something to be filled in. `plain`: a character that was written so that it is no mark. */
  kind: 'prose' | 'code' | 'tag' | 'plain';
}

const footnote = /^\[\^[^\]]+\]:/;

const inline = (token: Token): Piece[] => {
  if (footnote.test(token.raw)) return [];
  return 'tokens' in token && token.tokens ? token.tokens.flatMap(pieces) : [prose(token)];
};

const prose = (token: Token): Piece => ({ text: readable((token as Tokens.Text).text ?? ''), kind: 'prose' });

/** As it is read: without the numbers of footnotes, and with the characters that are written by name. */
const readable = (text: string): string =>
  text
    .replace(/\[\^[^\]\s]+\]/g, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]*));/gi, (_, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return name.toLowerCase() === 'amp' ? '&' : ' ';
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' ';
    });

/** The text that is read: not targets of links, images or HTML. */
function pieces(token: Token): Piece[] {
  switch (token.type) {
    case 'codespan':
      return [{ text: (token as Tokens.Codespan).text, kind: 'code' }];
    case 'escape':
      return [{ text: (token as Tokens.Escape).text, kind: 'plain' }];
    case 'image':
      return [];
    case 'br':
      return [{ text: ' ', kind: 'prose' }];
    case 'html':
      return tagPiece(token.raw);
    case 'link': {
      const link = token as Tokens.Link;
      // An address that stands for itself is a target, not a text.
      return /^<|^[a-z]+:\/\/|^www\./i.test(link.raw) ? [] : link.tokens.flatMap(pieces);
    }
    default:
      return 'tokens' in token && token.tokens ? token.tokens.flatMap(pieces) : [prose(token)];
  }
}

function tagPiece(raw: string): Piece[] {
  const name = /^<\/?\s*([A-Za-z][A-Za-z0-9-]*)/.exec(raw)?.[1]?.toLowerCase();
  return name === undefined || tags.has(name) ? [] : [{ text: raw.replace(/^<\/?|>$/g, ''), kind: 'tag' }];
}

const tags = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section select small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr'.split(
    ' ',
  ),
);

const spoken = (tokens: Token[]): string => textOf(tokens.flatMap(pieces));

/** Case matters where the small word is one of everyday: a todo list is no placeholder. */
const shouted = /\b(?:TO[D]O|X{3})\b|\?{3}/;
const spokenMarks = /\b(?:tbd|tba|tbc|fixme)\b|\blorem ipsum\b|\bto be (?:determined|defined|decided)\b|\bcoming soon\b/i;
const nothing = /^(?:\.{3,}|\u2026|-+|\u2014|\u2013|n\/?a|none)\.?$/i;

/** Of a row, every cell; of everything else there is one. */
function unitOf(cells: Piece[][], isItem: boolean): Unit[] {
  const texts = cells.map((parts) => textOf(parts).trim()).filter((text) => text !== '');
  if (texts.length === 0) return [];
  const text = texts.join(' ');
  const words = countWords(text);
  if (shouted.test(text) || spokenMarks.test(text) || texts.every((one) => nothing.test(one))) {
    const all = Math.max(1, words);
    return [{ words: all, placeholderWords: all, isItem }];
  }
  const marked = cells.flatMap(runsOf).reduce((sum, run) => sum + placeholdersIn(run), 0);
  return [{ words, placeholderWords: marked * 2 > words ? words : marked, isItem }];
}

const textOf = (parts: Piece[]): string => parts.map(({ text }) => text).join('');

/** A mark may go over several lines, and over words that are set off from the others. */
function runsOf(parts: Piece[]): Piece[] {
  const runs: Piece[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.kind === 'prose' && part.kind === 'prose') last.text += part.text;
    else runs.push({ ...part });
  }
  return runs;
}

/** What is smaller than one thing and larger than another stands between the same signs: only a letter makes it a mark. */
const filledIn = { prose: /\{[^{}]+\}|\[[^[\]]+\](?!\()|<\p{L}[^<>]*>/gu, code: /\{[A-Z][^{}\n]*\}/g };

function placeholdersIn({ text, kind }: Piece): number {
  if (kind === 'plain') return 0;
  if (kind === 'tag') return countWords(text);
  return (text.match(filledIn[kind]) ?? []).reduce((sum, one) => sum + countWords(one), 0);
}

/** Letters and digits in a row; a character each where a script puts no spaces between words. */
export function countWords(text: string): number {
  let count = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}]+(?:['\u2019_-][\p{L}\p{N}\p{M}]+)*/gu)) {
    const dense = word.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0;
    count += dense > 0 ? dense + (dense < [...word].length ? 1 : 0) : 1;
  }
  return count;
}
