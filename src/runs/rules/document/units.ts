import { lexer, type Token, type Tokens } from 'marked';

/** A paragraph, list item, table row or code block. */
interface Unit {
  words: number;
  placeholderWords: number;
  isItem: boolean;
}

/** A top-level block of a document: a heading, or content split into units. */
export interface Block {
  line: number;
  heading?: { depth: number; text: string };
  units: Unit[];
}

/** Parses Markdown into blocks with the line on which each begins. */
export function parseBlocks(markdown: string): Block[] {
  let line = 1;
  return lexer(markdown, { gfm: true }).map((token) => {
    const block = { line, units: toUnits(token, false), ...readHeading(token) };
    line += token.raw.split('\n').length - 1;
    return block;
  });
}

const readHeading = (token: Token): Pick<Block, 'heading'> =>
  token.type === 'heading' ? { heading: { depth: (token as Tokens.Heading).depth, text: toText((token as Tokens.Heading).tokens) } } : {};

function toUnits(token: Token, isItem: boolean): Unit[] {
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return toUnit([toInlinePieces(token)], isItem);
    case 'blockquote':
      return (token as Tokens.Blockquote).tokens.flatMap((inner) => toUnits(inner, isItem));
    case 'list':
      return (token as Tokens.List).items.flatMap((item) => toItemUnits(item));
    case 'table':
      return (token as Tokens.Table).rows.flatMap((row) =>
        toUnit(
          row.map((cell) => cell.tokens.flatMap(toPieces)),
          true,
        ),
      );
    case 'code':
      return toUnit([[{ text: (token as Tokens.Code).text, kind: 'code' }]], isItem);
    default:
      return [];
  }
}

/** A list item counts once, however many paragraphs it has; an empty item does not count. */
function toItemUnits(item: Tokens.ListItem): Unit[] {
  const own = item.tokens.filter(({ type }) => type !== 'list').flatMap((inner) => toUnits(inner, false));
  const below = item.tokens.filter(({ type }) => type === 'list').flatMap((inner) => toUnits(inner, true));
  const [first, ...rest] = own;
  return [...(first ? [{ ...first, isItem: true }] : []), ...rest, ...below];
}

interface Piece {
  text: string;
  /** `tag`: an unknown HTML tag, which is a placeholder. `plain`: an escaped character, which is never part of a placeholder. */
  kind: 'prose' | 'code' | 'tag' | 'plain';
}

const footnote = /^\[\^[^\]]+\]:/;

const toInlinePieces = (token: Token): Piece[] => {
  if (footnote.test(token.raw)) return [];
  return 'tokens' in token && token.tokens ? token.tokens.flatMap(toPieces) : [toProse(token)];
};

const toProse = (token: Token): Piece => ({ text: decodeText((token as Tokens.Text).text ?? ''), kind: 'prose' });

/** Removes footnote references and decodes character references. */
const decodeText = (text: string): string =>
  text
    .replace(/\[\^[^\]\s]+\]/g, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]*));/gi, (_, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return name.toLowerCase() === 'amp' ? '&' : ' ';
      const code = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : ' ';
    });

/** The visible text of a token, without link targets, images and HTML. */
function toPieces(token: Token): Piece[] {
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
      return toTagPiece(token.raw);
    case 'link': {
      const link = token as Tokens.Link;
      // A bare URL is a link target, not text.
      return /^<|^[a-z]+:\/\/|^www\./i.test(link.raw) ? [] : link.tokens.flatMap(toPieces);
    }
    default:
      return 'tokens' in token && token.tokens ? token.tokens.flatMap(toPieces) : [toProse(token)];
  }
}

function toTagPiece(raw: string): Piece[] {
  const name = /^<\/?\s*([A-Za-z][A-Za-z0-9-]*)/.exec(raw)?.[1]?.toLowerCase();
  return name === undefined || htmlTags.has(name) ? [] : [{ text: raw.replace(/^<\/?|>$/g, ''), kind: 'tag' }];
}

const htmlTags = new Set(
  'a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section select small source span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var video wbr'.split(
    ' ',
  ),
);

const toText = (tokens: Token[]): string => joinText(tokens.flatMap(toPieces));

/** Marks that are placeholders only in upper case: "a todo list" is ordinary text. */
const caseSensitiveMarks = /\b(?:TO[D]O|X{3})\b|\?{3}/;
const placeholderMarks = /\b(?:tbd|tba|tbc|fixme)\b|\blorem ipsum\b|\bto be (?:determined|defined|decided)\b|\bcoming soon\b/i;
const emptyMarks = /^(?:\.{3,}|\u2026|-+|\u2014|\u2013|n\/?a|none)\.?$/i;

/** Builds the unit of a table row from its cells, or of any other block from one cell. Empty text gives no unit. */
function toUnit(cells: Piece[][], isItem: boolean): Unit[] {
  const texts = cells.map((parts) => joinText(parts).trim()).filter((text) => text !== '');
  if (texts.length === 0) return [];
  const text = texts.join(' ');
  const words = countWords(text);
  if (caseSensitiveMarks.test(text) || placeholderMarks.test(text) || texts.every((one) => emptyMarks.test(one))) {
    const all = Math.max(1, words);
    return [{ words: all, placeholderWords: all, isItem }];
  }
  const placeholderWords = cells.flatMap(mergeProse).reduce((sum, run) => sum + countPlaceholderWords(run), 0);
  return [{ words, placeholderWords: placeholderWords * 2 > words ? words : placeholderWords, isItem }];
}

const joinText = (parts: Piece[]): string => parts.map(({ text }) => text).join('');

/** Joins adjacent prose, because a placeholder can span several lines and emphasised words. */
function mergeProse(parts: Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (last?.kind === 'prose' && part.kind === 'prose') last.text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}

/** `<` starts a placeholder only before a letter, so that "a < b and c > d" is not one. */
const placeholderPatterns = { prose: /\{[^{}]+\}|\[[^[\]]+\](?!\()|<\p{L}[^<>]*>/gu, code: /\{[A-Z][^{}\n]*\}/g };

function countPlaceholderWords({ text, kind }: Piece): number {
  if (kind === 'plain') return 0;
  if (kind === 'tag') return countWords(text);
  return (text.match(placeholderPatterns[kind]) ?? []).reduce((sum, one) => sum + countWords(one), 0);
}

/** Counts words. In scripts without spaces between words, each character counts as one. */
export function countWords(text: string): number {
  let count = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{N}\p{M}]+(?:['\u2019_-][\p{L}\p{N}\p{M}]+)*/gu)) {
    const dense = word.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu)?.length ?? 0;
    count += dense > 0 ? dense + (dense < [...word].length ? 1 : 0) : 1;
  }
  return count;
}
