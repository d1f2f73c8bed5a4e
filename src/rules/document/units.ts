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
      return unitOf(inline(token), isItem);
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.flatMap((inner) => unitsOf(inner, isItem));
    case 'list':
      return (token as Tokens.List).items.flatMap((item) => itemUnits(item));
    case 'table': {
      const table = token as Tokens.Table;
      return table.rows.flatMap((row) =>
        unitOf(
          row.flatMap((cell) => [...cell.tokens.flatMap(pieces), gap]),
          true,
        ),
      );
    }
    case 'code':
      return unitOf([{ text: (token as Tokens.Code).text, isCode: true }], isItem);
    default:
      return [];
  }
}

/** One item is one item, however many paragraphs it has. */
function itemUnits(item: Tokens.ListItem): Unit[] {
  const own = item.tokens.filter(({ type }) => type !== 'list').flatMap((inner) => unitsOf(inner, false));
  const below = item.tokens.filter(({ type }) => type === 'list').flatMap((inner) => unitsOf(inner, true));
  const [first, ...rest] = own.length > 0 ? own : [{ words: 0, placeholderWords: 0, isItem: true }];
  return [{ ...first!, isItem: true }, ...rest, ...below];
}

interface Piece {
  text: string;
  isCode: boolean;
  /** A tag that no browser knows stands for something to be filled in. */
  isTag?: true;
}

const gap: Piece = { text: ' ', isCode: false };

const footnote = /^\[\^[^\]]+\]:/;

const inline = (token: Token): Piece[] => {
  if (footnote.test(token.raw)) return [];
  return 'tokens' in token && token.tokens ? token.tokens.flatMap(pieces) : [{ text: (token as Tokens.Text).text, isCode: false }];
};

/** The text that is read: not targets of links, images or HTML. */
function pieces(token: Token): Piece[] {
  switch (token.type) {
    case 'codespan':
      return [{ text: (token as Tokens.Codespan).text, isCode: true }];
    case 'image':
      return [];
    case 'br':
      return [gap];
    case 'html':
      return tagPiece(token.raw);
    case 'link': {
      const link = token as Tokens.Link;
      // An address that stands for itself is a target, not a text.
      return /^<|^[a-z]+:\/\/|^www\./i.test(link.raw) ? [] : link.tokens.flatMap(pieces);
    }
    default:
      return 'tokens' in token && token.tokens
        ? token.tokens.flatMap(pieces)
        : [{ text: (token as Tokens.Text).text ?? '', isCode: false }];
  }
}

function tagPiece(raw: string): Piece[] {
  const name = /^<\/?\s*([A-Za-z][A-Za-z0-9-]*)/.exec(raw)?.[1]?.toLowerCase();
  return name === undefined || tags.has(name) ? [] : [{ text: raw.replace(/^<\/?|>$/g, ''), isCode: false, isTag: true }];
}

const tags = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section select small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr'.split(
    ' ',
  ),
);

const spoken = (tokens: Token[]): string =>
  tokens
    .flatMap(pieces)
    .map(({ text }) => text)
    .join('');

/** Case matters where the small word is one of everyday: a todo list is no placeholder. */
const shouted = /\b(?:TO[D]O|X{3})\b|\?{3}/;
const spokenMarks = /\b(?:tbd|tba|tbc|fixme)\b|\blorem ipsum\b|\bto be (?:determined|defined|decided)\b|\bcoming soon\b/i;
const nothing = /^(?:\.{3,}|\u2026|-+|\u2014|\u2013|n\/?a|none)\.?$/i;

function unitOf(parts: Piece[], isItem: boolean): Unit[] {
  const text = parts
    .map((part) => part.text)
    .join('')
    .trim();
  if (text === '') return [];
  const words = countWords(text);
  if (shouted.test(text) || spokenMarks.test(text) || nothing.test(text)) {
    const all = Math.max(1, words);
    return [{ words: all, placeholderWords: all, isItem }];
  }
  const marked = parts.reduce((sum, part) => sum + placeholdersIn(part), 0);
  return [{ words, placeholderWords: marked * 2 > words ? words : marked, isItem }];
}

function placeholdersIn({ text, isCode, isTag }: Piece): number {
  if (isTag) return countWords(text);
  const found = isCode ? text.match(/\{[A-Z][^{}\n]*\}/g) : text.match(/\{[^{}\n]+\}|\[(?!\^)[^[\]\n]+\](?!\()|<[^<>\n]+>/g);
  return (found ?? []).reduce((sum, one) => sum + countWords(one), 0);
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
