import { escapeInvisible, toVisible } from '#lib/invisible.ts';

// ASCII and the marks that CLEO draws itself: ○◐⊘✓✗‖■·…↵☐☑→←├─└│▁▂▃▄▅▆▇█░
const narrowText =
  /^[\x20-\x7e\xb7\u2016\u2026\u2190\u2192\u21b5\u2298\u2500\u2502\u2514\u251c\u2581-\u2588\u2591\u25a0\u25cb\u25d0\u2610\u2611\u2713\u2717]*$/;

// Each part of the build has a copy of this file, so the width tables are shared through the global object.
const shared = globalThis as typeof globalThis & { cleoWidths?: typeof import('./width.ts') };

/** Loads the width tables if `text` needs them. They cost as much as starting Node, so plain text does without them. */
export async function prepareWidths(text: string): Promise<void> {
  if (!narrowText.test(text)) shared.cleoWidths ??= await import('./width.ts');
}

/** Counts the columns of a text; colour codes take none. */
export function measureWidth(text: string): number {
  const plain = text.replace(/\u001b\[\d+m/g, '');
  return narrowText.test(plain) ? plain.length : (shared.cleoWidths?.measureText(plain) ?? plain.length);
}
const splitGraphemes = (text: string): Iterable<string> => (narrowText.test(text) ? text : (shared.cleoWidths?.splitText(text) ?? text));

/** Makes stored text safe for one line of a terminal: control and invisible characters become visible. */
export function escapeControls(text: string): string {
  return escapeInvisible(text.replace(/\t/g, '  ')).replace(/[\n\r]/g, toVisible);
}

/** Escapes control characters and joins the lines with ↵. */
export const toOneLine = (text: string): string => escapeControls(text.replace(/\s*(?:\r\n|\n|\r)\s*/g, ' ↵ ').trim());

/** Cuts a text to `width` columns; … marks the cut. */
export function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  if (width < 1) return '';
  let used = 1;
  let head = '';
  for (const segment of splitGraphemes(text)) {
    used += measureWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return `${head.trimEnd()}…`;
}

export const padRight = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - measureWidth(text)));
export const padLeft = (text: string, width: number): string => ' '.repeat(Math.max(0, width - measureWidth(text))) + text;

/** Breaks a text into lines of at most `width` columns, between words; a word is broken only if it is longer than a line. */
export function wrap(text: string, width: number): string[] {
  return text.split(/\r\n|\n|\r/).flatMap((line) => wrapLine(escapeControls(line.trimEnd()), Math.max(8, width)));
}

function wrapLine(line: string, width: number): string[] {
  if (measureWidth(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  const endLine = (): void => {
    lines.push(current.trimEnd());
    current = '';
    used = 0;
  };
  for (const word of line.match(/\s+|\S+/g) ?? []) {
    const wordWidth = measureWidth(word);
    if (used + wordWidth > width && used > 0 && word.trim() !== '') endLine();
    if (wordWidth > width)
      for (const segment of splitGraphemes(word)) {
        const segmentWidth = measureWidth(segment);
        if (used + segmentWidth > width) endLine();
        current += segment;
        used += segmentWidth;
      }
    else if (used > 0 || word.trim() !== '' || lines.length === 0) {
      current += word;
      used += wordWidth;
    }
  }
  if (current.trim() !== '') endLine();
  return lines;
}
