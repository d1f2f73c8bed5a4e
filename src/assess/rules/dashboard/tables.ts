import type { Assessment, ExecutionFacts } from '../../model/assessment.ts';
import { wilson } from '../intervals.ts';
import { median } from '../reference.ts';
import { bar, toneOf } from './charts.ts';
import { counted, durationText, mean, momentText, percentText } from './figures.ts';
import { type Html, html } from './html.ts';

const shownExecutions = 100;
const shownRows = 12;

const table = (about: string, heads: Html, rows: Html[], caption?: string): Html =>
  html`<div class="wide" role="region" tabindex="0" aria-label="${about}"><table>${caption ? html`<caption>${caption}</caption>` : undefined}<thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table></div>`;

export const gradeMark = (grade: string): Html =>
  html`<span class="grade ${grade === 'A' || grade === 'B' ? 'good' : grade === 'F' ? 'poor' : 'fair'}">${grade}</span>`;

/** Skill by skill, the most used first; the pass rate with how far it can be trusted. */
export function skillTable(assessments: Assessment[], facts: ExecutionFacts[]): Html {
  const bySkill = groupedBy(assessments, ({ skill }) => skill);
  const details = groupedBy(facts, ({ skill }) => skill);
  const rows = counted(assessments.map(({ skill }) => skill)).map(([skill]) => {
    const all = bySkill.get(skill)!;
    const seen = details.get(skill) ?? [];
    const passed = all.filter(({ status }) => status === 'success').length;
    const { low, high } = wilson(passed, all.length);
    const score = mean(all.map(({ percent }) => percent));
    const took = seen.filter(({ attempts }) => attempts > 0).map(({ durationMs }) => durationMs);
    return html`<tr><th scope="row">${skill}</th><td class="n">${all.length}</td>
<td class="nowrap">${bar(passed / all.length, toneOf(passed / all.length))}${percentText(passed / all.length)} <span class="soft range">${percentText(low)} to ${percentText(high)}</span></td>
<td class="nowrap">${bar(score / 100, toneOf(score / 100))}${Math.round(score)} %</td>
<td class="n">${took.length === 0 ? '' : durationText(median(took))}</td><td class="n">${seen.length === 0 ? '' : seen.reduce((sum, { retries }) => sum + retries, 0)}</td></tr>`;
  });
  const heads = html`<th scope="col">Skill</th><th scope="col" class="n">Executions</th><th scope="col">Succeeded, 95 % interval</th><th scope="col">Mean score</th><th scope="col" class="n">Median time</th><th scope="col" class="n">Retries</th>`;
  return table('Skills', heads, rows);
}

/** How often each comes, as rows with bars. */
export function countTable(caption: string, head: string, words: string[]): Html {
  if (words.length === 0) return html`<p class="soft">No trace is left to tell.</p>`;
  const all = counted(words);
  const most = all[0]![1];
  const rows = all
    .slice(0, shownRows)
    .map(([word, count]) => html`<tr><th scope="row">${word}</th><td class="nowrap">${bar(count / most)}${count}</td></tr>`);
  const rest = all.length > shownRows ? html`<p class="soft">and ${all.length - shownRows} more</p>` : undefined;
  return html`${table(caption, html`<th scope="col">${head}</th><th scope="col">Count</th>`, rows, caption)}${rest}`;
}

/** The newest first, with what stands out. */
export function executionTable(assessments: Assessment[]): Html {
  const rows = assessments
    .slice(-shownExecutions)
    .toReversed()
    .map(
      ({ completed_at, run_id, phase, skill, status, exit_code, grade, percent, flags }) =>
        html`<tr><td class="nowrap">${momentText(completed_at)}</td><td>${phase} &middot; ${skill}<br><code class="soft">${run_id}</code></td>
<td class="nowrap ${status === 'success' ? 'good' : status === 'partial' ? 'fair' : 'poor'}">${status}${exit_code === 0 ? '' : ` (${exit_code})`}</td>
<td class="nowrap">${gradeMark(grade)} ${percent} %</td><td>${flagList(flags)}</td></tr>`,
    );
  const heads = html`<th scope="col">Ended</th><th scope="col">Execution</th><th scope="col">Status</th><th scope="col">Grade</th><th scope="col">What stands out</th>`;
  const caption = assessments.length > shownExecutions ? `The last ${shownExecutions} of ${assessments.length}` : undefined;
  return table('Executions', heads, rows, caption);
}

function flagList(flags: string[]): Html {
  if (flags.length === 0) return html`<span class="soft">nothing</span>`;
  const list = html`<ul>${flags.map((flag) => html`<li>${flag}</li>`)}</ul>`;
  return flags.length === 1 ? html`${flags[0]}` : html`<details><summary>${flags.length} things</summary>${list}</details>`;
}

function groupedBy<T>(all: T[], key: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const known = groups.get(key(one));
    if (known) known.push(one);
    else groups.set(key(one), [one]);
  }
  return groups;
}
