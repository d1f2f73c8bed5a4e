import { letterOf } from '#grade/rules/grade.ts';
import { type Assessment, assessedDimensions, type CalibratedModel, type ExecutionFacts } from '../../model/assessment.ts';
import type { Suggestion } from '../suggest.ts';
import { bar, scoreChart, toneOf } from './charts.ts';
import { countText, mean, momentText, percentText } from './figures.ts';
import { type Html, html } from './html.ts';
import { style } from './style.ts';
import { countTable, executionTable, gradeMark, skillTable } from './tables.ts';

export interface DashboardFacts {
  project: string;
  generatedAt: string;
  /** Oldest first. */
  assessments: Assessment[];
  /** Of those whose traces are still there. */
  facts: ExecutionFacts[];
  suggestions: Suggestion[];
  model?: CalibratedModel;
}

const shownPoints = 300;

/** One page that needs nothing but itself: no script, no network, light or dark as the reader likes it, and everything that came from a
 *  run is text in it. */
export function dashboard(about: DashboardFacts): string {
  const { project, generatedAt, assessments, facts, suggestions, model } = about;
  const body = assessments.length === 0 ? html`<section class="card"><p>No execution has been assessed yet.</p></section>` : whole(about);
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${project}: how its skills do</title>
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>${project}: how its skills do</h1>
<p class="soft">${period(assessments)}made ${momentText(generatedAt)} UTC</p>
${tiles(assessments, suggestions)}
</header>
${body}
${modelCard(model)}
<footer class="soft card"><p>Correctness, completeness, quality, efficiency and compliance are 20 points each; what nothing is known of counts neither way. A from 90 percent, B from 75, C from 60, D from 45.${facts.length < assessments.length ? ` Of ${countText(assessments.length - facts.length, 'execution')} only the assessment is left: the trace is gone.` : ''}</p></footer>
</main>
</body>
</html>`.text
  }\n`;
}

function whole({ assessments, facts, suggestions }: DashboardFacts): Html {
  const shown = assessments.slice(-shownPoints);
  const points = shown.map(({ percent, grade, skill, completed_at, status }) => ({
    percent,
    isGood: status === 'success',
    about: `${skill}, ${momentText(completed_at)}: ${percent} % (${grade}), ${status}`,
  }));
  const failed = facts.flatMap(({ checks }) => checks.filter(({ gate, passed }) => gate === 1 && !passed).map(({ name }) => name));
  return html`<section class="card"><h2>Scores</h2>${scoreChart(points, momentText(shown[0]!.completed_at), momentText(shown.at(-1)!.completed_at))}
<p class="soft">A dot is an execution that succeeded, a cross one that did not; the line is the mean of the last ten.${assessments.length > shownPoints ? ` The last ${shownPoints} of ${assessments.length} are drawn.` : ''}</p></section>
${suggestionCard(suggestions)}
<section class="card"><h2>Skills</h2>${skillTable(assessments, facts)}</section>
<div class="pair">
<section class="card"><h2>Dimensions</h2>${dimensions(assessments)}</section>
<section class="card"><h2>How they ended</h2>${countTable(
    'Executions by class of exit code',
    'Class',
    facts.map(({ exitClass }) => exitClass),
  )}</section>
</div>
${failed.length > 0 ? html`<section class="card"><h2>Preconditions that fail</h2>${countTable('Checks of gate 1 that failed', 'Check', failed)}</section>` : undefined}
<section class="card"><h2>Executions</h2>${executionTable(assessments)}</section>`;
}

function period(assessments: Assessment[]): string {
  const [first, last] = [assessments[0], assessments.at(-1)];
  return first && last ? `${momentText(first.completed_at)} to ${momentText(last.completed_at)}, ` : '';
}

function tiles(assessments: Assessment[], suggestions: Suggestion[]): Html {
  const passed = assessments.filter(({ status }) => status === 'success').length;
  const average = mean(assessments.map(({ percent }) => percent));
  const judged = assessments.filter(({ evaluator }) => evaluator !== 'auto').length;
  const all = assessments.length;
  return html`<dl class="tiles">
<div><dt>Runs</dt><dd>${new Set(assessments.map(({ run_id }) => run_id)).size}<small>${countText(all, 'execution')}</small></dd></div>
<div><dt>Succeeded</dt><dd>${all === 0 ? 'none yet' : percentText(passed / all)}<small>${passed} of ${all}</small></dd></div>
<div><dt>Mean score</dt><dd>${all === 0 ? 'none yet' : html`${Math.round(average)} % ${gradeMark(letterOf(Math.round(average)))}`}<small>of what is known</small></dd></div>
<div><dt>Judged</dt><dd>${judged}<small>by people or a judge</small></dd></div>
<div><dt>Suggestions</dt><dd>${suggestions.length}<small>from the last runs</small></dd></div>
</dl>`;
}

function dimensions(assessments: Assessment[]): Html {
  const rows = assessedDimensions.map((name) => {
    const scores = assessments.flatMap(({ dimensions: all }) => all[name].score ?? []);
    const share = mean(scores) / 20;
    const told =
      scores.length === 0
        ? html`<td class="soft">nothing is known</td>`
        : html`<td class="nowrap">${bar(share, toneOf(share))}${(share * 20).toFixed(1)} of 20</td>`;
    return html`<tr><th scope="row">${name}</th>${told}<td class="n">${scores.length}</td></tr>`;
  });
  return html`<div class="wide" role="region" tabindex="0" aria-label="Dimensions"><table><thead><tr><th scope="col">Dimension</th><th scope="col">Mean</th><th scope="col" class="n">Known of</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function suggestionCard(suggestions: Suggestion[]): Html {
  if (suggestions.length === 0) return html``;
  return html`<section class="card"><h2>What keeps going wrong</h2><ol>${suggestions.map(
    ({ finding, action, count, of }) => html`<li>${finding} <span class="soft">(${count} of ${of})</span><br>${action}</li>`,
  )}</ol></section>`;
}

function modelCard(model: CalibratedModel | undefined): Html {
  if (!model) return html``;
  const { active, reason, verdicts, passed, failed, auc, accuracy, majority, brier } = model;
  return html`<section class="card"><h2>Calibration</h2><p>Learned from ${verdicts} verdicts of people (${passed} pass, ${failed} fail): it is right in ${percentText(accuracy)} of those it has not seen, where the commoner answer alone is right in ${percentText(majority.accuracy)}. AUC ${auc.toFixed(2)}, Brier score ${brier.toFixed(3)} (${majority.brier.toFixed(3)}). ${active ? 'Its prediction stands beside each assessment.' : `It is not used: ${reason ?? ''}.`}</p></section>`;
}
