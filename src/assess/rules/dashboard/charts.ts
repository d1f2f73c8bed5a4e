import { pluralize } from '#lib/noun.ts';
import { mean } from '#lib/statistics.ts';
import { type Html, html } from './html.ts';

const width = 720;
const height = 220;
const margin = { left: 40, right: 10, top: 12, bottom: 24 };

interface ChartPoint {
  percent: number;
  /** Text of the tooltip. */
  about: string;
  isGood: boolean;
}

/** A chart of executions over time: a dot each, and a line for the mean of the last ten. Failed executions differ in shape, not only in
 *  colour. */
export function renderScoreChart(points: ChartPoint[], from: string, to: string): Html {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const x = (i: number): string =>
    (margin.left + (points.length === 1 ? inner.width / 2 : (i * inner.width) / (points.length - 1))).toFixed(1);
  const y = (percent: number): string => (margin.top + inner.height - (percent / 100) * inner.height).toFixed(1);
  const line = points.map((_, i) => `${x(i)},${y(mean(points.slice(Math.max(0, i - 9), i + 1).map(({ percent }) => percent)))}`).join(' ');
  const average = Math.round(mean(points.map(({ percent }) => percent)));
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Scores of ${pluralize(points.length, 'execution')} from ${from} to ${to}; the mean is ${average} percent">
${[0, 45, 60, 75, 90, 100].map(
  (percent) =>
    html`<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${y(percent)}" y2="${y(percent)}"/><text class="axis" x="${margin.left - 6}" y="${y(percent)}" dy="3.5" text-anchor="end">${percent}</text>`,
)}
${points.map(({ percent, about, isGood }, i) =>
  isGood
    ? html`<circle class="dot" cx="${x(i)}" cy="${y(percent)}" r="3"><title>${about}</title></circle>`
    : html`<path class="miss" d="M${x(i)} ${y(percent)}m-3.5-3.5l7 7m0-7l-7 7"><title>${about}</title></path>`,
)}
<polyline class="trend" points="${line}"/>
<text class="axis" x="${margin.left}" y="${height - 5}">${from}</text><text class="axis" x="${width - margin.right}" y="${height - 5}" text-anchor="end">${to}</text>
</svg>`;
}

/** A bar for a share; it is hidden from screen readers because the number follows it. */
export const renderBar = (share: number, tone: 'plain' | 'good' | 'fair' | 'poor' = 'plain'): Html =>
  html`<span class="bar ${tone}" aria-hidden="true"><span style="width:${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%"></span></span>`;

export const toTone = (share: number): 'good' | 'fair' | 'poor' => (share >= 0.75 ? 'good' : share >= 0.45 ? 'fair' : 'poor');
