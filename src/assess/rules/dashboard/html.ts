import { escapeMarkup } from '#lib/escape-markup.ts';
/** Markup that is already escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Part[] | undefined;

/** Template tag that escapes all values except `Html`. */
export function html(words: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(words.reduce((text, word, i) => `${text}${renderPart(parts[i - 1])}${word}`));
}

function renderPart(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(renderPart).join('') : escapeMarkup(String(part));
}
