import { expect, test } from 'vitest';

interface Figure {
  name: string;
  found: { file: string; text: string }[];
  total: number;
  /** The limit in percent: at most `max`, or at least `min`. */
  max?: number;
  min?: number;
}

const script = new URL('../scripts/language.mjs', import.meta.url).href;
const { measureLanguage, toPercent }: { measureLanguage(): Figure[]; toPercent(figure: Figure): number } = await import(script);

// `npm run language -- --list` prints everything that counts against a limit.
test.each(measureLanguage().map((figure) => [figure.name, figure] as const))('respects the limit of %s', (_, figure) => {
  const { found, total, max = 101, min = -1 } = figure;
  expect(total).toBeGreaterThan(500);
  expect(toPercent(figure), found.map(({ file, text }) => `${file}: ${text}`).join('\n')).toBeLessThan(max);
  expect(toPercent(figure)).toBeGreaterThan(min);
});
