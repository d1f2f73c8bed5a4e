import { formatDuration } from '#lib/ago.ts';
import { groupBy } from '#lib/collections.ts';
import { formatPercent, mean, median } from '#lib/statistics.ts';
import type { Assessment, ExecutionFacts } from '../../model/assessment.ts';
import { computeWilsonInterval } from '../intervals.ts';
import { renderBar, toTone } from './charts.ts';
import { type Html, html } from './html.ts';

const maxExecutions = 100;
const maxRows = 12;

/** Renders a table. Columns in `numeric` are aligned to the right. */
export function renderTable(about: string, heads: string[], rows: Html[], { caption = '', numeric = [] as string[] } = {}): Html {
  const cells = heads.map((head) => html`<th scope="col"${numeric.includes(head) ? html` class="n"` : ''}>${head}</th>`);
  return html`<div class="wide" role="region" tabindex="0" aria-label="${about}"><table>${caption && html`<caption>${caption}</caption>`}<thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

export const renderGrade = (grade: string): Html =>
  html`<span class="grade ${grade === 'A' || grade === 'B' ? 'good' : grade === 'F' ? 'poor' : 'fair'}">${grade}</span>`;

/** One row per skill, the most used first, with the confidence interval of the pass rate. */
export function renderSkillTable(assessments: Assessment[], facts: ExecutionFacts[]): Html {
  const bySkill = groupBy(assessments, ({ skill }) => skill);
  const details = groupBy(facts, ({ skill }) => skill);
  const rows = countOccurrences(assessments.map(({ skill }) => skill)).map(([skill]) => {
    const all = bySkill.get(skill)!;
    const seen = details.get(skill) ?? [];
    const passed = all.filter(({ status }) => status === 'success').length;
    const { low, high } = computeWilsonInterval(passed, all.length);
    const score = mean(all.map(({ percent }) => percent));
    const durations = seen.filter(({ attempts }) => attempts > 0).map(({ durationMs }) => durationMs);
    return html`<tr><th scope="row">${skill}</th><td class="n">${all.length}</td>
<td class="nowrap">${renderBar(passed / all.length, toTone(passed / all.length))}${formatPercent(passed / all.length)} <span class="soft range">${formatPercent(low)} to ${formatPercent(high)}</span></td>
<td class="nowrap">${renderBar(score / 100, toTone(score / 100))}${Math.round(score)} %</td>
<td class="n">${durations.length === 0 ? '' : formatDuration(median(durations)!)}</td><td class="n">${seen.length === 0 ? '' : seen.reduce((sum, { retries }) => sum + retries, 0)}</td></tr>`;
  });
  const heads = ['Skill', 'Executions', 'Succeeded, 95 % interval', 'Mean score', 'Median time', 'Retries'];
  return renderTable('Skills', heads, rows, { numeric: ['Executions', 'Median time', 'Retries'] });
}

/** Counts words and renders a row with a bar for each. */
export function renderCountTable(caption: string, head: string, words: string[]): Html {
  if (words.length === 0) return html`<p class="soft">There are no traces.</p>`;
  const all = countOccurrences(words);
  const maxCount = all[0]![1];
  const rows = all
    .slice(0, maxRows)
    .map(([word, count]) => html`<tr><th scope="row">${word}</th><td class="nowrap">${renderBar(count / maxCount)}${count}</td></tr>`);
  const rest = all.length > maxRows ? html`<p class="soft">and ${all.length - maxRows} more</p>` : undefined;
  return html`${renderTable(caption, [head, 'Count'], rows, { caption })}${rest}`;
}

/** The newest executions first. */
export function renderExecutionTable(assessments: Assessment[]): Html {
  const rows = assessments
    .slice(-maxExecutions)
    .toReversed()
    .map(
      ({ completed_at, run_id, phase, skill, status, exit_code, grade, percent, flags }) =>
        html`<tr><td class="nowrap">${formatMinute(completed_at)}</td><td>${phase} &middot; ${skill}<br><code class="soft">${run_id}</code></td>
<td class="nowrap ${status === 'success' ? 'good' : status === 'partial' ? 'fair' : 'poor'}">${status}${exit_code === 0 ? '' : ` (${exit_code})`}</td>
<td class="nowrap">${renderGrade(grade)} ${percent} %</td><td>${renderFlags(flags)}</td></tr>`,
    );
  const caption = assessments.length > maxExecutions ? `The last ${maxExecutions} of ${assessments.length}` : '';
  return renderTable('Executions', ['Ended', 'Execution', 'Status', 'Grade', 'Flags'], rows, { caption });
}

function renderFlags(flags: string[]): Html {
  if (flags.length === 0) return html`<span class="soft">none</span>`;
  const list = html`<ul>${flags.map((flag) => html`<li>${flag}</li>`)}</ul>`;
  return flags.length === 1 ? html`${flags[0]}` : html`<details><summary>${flags.length} flags</summary>${list}</details>`;
}

/** A timestamp with minute precision, in UTC. */
export const formatMinute = (at: string): string => at.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2');

/** Counts equal words, the most frequent first. */
export function countOccurrences(words: string[]): [word: string, count: number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
}
