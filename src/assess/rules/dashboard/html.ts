/** A piece of a page that is already safe to put into it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[] | undefined;

/** A piece of a page: what is put into the template is text and nothing else, unless it is a piece of a page itself. */
export function html(words: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(words.reduce((text, word, i) => `${text}${partOf(parts[i - 1])}${word}`));
}

function partOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(partOf).join('') : escaped(String(part));
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Also what a browser would obey rather than show: controls, and the marks that turn text round. */
export const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, (mark) => marks[mark]!)
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    );
