import type { Fields } from './cell.ts';
import type { Colour, Screen } from './screen.ts';

const barWidth = 10;

export const barOf = (share: number): string => '█'.repeat(Math.round(share * barWidth)).padEnd(barWidth, '░');
export const shadeOf = (share: number): Colour => (share >= 0.75 ? 'green' : share >= 0.45 ? 'yellow' : 'red');

/** Rounded down, so that a full bar means all. */
export const progressBar = (percent: number): string => '█'.repeat(Math.floor((percent / 100) * barWidth)).padEnd(barWidth, '░');

/** How much of it is done: a bar, then the numbers. Little done is no alarm, so only the end has a colour. */
export function progressLine({ done, total, percent }: Fields, screen: Screen): string {
  const bar = progressBar(Number(percent));
  return `${percent === 100 ? screen.paint('green', bar) : bar} ${percent} %, ${done} of ${total} done`;
}
