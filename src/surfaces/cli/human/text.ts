// Our own marks: ○◐⊘✓✗‖■·…↵☐☑→←├─└│▁▂▃▄▅▆▇█░
const narrow =
  /^[\x20-\x7e\xb7\u2016\u2026\u2190\u2192\u21b5\u2298\u2500\u2502\u2514\u251c\u2581-\u2588\u2591\u25a0\u25cb\u25d0\u2610\u2611\u2713\u2717]*$/;

// The parts of the build each have a copy of this file: what one has loaded is there for all of them.
const shared = globalThis as typeof globalThis & { cleoWidths?: typeof import('./width.ts') };

/** Gets ready to measure this text. The tables for all scripts cost as much as starting Node, so plain text does without them. */
export async function prepareFor(text: string): Promise<void> {
  if (!narrow.test(text)) shared.cleoWidths ??= await import('./width.ts');
}

export function widthOf(text: string): number {
  const plain = text.replace(/\u001b\[\d+m/g, '');
  return narrow.test(plain) ? plain.length : (shared.cleoWidths?.anyWidth(plain) ?? plain.length);
}
const graphemes = (text: string): Iterable<string> => (narrow.test(text) ? text : (shared.cleoWidths?.anyGraphemes(text) ?? text));

// Control characters, line and paragraph separators, and the marks that reorder text: what a terminal would obey rather than show.
const commands = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Stored text as a terminal may have it: what it would obey is made visible instead. */
export function clean(text: string): string {
  return text.replace(/\t/g, '  ').replace(commands, visible);
}

/** The same on one line. */
export const oneLine = (text: string): string => clean(text.replace(/\s*(?:\r\n|\n|\r)\s*/g, ' ↵ ').trim());

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** At most `width` columns, with … where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let used = 1;
  let kept = '';
  for (const segment of graphemes(text)) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
export const padLeft = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Lines of at most `width` columns: broken between words, and inside a word only where it does not fit on a line of its own. */
export function wrap(text: string, width: number): string[] {
  return text.split(/\r\n|\n|\r/).flatMap((line) => wrapLine(clean(line.trimEnd()), Math.max(8, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let ctx = '';
  let used = 0;
  const end = (): void => {
    lines.push(ctx.trimEnd());
    ctx = '';
    used = 0;
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wide = widthOf(word);
    if (used + wide > width && used > 0 && word.trim() !== '') end();
    if (wide > width)
      for (const segment of graphemes(word)) {
        const one = widthOf(segment);
        if (used + one > width) end();
        ctx += segment;
        used += one;
      }
    else if (used > 0 || word.trim() !== '' || lines.length === 0) {
      ctx += word;
      used += wide;
    }
  }
  if (ctx.trim() !== '') end();
  return lines;
}
