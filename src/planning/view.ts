import {
  drawFields,
  drawNode,
  drawProgress,
  drawProgressBar,
  drawRecords,
  drawTable,
  type Fields,
  measureWidth,
  narrowScreen,
  type Screen,
  toListForm,
  toOneLine,
  toRecords,
  truncate,
  type View,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';

export const sagaView: View = {
  forms: {
    sagas: toListForm(drawContainers),
    members: toListForm(drawContainers),
    rollup: drawRollup,
  },
};

/** Draws sagas or epics with a progress bar each. */
function drawContainers(items: Fields[], screen: Screen): string[] {
  if (!items.every(({ percent }) => typeof percent === 'number')) return drawRecords(items, screen);
  const rows = items.map(({ done, total, percent, parentId: _, ...task }) => ({
    ...task,
    progress: `${drawProgressBar(Number(percent))} ${percent} %, ${done}/${total}`,
  }));
  return drawTable(rows, screen, true) ?? drawRecords(rows, screen);
}

/** Draws a saga: its progress, then the tasks that are ready and the blockers. */
function drawRollup(fields: Fields, screen: Screen): string[] {
  const { percent, done, total, members, byStatus, ready, blockers, ...saga } = fields;
  if (typeof percent !== 'number' || !isPlainObject(members) || !isPlainObject(byStatus)) return drawFields(fields, screen);
  const states = Object.entries(byStatus).filter(([, count]) => count !== 0);
  const counts = states.length ? `; ${states.map(([name, count]) => `${count} ${name}`).join(', ')}` : '';
  return [
    drawNode(saga, screen),
    `  ${drawProgress({ percent, done, total }, screen)}`,
    ...wrap(`${members.done} of ${members.total} epics done${counts}`, screen.columns - 2).map((line) => `  ${line}`),
    ...drawGroup('ready', ready, screen, (task, inner) => [drawNode(task, inner)]),
    ...drawGroup('blockers', blockers, screen, ({ kind, text, blocks, ...task }, inner) => [
      drawNode(task, inner),
      ...drawDim(
        '  ',
        `${formatBlocker(kind, text)}${Array.isArray(blocks) ? `; holds up ${limitTexts(blocks.map(String)).join(', ')}` : ''}`,
        inner,
      ),
    ]),
  ];
}

const formatBlocker = (kind: unknown, text: unknown): string =>
  kind === 'stated'
    ? `blocked: ${text ?? 'no reason given'}`
    : kind === 'external'
      ? 'outside the saga'
      : 'nothing is left inside; it waits to be completed';

/** Draws a title and the items below it; nothing without items. */
export function drawGroup(title: string, items: unknown, screen: Screen, draw: (item: Fields, inner: Screen) => string[]): string[] {
  const all = toRecords(items);
  if (all.length === 0) return [];
  const inner = narrowScreen(screen, 2);
  return [
    '',
    screen.paint('bold', truncate(title, screen.columns)),
    ...all.flatMap((item) => draw(item, inner)).map((line) => `  ${line}`),
  ];
}

const maxTexts = 8;

export const limitTexts = (texts: string[]): string[] =>
  texts.length > maxTexts ? [...texts.slice(0, maxTexts), `${texts.length - maxTexts} more`] : texts;

/** Draws a dim text behind its head; further lines are aligned with the first. */
export function drawDim(head: string, text: string, screen: Screen): string[] {
  const width = measureWidth(head);
  return wrap(toOneLine(text), screen.columns - width).map((line, i) =>
    screen.paint('dim', `${i === 0 ? head : ' '.repeat(width)}${line}`.trimEnd()),
  );
}
