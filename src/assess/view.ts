import {
  type Cell,
  drawBar,
  drawBullet,
  drawEach,
  drawFields,
  drawIndented,
  drawRecords,
  type Fields,
  formatCount,
  formatTime,
  getShade,
  isRecords,
  joinParts,
  measureWidth,
  padLeft,
  padRight,
  paintCell,
  type Screen,
  toLabel,
  toListForm,
  toOneLine,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { drawFlags, drawScoreLine } from '#grade/view.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatPercent } from '#lib/statistics.ts';
import { drawSkillError } from '#runs/view/error.ts';

export const assessView: View = {
  forms: {
    assessments: toListForm(drawAssessments),
    totals: drawTotals,
    comparison: drawComparison,
    suggestions: toListForm(drawSuggestions),
    model: drawModel,
  },
  error: drawSkillError,
};

const maxInFull = 3;

/** Draws a few assessments in full; of many, a row each. */
function drawAssessments(items: Fields[], screen: Screen): string[] {
  // `--fields` may have removed parts of the assessments.
  if (!items.every(({ dimensions, flags }) => isPlainObject(dimensions) && Array.isArray(flags))) return drawRecords(items, screen);
  if (items.length <= maxInFull) return drawEach(items, (item) => drawAssessment(item, screen));
  return drawRecords(
    items.map(({ grade, percent, phase, skill, status, exit_code, run_id, flags }) => ({
      score: `${grade} ${percent} %`,
      skill,
      phase,
      ended: status === 'success' ? 'success' : `${status} (${exit_code})`,
      flags: (flags as string[]).length,
      run: run_id,
    })),
    screen,
  );
}

function drawAssessment(fields: Fields, screen: Screen): string[] {
  const { grade, percent, phase, skill, skill_version, status, exit_code, totalScore, maxScore, run_id, completed_at, prediction } = fields;
  const about = [
    `${totalScore}/${maxScore}`,
    `${status} (${exit_code})`,
    skill_version === '0.0.0' ? '' : `version ${skill_version}`,
    formatTime(completed_at) ?? '',
    String(run_id),
    ...(isPlainObject(prediction) ? [`predicted pass: ${formatPercent(Number(prediction.pass))}`] : []),
  ];
  return [
    drawScoreLine(grade, percent, `${phase} · ${skill}`, screen),
    ...wrap(joinParts(about), screen.columns).map((line) => screen.paint('dim', line)),
    '',
    ...drawDimensions(fields.dimensions as Fields, screen),
    ...drawFlags(fields.flags as string[], screen),
  ];
}

/** Draws a bar for each dimension with its evidence; a dimension without a score has no bar. */
function drawDimensions(dimensions: Fields, { paint, columns }: Screen): string[] {
  const width = Math.max(...Object.keys(dimensions).map(measureWidth));
  return Object.entries(dimensions).flatMap(([name, value]) => {
    const { score, evidence } = value as { score: number | null; evidence: string[] };
    const bar = score === null ? ' '.repeat(10) : paint(getShade(score / 20), drawBar(score / 20));
    const head = `${padRight(name, width)}  ${bar} ${padLeft(score === null ? '-' : `${score}/20`, 8)}  `;
    const text = toOneLine(evidence.join(' · '));
    // On a narrow screen the evidence goes below the bar.
    if (columns - measureWidth(head) < 20) return [head.trimEnd(), ...wrap(text, columns - 2).map((line) => paint('dim', `  ${line}`))];
    const lines = wrap(text, columns - measureWidth(head));
    return lines.map((line, n) => `${n === 0 ? head : ' '.repeat(measureWidth(head))}${paint('dim', line)}`.trimEnd());
  });
}

/** Draws the totals of all assessments in one line. */
function drawTotals(fields: Fields, screen: Screen): string[] {
  const { runs, executions, passed, skipped, percent, grades } = fields;
  if (!isPlainObject(grades)) return drawFields(fields, screen);
  const counts = Object.entries(grades).map(([grade, count]) => `${count} ${grade}`);
  const parts = [
    formatCount(runs, 'run'),
    formatCount(executions, 'execution'),
    `${passed} succeeded`,
    ...(skipped ? [`${skipped} skipped`] : []),
    ...(executions ? [`mean ${percent} %`, counts.join(', ')] : []),
  ];
  return wrap(parts.join(' · '), screen.columns);
}

const verdictMarks: Record<string, Cell> = {
  improved: { text: '✓', colour: 'green' },
  regressed: { text: '✗', colour: 'red' },
  inconclusive: { text: '·', colour: 'dim' },
  insufficient: { text: '○', colour: 'dim' },
};

/** Draws the verdict, then both measures of each skill. */
function drawComparison(fields: Fields, screen: Screen): string[] {
  const { verdict, baseline, candidate, skills } = fields;
  if (!isRecords(skills) || !isPlainObject(baseline) || !isPlainObject(candidate)) return drawFields(fields, screen);
  const formatSide = ({ named, runs, executions }: Fields): string =>
    `${named}: ${formatCount(runs, 'run')}, ${formatCount(executions, 'execution')}`;
  return [
    `${drawVerdictMark(verdict, screen)} ${screen.paint('bold', toOneLine(String(verdict)))}`,
    ...wrap(toOneLine(`${formatSide(baseline)}  →  ${formatSide(candidate)}`), screen.columns).map((line) => screen.paint('dim', line)),
    '',
    ...skills.flatMap((skill) => drawSkillVerdict(skill, screen)),
  ];
}

function drawSkillVerdict({ skill, verdict, baseline, candidate, passRate, score }: Fields, screen: Screen): string[] {
  const formatPassed = ({ passed, executions }: Fields): string => `${passed} of ${executions}`;
  const parts = [
    `succeeded ${formatPassed(baseline as Fields)} → ${formatPassed(candidate as Fields)}${isPlainObject(passRate) ? `: ${formatInterval(passRate, 100, '%')}` : ''}`,
    ...(isPlainObject(score) ? [`score ${formatInterval(score, 1, 'points')}, ${formatCount(score.pairs, 'pair')}`] : []),
    ...(verdict === 'insufficient' ? ['at least five runs per side are needed'] : []),
  ];
  return [
    `${drawVerdictMark(verdict, screen)} ${screen.paint('cyan', truncate(toOneLine(String(skill)), screen.columns - 20))}  ${toOneLine(String(verdict))}`,
    ...parts.flatMap((part) => wrap(part, screen.columns - 4).map((line) => screen.paint('dim', `    ${line}`))),
  ];
}

const drawVerdictMark = (verdict: unknown, screen: Screen): string =>
  paintCell(verdictMarks[String(verdict)] ?? { text: '·', colour: 'dim' }, screen);

/** `+12 % (3 to 20)`. */
function formatInterval({ difference, low, high }: Fields, factor: number, unit: string): string {
  const round = (each: unknown): number => Math.round(Number(each) * factor * 10) / 10 || 0;
  return `${Number(difference) > 0 ? '+' : ''}${round(difference)} ${unit} (${round(low)} to ${round(high)})`;
}

/** Draws each finding with its count, the action to take, and the runs it was seen in. */
function drawSuggestions(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ finding, action }) => typeof finding === 'string' && typeof action === 'string')) return drawRecords(items, screen);
  return drawEach(items, ({ finding, action, count, of, runs }) => [
    ...drawBullet(screen.paint('yellow', '!'), `${toOneLine(String(finding))} (${count} of ${of})`, screen),
    ...drawIndented(String(action), screen),
    ...drawIndented(`in ${(runs as string[]).join(', ')}`, screen).map((line) => screen.paint('dim', line)),
  ]);
}

/** Draws the quality of the model and its weights, the largest first. */
function drawModel(fields: Fields, screen: Screen): string[] {
  const { active, reason, verdicts, passed, failed, auc, brier, accuracy, majority, features, id } = fields;
  if (!isRecords(features) || !isPlainObject(majority)) return drawFields(fields, screen);
  const weights = features
    .filter(({ weight }) => Math.abs(Number(weight)) >= 0.01)
    .sort((one, other) => Math.abs(Number(other.weight)) - Math.abs(Number(one.weight)));
  return [
    active ? `${screen.paint('green', '✓')} in use` : `${screen.paint('yellow', '!')} not in use: ${toOneLine(String(reason))}`,
    '',
    ...drawFields(
      {
        id,
        verdicts: `${verdicts}, ${passed} pass and ${failed} fail`,
        accuracy: `${accuracy} (majority verdict: ${majority.accuracy})`,
        auc,
        brier: `${brier} (base rate: ${majority.brier})`,
        weights: weights.map(({ name, weight }) => `${toLabel(String(name))} ${weight}`).join(', '),
      },
      screen,
    ),
  ];
}
