import { progressBar, progressLine } from './bar.ts';
import { ageOf, type Fields, idOf, isFields, isRecords } from './cell.ts';
import { facts, records } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';
import { nodeLine, tree } from './tree.ts';

/** Each wave with its tasks below it. */
export function waves(value: unknown, screen: Screen): string[] {
  const all = list(value);
  if (!all.every(({ tasks }) => Array.isArray(tasks))) return records(all, screen);
  return tree(
    all.map(({ wave, tasks }) => ({ title: `wave ${wave}`, children: tasks })),
    screen,
  );
}

/** Each task, and below it what stands in its way. */
export function blocked(value: unknown, screen: Screen): string[] {
  const all = list(value);
  if (!all.every(({ reasons }) => Array.isArray(reasons))) return records(all, screen);
  return all.flatMap(({ reasons, ...task }) => [
    nodeLine(task, screen, screen.columns),
    ...few(list(reasons).map(reasonText)).flatMap((text) => hanging('  ← ', text, screen)),
  ]);
}

function reasonText({ kind, on, text, via }: Fields): string {
  const because = via === undefined ? '' : ` (through ${via})`;
  if (kind === 'stated') return `${via === undefined ? '' : `${via} is blocked: `}${text ?? 'nobody wrote why'}`;
  if (kind === 'external') return `${on}, which is outside${because}`;
  if (kind === 'unfinished') return `${on}, which has nothing left inside and waits to be completed${because}`;
  return `${on}${because}`;
}

export function externalBlockers(value: unknown, screen: Screen): string[] {
  const all = list(value);
  if (!all.every(({ blocks }) => Array.isArray(blocks))) return records(all, screen);
  return all.flatMap(({ blocks, ...task }) => [
    nodeLine(task, screen, screen.columns),
    ...hanging('  → ', few((blocks as unknown[]).map(String)).join(', '), screen),
  ]);
}

export const cycles = (value: unknown, screen: Screen): string[] =>
  [value].flat().flatMap((cycle) => wrap(oneLine([cycle].flat().map(String).join(' → ')), screen.columns));

/** Who is at what. */
export function running(value: unknown, screen: Screen): string[] {
  const rows = list(value).map((row) => ({
    ...row,
    ...('since' in row ? { since: ageOf(row.since, screen.now) } : {}),
    ...('until' in row ? { until: ageOf(row.until, screen.now) } : {}),
  }));
  return table(rows, screen) ?? records(rows, screen);
}

/** Containers with a bar each. */
export function containers(value: unknown, screen: Screen): string[] {
  const all = list(value);
  if (!all.every(({ percent }) => typeof percent === 'number')) return records(all, screen);
  const rows = all.map(({ done, total, percent, parentId: _, ...task }) => ({
    ...task,
    progress: `${progressBar(Number(percent))} ${percent} %, ${done}/${total}`,
  }));
  return table(rows, screen, true) ?? records(rows, screen);
}

/** A saga on one screen: the bar, then what could be begun and what bars the way. */
export function rollup(value: unknown, screen: Screen): string[] {
  const { percent, done, total, members, byStatus, ready, blockers, ...saga } = fieldsOf(value);
  if (typeof percent !== 'number' || !isFields(members) || !isFields(byStatus)) return facts(fieldsOf(value), screen);
  const states = Object.entries(byStatus).filter(([, n]) => n !== 0);
  return [
    nodeLine(saga, screen, screen.columns),
    `  ${progressLine({ percent, done, total }, screen)}`,
    ...wrap(
      `${members.done} of ${members.total} epics done${states.length ? `; ${states.map(([name, n]) => `${n} ${name}`).join(', ')}` : ''}`,
      screen.columns - 2,
    ).map((line) => `  ${line}`),
    ...part('ready', list(ready), screen, (task, inner) => [nodeLine(task, inner, inner.columns)]),
    ...part('blockers', list(blockers), screen, ({ kind, text, blocks, ...task }, inner) => [
      nodeLine(task, inner, inner.columns),
      ...hanging('  ', `${barrier(kind, text)}${Array.isArray(blocks) ? `; holds up ${few(blocks.map(String)).join(', ')}` : ''}`, inner),
    ]),
  ];
}

const barrier = (kind: unknown, text: unknown): string =>
  kind === 'stated'
    ? `blocked: ${text ?? 'nobody wrote why'}`
    : kind === 'external'
      ? 'outside the saga'
      : 'nothing is left inside; it waits to be completed';

/** The work inside a task, a group after another; empty groups are left out. */
export function report(value: unknown, screen: Screen): string[] {
  const { progress, counts, ready, running: held, waiting, blocked: stuck, done, ...task } = fieldsOf(value);
  if (!isFields(progress) || !isFields(counts)) return facts(fieldsOf(value), screen);
  const node = (one: Fields, inner: Screen): string[] => [nodeLine(one, inner, inner.columns)];
  const group = (name: string, items: unknown, linesOf: (item: Fields, inner: Screen) => string[]): string[] =>
    part(`${name} ${counts[name]}`, list(items), screen, linesOf);
  return [
    nodeLine(task, screen, screen.columns),
    `  ${progressLine(progress, screen)}`,
    ...group('ready', ready, node),
    ...group('running', held, ({ agent, session, since, until: _, ...one }, inner) => [
      ...node(one, inner),
      ...hanging('  ', `${agent}${session ? ` in ${session}` : ''}, ${ageOf(since, screen.now)}`, inner),
    ]),
    ...group('waiting', waiting, ({ on, ...one }, inner) => [
      ...node(one, inner),
      ...few(list(on).map((other) => `${idOf(other)} ${other.title}${other.via ? ` (through ${other.via})` : ''}`)).flatMap((text) =>
        hanging('  ← ', text, inner),
      ),
    ]),
    ...group('blocked', stuck, (one, inner) => blocked([one], inner)),
    ...group('done', done, (one, inner) => node({ ...one, status: 'done' }, inner)),
  ];
}

/** Fields that were picked out of it, or nothing. */
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): Fields[] => (isRecords(value) ? value : [value].flat().filter(isFields));

function part(title: string, items: Fields[], screen: Screen, linesOf: (item: Fields, inner: Screen) => string[]): string[] {
  if (items.length === 0) return [];
  const inner = narrower(screen, 2);
  return [
    '',
    screen.paint('bold', cut(title, screen.columns)),
    ...items.flatMap((item) => linesOf(item, inner)).map((line) => `  ${line}`),
  ];
}

const most = 8;
const few = (texts: string[]): string[] => (texts.length > most ? [...texts.slice(0, most), `${texts.length - most} more`] : texts);

/** A text behind its head, dim; where it goes on, it stands below itself. */
function hanging(head: string, text: string, screen: Screen): string[] {
  return wrap(oneLine(text), screen.columns - widthOf(head)).map((line, i) =>
    screen.paint('dim', `${i === 0 ? head : pad('', widthOf(head))}${line}`.trimEnd()),
  );
}
