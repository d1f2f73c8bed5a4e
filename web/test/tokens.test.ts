import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const css = readFileSync(join(import.meta.dirname, '../src/styles/tokens.css'), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [name!, [light!, dark!]]),
);

/** Texts and the backgrounds that they are on. */
const pairs = [
  ...['text', 'text-soft', 'text-muted', 'accent-text'].flatMap((text) =>
    ['canvas', 'surface', 'raised', 'sunken', 'hover', 'selected'].map((background) => [text, background]),
  ),
  ...['pending', 'active', 'blocked', 'done', 'warning'].flatMap((state) => [
    [state, `${state}-soft`],
    [state, 'surface'],
    [state, 'hover'],
  ]),
  ['on-accent', 'accent'],
] as [string, string][];

test.each(['light', 'dark'])('texts have a contrast of at least 4.5 in the %s theme', (theme) => {
  const at = theme === 'light' ? 0 : 1;
  const low = pairs
    .map(([text, background]) => ({ text, background, contrast: computeContrast(tokens.get(text)![at]!, tokens.get(background)![at]!) }))
    .filter(({ contrast }) => contrast < 4.5);
  expect(low).toEqual([]);
});

function computeContrast(a: string, b: string): number {
  const [light, dark] = [computeLuminance(a), computeLuminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function computeLuminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
