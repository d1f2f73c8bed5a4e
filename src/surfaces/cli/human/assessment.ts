import { barOf, shadeOf } from './bar.ts';
import { type Fields, isFields, isRecords, labelOf, timeOf } from './cell.ts';
import { facts, records } from './record.ts';
import { type Colour, narrower, type Screen } from './screen.ts';
import { cut, oneLine, pad, padLeft, widthOf, wrap } from './text.ts';

const colours: Record<string, Colour> = { A: 'green', B: 'green', C: 'yellow', D: 'yellow', F: 'red' };

/** One or a few in full; of many a line each. */
export function assessments(value: unknown, screen: Screen): string[] {
  const all = [value].flat().filter(isFields);
  // Fields that were picked out of them are no whole assessments.
  if (!all.every(({ dimensions, flags }) => isFields(dimensions) && Array.isArray(flags))) return records(all, screen);
  if (all.length <= shownInFull) return all.flatMap((each, i) => [...(i > 0 ? [''] : []), ...inFull(each, screen)]);
  return records(
    all.map(({ grade, percent, phase, skill, status, exit_code, run_id, flags }) => ({
      ...{ score: `${grade} ${percent} %`, skill, phase, ended: status === 'success' ? 'success' : `${status} (${exit_code})` },
      ...{ flags: (flags as string[]).length, run: run_id },
    })),
    screen,
  );
}

const shownInFull = 3;
const shownFlags = 12;

function inFull(each: Fields, screen: Screen): string[] {
  const { grade, percent, phase, skill, skill_version, status, exit_code, totalScore, maxScore, run_id, completed_at, prediction } = each;
  const { paint, columns } = screen;
  const flags = each.flags as string[];
  const about = [
    `${totalScore}/${maxScore}`,
    `${status} (${exit_code})`,
    skill_version === '0.0.0' ? '' : `version ${skill_version}`,
    timeOf(completed_at) ?? '',
    String(run_id),
    ...(isFields(prediction) ? [`people would pass it: ${Math.round(Number(prediction.pass) * 100)} %`] : []),
  ].filter((part) => part !== '');
  return [
    `${paint(colours[String(grade)] ?? 'red', paint('bold', `${grade}  ${percent} %`))}  ${paint('cyan', cut(oneLine(`${phase} · ${skill}`), columns - 12))}`,
    ...wrap(oneLine(about.join(' · ')), columns).map((line) => paint('dim', line)),
    '',
    ...dimensionLines(each.dimensions as Fields, screen),
    ...(flags.length > 0 ? [''] : []),
    ...flags.slice(0, shownFlags).flatMap((flag) => bullet(paint('red', '✗'), oneLine(flag), screen)),
    ...(flags.length > shownFlags ? [paint('dim', `  and ${flags.length - shownFlags} more`)] : []),
  ];
}

/** A bar for each dimension with what it comes from; what nothing is known of has none. */
function dimensionLines(dimensions: Fields, { paint, columns }: Screen): string[] {
  const width = Math.max(...Object.keys(dimensions).map(widthOf));
  return Object.entries(dimensions).flatMap(([name, value]) => {
    const { score, evidence } = value as { score: number | null; evidence: string[] };
    const drawn = score === null ? ' '.repeat(10) : paint(shadeOf(score / 20), barOf(score / 20));
    const head = `${pad(name, width)}  ${drawn} ${padLeft(score === null ? '-' : `${score}/20`, 8)}  `;
    const text = oneLine(evidence.join(' · '));
    // Where there is no room beside it, what it comes from stands below.
    if (columns - widthOf(head) < 20) return [head.trimEnd(), ...wrap(text, columns - 2).map((line) => paint('dim', `  ${line}`))];
    const lines = wrap(text, columns - widthOf(head));
    return lines.map((line, n) => `${n === 0 ? head : ' '.repeat(widthOf(head))}${paint('dim', line)}`.trimEnd());
  });
}

/** All of them in one line. */
export function totals(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || !isFields(value.grades)) return isFields(value) ? facts(value, screen) : [];
  const { runs, executions, passed, skipped, percent, grades } = value;
  const told = [
    ...[count(runs, 'run'), count(executions, 'execution'), `${passed} succeeded`, ...(skipped ? [`${skipped} skipped`] : [])],
    ...(executions
      ? [
          `mean ${percent} %`,
          Object.entries(grades)
            .map(([grade, n]) => `${n} ${grade}`)
            .join(', '),
        ]
      : []),
  ];
  return wrap(told.join(' · '), screen.columns);
}

