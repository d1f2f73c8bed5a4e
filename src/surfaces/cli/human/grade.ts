import { barOf, shadeOf } from './bar.ts';
import { type Fields, isFields, isRecords, labelOf, timeOf } from './cell.ts';
import { records } from './record.ts';
import type { Colour, Screen } from './screen.ts';
import { cut, oneLine, pad, padLeft, widthOf, wrap } from './text.ts';

const colours: Record<string, Colour> = { A: 'green', B: 'green', C: 'yellow', D: 'yellow', F: 'red' };

/** One grade: who, how many of a hundred, a bar for each dimension with what earned it, and what broke the protocol. */
export function grade(value: unknown, screen: Screen): string[] {
  const { sessionId, letter, totalScore, maxScore, percent, entryCount, timestamp, taskId, dimensions, flags } = value as Fields;
  // Fields that were picked out of it are no whole grade.
  if (!isFields(dimensions) || !Array.isArray(flags)) return records([value as Fields], screen);
  const { paint } = screen;
  const colour = colours[String(letter)] ?? 'red';
  const about = [
    taskId === undefined ? '' : String(taskId),
    `${entryCount} ${entryCount === 1 ? 'entry' : 'entries'}`,
    `graded ${timeOf(timestamp) ?? oneLine(String(timestamp))}`,
  ].filter((part) => part !== '');
  const names = Object.keys(dimensions).map(labelOf);
  const width = Math.max(...names.map(widthOf));
  return [
    `${paint(colour, paint('bold', `${letter}  ${percent} %`))}  ${paint('cyan', cut(oneLine(String(sessionId)), screen.columns - 12))}`,
    paint('dim', cut(`${totalScore}/${maxScore} · ${about.join(' · ')}`, screen.columns)),
    '',
    ...Object.values(dimensions).flatMap((dimension, i) => {
      const { score, max, evidence } = dimension as { score: number; max: number; evidence: string[] };
      const head = `${pad(names[i]!, width)}  ${paint(shadeOf(score / max), barOf(score / max))} ${padLeft(`${score}/${max}`, 5)}  `;
      const lines = wrap(few(evidence).join(' · '), screen.columns - widthOf(head));
      return lines.map((line, n) => `${n === 0 ? head : ' '.repeat(widthOf(head))}${paint('dim', line)}`.trimEnd());
    }),
    ...(flags.length > 0 ? [''] : []),
    ...flags.slice(0, shownFlags).flatMap((flag) => bullet(paint('red', '✗'), oneLine(String(flag)), screen)),
    ...(flags.length > shownFlags ? [paint('dim', `  and ${flags.length - shownFlags} more`)] : []),
  ];
}

const shownFlags = 12;

/** Where the points went: how many, why, by which entries, and what would have kept them. */
export function explanation(value: unknown, screen: Screen): string[] {
  if (!isRecords(value)) return [];
  if (!value.every(({ points, call }) => typeof points === 'number' && isFields(call))) return records(value, screen);
  const inner = screen.columns - 5;
  return value.flatMap(({ points, reason, entries, more, call, command }) => {
    const named = (entries as Fields[]).map((entry) =>
      `#${entry.seq} ${oneLine(String(entry.operation))} ${timeOf(entry.timestamp) ?? ''}`.trim(),
    );
    const seen = [
      ...named.slice(0, 3),
      ...(named.length > 3 || more ? [`and ${named.length - Math.min(3, named.length) + Number(more ?? 0)} more`] : []),
    ];
    const { gateway, domain, operation } = call as Fields;
    const [first = '', ...rest] = wrap(String(reason), inner);
    return [
      `${padLeft(screen.paint('red', `-${points}`), 3)}  ${first}`,
      ...rest.map((line) => `     ${line}`),
      ...(seen.length > 0 ? wrap(seen.join(' · '), inner).map((line) => screen.paint('dim', `     ${line}`)) : []),
      // Never cut or broken: it is there to be copied.
      `     ${screen.paint('green', oneLine(String(command ?? `${gateway} ${domain} ${operation}`)))}`,
    ];
  });
}

/** The history, a grade a row. */
export function grades(value: unknown, screen: Screen): string[] {
  return records(
    [value]
      .flat()
      .filter(isFields)
      .map((row) =>
        isFields(row.dimensions) && Array.isArray(row.flags)
          ? {
              timestamp: row.timestamp,
              score: row.score,
              letter: row.letter,
              percent: row.percent,
              session: row.sessionId,
              flags: row.flags.length,
            }
          : row,
      ),
    screen,
  );
}

const blocks = [...'▁▂▃▄▅▆▇█'];

/** A line an agent: how its grades went, oldest first. */
export function trend(value: unknown, screen: Screen): string[] {
  if (!isRecords(value)) return [];
  if (!value.every(({ scores }) => Array.isArray(scores))) return records(value, screen);
  const names = value.map(({ agent }) => cut(oneLine(String(agent)), 24));
  const width = Math.max(...names.map(widthOf));
  return value.map(({ scores, last, average, sessions }, i) => {
    const end = `  ${padLeft(`${last} %`, 5)}  ${screen.paint('dim', `average ${average} %, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`)}`;
    const room = Math.max(5, screen.columns - width - 2 - widthOf(end));
    const line = (scores as number[]).slice(-room).map((score) => screen.paint(shadeOf(score / 100), blockOf(score)));
    return `${screen.paint('cyan', pad(names[i]!, width))}  ${line.join('')}${end}`;
  });
}

const blockOf = (percent: number): string => blocks[Math.min(blocks.length - 1, Math.floor((percent / 100) * blocks.length))]!;

/** Evidence may repeat itself: once, and how often. */
function few(evidence: string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of evidence) counts.set(oneLine(text), (counts.get(oneLine(text)) ?? 0) + 1);
  return [...counts].map(([text, n]) => (n === 1 ? text : `${text} (${n}x)`));
}

const bullet = (mark: string, text: string, screen: Screen): string[] =>
  wrap(text, screen.columns - 2).map((line, i) => `${i === 0 ? mark : ' '} ${line}`);
