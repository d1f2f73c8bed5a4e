import {
  type Colour,
  drawBar,
  drawBullet,
  drawRecords,
  type Fields,
  formatCount,
  formatTime,
  getShade,
  measureWidth,
  padLeft,
  padRight,
  type Screen,
  toLabel,
  toListForm,
  toOneLine,
  toRecords,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';

export const gradeView: View = {
  forms: {
    grade: drawGrade,
    explanation: toListForm(drawExplanation),
    grades: (value, screen) => drawRecords(toRecords(value).map(toHistoryRow), screen),
    trend: toListForm(drawTrend),
    scopeTrend: toListForm(drawTrend),
  },
};

const letterColours: Record<string, Colour> = { A: 'green', B: 'green', C: 'yellow', D: 'yellow', F: 'red' };

/** Draws a letter, a percentage and a name on one line. */
export const drawScoreLine = (letter: unknown, percent: unknown, name: string, { paint, columns }: Screen): string =>
  `${paint(letterColours[String(letter)] ?? 'red', paint('bold', `${letter}  ${percent} %`))}  ${paint('cyan', truncate(toOneLine(name), columns - 12))}`;

const maxFlags = 12;

/** Draws the flags of a grade or an assessment below an empty line. */
export const drawFlags = (flags: string[], screen: Screen): string[] => [
  ...(flags.length > 0 ? [''] : []),
  ...flags.slice(0, maxFlags).flatMap((flag) => drawBullet(screen.paint('red', '✗'), toOneLine(flag), screen)),
  ...(flags.length > maxFlags ? [screen.paint('dim', `  and ${flags.length - maxFlags} more`)] : []),
];

/** Draws one grade: a bar for each dimension with its evidence, then the flags. */
function drawGrade(fields: Fields, screen: Screen): string[] {
  const { sessionId, letter, totalScore, maxScore, percent, entryCount, timestamp, taskId, dimensions, flags } = fields;
  // `--fields` may have removed parts of the grade.
  if (!isPlainObject(dimensions) || !Array.isArray(flags)) return drawRecords([fields], screen);
  const { paint } = screen;
  const about = [
    `${totalScore}/${maxScore}`,
    ...(taskId === undefined ? [] : [taskId]),
    `${entryCount} ${entryCount === 1 ? 'entry' : 'entries'}`,
    `graded ${formatTime(timestamp) ?? toOneLine(String(timestamp))}`,
  ];
  const names = Object.keys(dimensions).map(toLabel);
  const width = Math.max(...names.map(measureWidth));
  return [
    drawScoreLine(letter, percent, String(sessionId), screen),
    paint('dim', truncate(about.join(' · '), screen.columns)),
    '',
    ...Object.values(dimensions).flatMap((dimension, i) => {
      const { score, max, evidence } = dimension as { score: number; max: number; evidence: string[] };
      const head = `${padRight(names[i]!, width)}  ${paint(getShade(score / max), drawBar(score / max))} ${padLeft(`${score}/${max}`, 5)}  `;
      const lines = wrap(countRepeats(evidence).join(' · '), screen.columns - measureWidth(head));
      return lines.map((line, n) => `${n === 0 ? head : ' '.repeat(measureWidth(head))}${paint('dim', line)}`.trimEnd());
    }),
    ...drawFlags(flags.map(String), screen),
  ];
}

/** Draws each loss of points: the reason, the entries that caused it, and the call that would have avoided it. */
function drawExplanation(losses: Fields[], screen: Screen): string[] {
  if (!losses.every(({ points, call }) => typeof points === 'number' && isPlainObject(call))) return drawRecords(losses, screen);
  const inner = screen.columns - 5;
  return losses.flatMap(({ points, reason, entries, more, call, command }) => {
    const named = (entries as Fields[]).map((entry) =>
      `#${entry.seq} ${toOneLine(String(entry.operation))} ${formatTime(entry.timestamp) ?? ''}`.trim(),
    );
    const shown = [
      ...named.slice(0, 3),
      ...(named.length > 3 || more ? [`and ${named.length - Math.min(3, named.length) + Number(more ?? 0)} more`] : []),
    ];
    const { gateway, domain, operation } = call as Fields;
    const [first = '', ...rest] = wrap(String(reason), inner);
    return [
      `${padLeft(screen.paint('red', `-${points}`), 3)}  ${first}`,
      ...rest.map((line) => `     ${line}`),
      ...(shown.length > 0 ? wrap(shown.join(' · '), inner).map((line) => screen.paint('dim', `     ${line}`)) : []),
      // Never cut or wrapped, so that it can be copied.
      `     ${screen.paint('green', toOneLine(String(command ?? `${gateway} ${domain} ${operation}`)))}`,
    ];
  });
}

const toHistoryRow = (row: Fields): Fields =>
  isPlainObject(row.dimensions) && Array.isArray(row.flags)
    ? {
        timestamp: row.timestamp,
        score: row.score,
        letter: row.letter,
        percent: row.percent,
        session: row.sessionId,
        flags: row.flags.length,
      }
    : row;

const blocks = [...'▁▂▃▄▅▆▇█'];

/** Draws a line for each agent, or each scope, with its grades, oldest first. */
function drawTrend(groups: Fields[], screen: Screen): string[] {
  if (!groups.every(({ scores }) => Array.isArray(scores))) return drawRecords(groups, screen);
  const names = groups.map(({ agent, scope }) => truncate(toOneLine(String(agent ?? scope)), 24));
  const width = Math.max(...names.map(measureWidth));
  return groups.map(({ scores, last, average, sessions }, i) => {
    const end = `  ${padLeft(`${last} %`, 5)}  ${screen.paint('dim', `average ${average} %, ${formatCount(sessions, 'session')}`)}`;
    const room = Math.max(5, screen.columns - width - 2 - measureWidth(end));
    const line = (scores as number[]).slice(-room).map((score) => screen.paint(getShade(score / 100), getBlock(score)));
    return `${screen.paint('cyan', padRight(names[i]!, width))}  ${line.join('')}${end}`;
  });
}

const getBlock = (percent: number): string => blocks[Math.min(blocks.length - 1, Math.floor((percent / 100) * blocks.length))]!;

/** Merges repeated evidence: `tasks.show used (3x)`. */
function countRepeats(evidence: string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of evidence) counts.set(toOneLine(text), (counts.get(toOneLine(text)) ?? 0) + 1);
  return [...counts].map(([text, n]) => (n === 1 ? text : `${text} (${n}x)`));
}