const verdictMarks: Record<string, [mark: string, colour: Colour]> = {
  improved: ['✓', 'green'],
  regressed: ['✗', 'red'],
  inconclusive: ['·', 'dim'],
  insufficient: ['○', 'dim'],
};

/** The verdict, then each skill with both of its measures. */
export function comparison(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || !isRecords(value.skills) || !isFields(value.baseline) || !isFields(value.candidate))
    return isFields(value) ? facts(value, screen) : [];
  const { verdict, baseline, candidate, skills } = value;
  const side = ({ named, runs, executions }: Fields): string => `${named}: ${count(runs, 'run')}, ${count(executions, 'execution')}`;
  return [
    `${marked(verdict, screen)} ${screen.paint('bold', oneLine(String(verdict)))}`,
    ...wrap(oneLine(`${side(baseline as Fields)}  →  ${side(candidate as Fields)}`), screen.columns).map((line) =>
      screen.paint('dim', line),
    ),
    '',
    ...skills.flatMap((skill) => skillLines(skill, screen)),
  ];
}

function skillLines({ skill, verdict, baseline, candidate, passRate, score }: Fields, screen: Screen): string[] {
  const [before, after] = [baseline as Fields, candidate as Fields];
  const passed = ({ passed: n, executions }: Fields): string => `${n} of ${executions}`;
  const told = [
    `succeeded ${passed(before)} → ${passed(after)}${isFields(passRate) ? `: ${between(passRate, 100, '%')}` : ''}`,
    ...(isFields(score) ? [`score ${between(score, 1, 'points')}, ${count(score.pairs, 'pair')}`] : []),
    ...(verdict === 'insufficient' ? ['five runs a side are needed'] : []),
  ];
  return [
    `${marked(verdict, screen)} ${screen.paint('cyan', cut(oneLine(String(skill)), screen.columns - 20))}  ${oneLine(String(verdict))}`,
    ...told.flatMap((line) => wrap(line, narrower(screen, 4).columns).map((part) => screen.paint('dim', `    ${part}`))),
  ];
}

const marked = (verdict: unknown, { paint }: Screen): string => {
  const [mark, colour] = verdictMarks[String(verdict)] ?? ['·', 'dim'];
  return paint(colour, mark);
};

/** `+12 % (3 to 20)`. */
const between = ({ difference, low, high }: Fields, by: number, unit: string): string => {
  const round = (each: unknown): number => Math.round(Number(each) * by * 10) / 10 || 0;
  return `${Number(difference) > 0 ? '+' : ''}${round(difference)} ${unit} (${round(low)} to ${round(high)})`;
};

const count = (n: unknown, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** What was seen and how often, and what to do about it. */
export function suggestions(value: unknown, screen: Screen): string[] {
  const all = [value].flat().filter(isFields);
  if (!all.every(({ finding, action }) => typeof finding === 'string' && typeof action === 'string')) return records(all, screen);
  return all.flatMap(({ finding, action, count: times, of, runs }, i) => [
    ...(i > 0 ? [''] : []),
    ...bullet(screen.paint('yellow', '!'), `${oneLine(String(finding))} (${times} of ${of})`, screen),
    ...wrap(oneLine(String(action)), screen.columns - 2).map((line) => `  ${line}`),
    ...wrap(oneLine(`in ${(runs as string[]).join(', ')}`), screen.columns - 2).map((line) => screen.paint('dim', `  ${line}`)),
  ]);
}

/** How good it is, and what it looks at, the weightiest first. */
export function model(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || !isRecords(value.features) || !isFields(value.majority)) return isFields(value) ? facts(value, screen) : [];
  const { active, reason, verdicts, passed, failed, auc, brier, accuracy, majority, features, id } = value;
  const weighty = features
    .filter(({ weight }) => Math.abs(Number(weight)) >= 0.01)
    .sort((one, other) => Math.abs(Number(other.weight)) - Math.abs(Number(one.weight)));
  return [
    active ? `${screen.paint('green', '✓')} in use` : `${screen.paint('yellow', '!')} not in use: ${oneLine(String(reason))}`,
    '',
    ...facts(
      {
        ...{
          id,
          verdicts: `${verdicts}, ${passed} pass and ${failed} fail`,
          accuracy: `${accuracy} (always the commoner: ${majority.accuracy})`,
        },
        ...{ auc, brier: `${brier} (always the base rate: ${majority.brier})` },
        weights: weighty.map(({ name, weight }) => `${labelOf(String(name))} ${weight}`).join(', '),
      },
      screen,
    ),
  ];
}

const bullet = (mark: string, text: string, screen: Screen): string[] =>
  wrap(text, screen.columns - 2).map((line, i) => `${i === 0 ? mark : ' '} ${line}`);
