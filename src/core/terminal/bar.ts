import type { Fields } from './cell.ts';
import type { Colour, Screen } from './screen.ts';

const barWidth = 10;

export const drawBar = (share: number): string => '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░');
export const getShade = (share: number): Colour => (share >= 0.75 ? 'green' : share >= 0.45 ? 'yellow' : 'red');

/** Draws a bar that is rounded down, so that a full one means 100 %. */
export const drawProgressBar = (percent: number): string => '█'.repeat(Math.floor((percent / 100) * barWidth)).padEnd(barWidth, '░');

/** Draws a bar and its numbers. Low progress is not a warning, so only 100 % has a colour. */
export function drawProgress({ done, total, percent }: Fields, screen: Screen): string {
  const bar = drawProgressBar(Number(percent));
  return `${percent === 100 ? screen.paint('green', bar) : bar} ${percent} %, ${done} of ${total} done`;
}
