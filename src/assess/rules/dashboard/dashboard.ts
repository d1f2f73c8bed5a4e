import { toLetter } from '#grade/rules/grade.ts';
import { pluralize } from '#lib/noun.ts';
import { formatPercent, mean } from '#lib/statistics.ts';
import {
  type Assessment,
  assessedDimensions,
  type CalibratedModel,
  type ExecutionFacts,
  type SkillSuggestion,
} from '../../model/assessment.ts';
import { renderBar, renderScoreChart, toTone } from './charts.ts';
import { type Html, html } from './html.ts';
import { style } from './style.ts';
import { formatMinute, renderCountTable, renderExecutionTable, renderGrade, renderSkillTable, renderTable } from './tables.ts';

export interface DashboardFacts {
  project: string;
  generatedAt: string;
  /** Oldest first. */
  assessments: Assessment[];
  /** Facts of the executions whose traces still exist. */
  facts: ExecutionFacts[];
  suggestions: SkillSuggestion[];
  model?: CalibratedModel;
}

const maxPoints = 300;

/** Renders a self-contained page without scripts and network access. All text from runs is escaped. */
export function renderDashboard(about: DashboardFacts): string {
  const { project, generatedAt, assessments, facts, suggestions, model } = about;
  const body =
    assessments.length === 0 ? html`<section class="card"><p>No execution has been assessed yet.</p></section>` : renderBody(about);
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${project}: skill results</title>
<style>${style}</style>
</head>
<body>
<main>
<header>
<h1>${project}: skill results</h1>
<p class="soft">${formatPeriod(assessments)}generated ${formatMinute(generatedAt)} UTC</p>
${renderTiles(assessments, suggestions)}
</header>
${body}
${renderModel(model)}
<footer class="soft card"><p>Correctness, completeness, quality, efficiency and compliance are 20 points each; dimensions without data do not count. A from 90 percent, B from 75, C from 60, D from 45.${facts.length < assessments.length ? ` The traces of ${pluralize(assessments.length - facts.length, 'execution')} were deleted; only the assessments are left.` : ''}</p></footer>
</main>
</body>
</html>`.text
  }\n`;
}

function renderBody({ assessments, facts, suggestions }: DashboardFacts): Html {
  const shown = assessments.slice(-maxPoints);
  const points = shown.map(({ percent, grade, skill, completed_at, status }) => ({
    percent,
    isGood: status === 'success',
    about: `${skill}, ${formatMinute(completed_at)}: ${percent} % (${grade}), ${status}`,
  }));
  const failed = facts.flatMap(({ checks }) =>
    checks.filter(({ gate, passed }) => gate === 'precondition' && !passed).map(({ name }) => name),
  );
  return html`<section class="card"><h2>Scores</h2>${renderScoreChart(points, formatMinute(shown[0]!.completed_at), formatMinute(shown.at(-1)!.completed_at))}
<p class="soft">A dot is a successful execution, a cross a failed one; the line is the mean of the last ten.${assessments.length > maxPoints ? ` The last ${maxPoints} of ${assessments.length} are shown.` : ''}</p></section>
${renderSuggestions(suggestions)}
<section class="card"><h2>Skills</h2>${renderSkillTable(assessments, facts)}</section>
<div class="pair">
<section class="card"><h2>Dimensions</h2>${renderDimensions(assessments)}</section>
<section class="card"><h2>Outcomes</h2>${renderCountTable(
    'Executions by class of exit code',
    'Class',
    facts.map(({ exitClass }) => exitClass),
  )}</section>
</div>
${failed.length > 0 ? html`<section class="card"><h2>Failed preconditions</h2>${renderCountTable('Failed checks of the precondition gate', 'Check', failed)}</section>` : undefined}
<section class="card"><h2>Executions</h2>${renderExecutionTable(assessments)}</section>`;
}

function formatPeriod(assessments: Assessment[]): string {
  const [first, last] = [assessments[0], assessments.at(-1)];
  return first && last ? `${formatMinute(first.completed_at)} to ${formatMinute(last.completed_at)}, ` : '';
}

function renderTiles(assessments: Assessment[], suggestions: SkillSuggestion[]): Html {
  const passed = assessments.filter(({ status }) => status === 'success').length;
  const average = mean(assessments.map(({ percent }) => percent));
  const judged = assessments.filter(({ evaluator }) => evaluator !== 'auto').length;
  const all = assessments.length;
  return html`<dl class="tiles">
<div><dt>Runs</dt><dd>${new Set(assessments.map(({ run_id }) => run_id)).size}<small>${pluralize(all, 'execution')}</small></dd></div>
<div><dt>Succeeded</dt><dd>${all === 0 ? 'none yet' : formatPercent(passed / all)}<small>${passed} of ${all}</small></dd></div>
<div><dt>Mean score</dt><dd>${all === 0 ? 'none yet' : html`${Math.round(average)} % ${renderGrade(toLetter(Math.round(average)))}`}<small>of dimensions with data</small></dd></div>
<div><dt>Reviewed</dt><dd>${judged}<small>by people or a judge</small></dd></div>
<div><dt>Suggestions</dt><dd>${suggestions.length}<small>from the last runs</small></dd></div>
</dl>`;
}

function renderDimensions(assessments: Assessment[]): Html {
  const rows = assessedDimensions.map((name) => {
    const scores = assessments.flatMap(({ dimensions: all }) => all[name].score ?? []);
    const share = mean(scores) / 20;
    const cell =
      scores.length === 0
        ? html`<td class="soft">no data</td>`
        : html`<td class="nowrap">${renderBar(share, toTone(share))}${(share * 20).toFixed(1)} of 20</td>`;
    return html`<tr><th scope="row">${name}</th>${cell}<td class="n">${scores.length}</td></tr>`;
  });
  return renderTable('Dimensions', ['Dimension', 'Mean', 'Executions'], rows, { numeric: ['Executions'] });
}

function renderSuggestions(suggestions: SkillSuggestion[]): Html {
  if (suggestions.length === 0) return html``;
  return html`<section class="card"><h2>Recurring problems</h2><ol>${suggestions.map(
    ({ finding, action, count, of }) => html`<li>${finding} <span class="soft">(${count} of ${of})</span><br>${action}</li>`,
  )}</ol></section>`;
}

function renderModel(model: CalibratedModel | undefined): Html {
  if (!model) return html``;
  const { active, reason, verdicts, passed, failed, auc, accuracy, majority, brier } = model;
  return html`<section class="card"><h2>Calibration</h2><p>Trained on ${verdicts} human verdicts (${passed} pass, ${failed} fail). Accuracy in cross-validation ${formatPercent(accuracy)}, compared with ${formatPercent(majority.accuracy)} for the majority verdict. AUC ${auc.toFixed(2)}, Brier score ${brier.toFixed(3)} (${majority.brier.toFixed(3)}). ${active ? 'Assessments contain its prediction.' : `The model is not used: ${reason ?? ''}.`}</p></section>`;
}
