import type { Registry } from '#core/define.ts';
import type { Envelope } from '#dispatch/envelope.ts';
import type { Column } from '#tasks/model/board.ts';
import { cellOf, type Fields, isEmpty, isFields, isRecords, labelOf } from './cell.ts';
import { dash } from './dash.ts';
import { facts, record, records, special } from './record.ts';
import { narrower, type Screen, screenOf } from './screen.ts';
import { briefing, context, handoff, omitted, pointer, session, sessions } from './session.ts';
import { clean, cut, oneLine, prepareFor, wrap } from './text.ts';
import { tree } from './tree.ts';

/** An answer as people read it. What is known by its name has its own form; everything else is shown by its shape. */
export async function humanText(envelope: Envelope, size: { columns: number; hasColour: boolean }, catalog: Registry): Promise<string> {
  const screen = screenOf(size, envelope._meta.timestamp);
  await prepareFor(JSON.stringify(envelope));
  const lines = envelope.success ? await answer(envelope, screen, catalog) : await refusal(envelope, screen);
  return lines.length ? `${lines.join('\n')}\n` : '';
}

type Form = (value: unknown, screen: Screen, catalog: Registry) => string[] | Promise<string[]>;

const forms: Record<string, Form> = {
  tree: (value, screen) => tree([value].flat().filter(isFields), screen),
  claim: (value, screen) => special('claim', value, screen) ?? record(value as Fields, screen),
  session: (value, screen) => session(value as Fields, screen),
  sessions: (value, screen) => sessions([value].flat().filter(isFields), screen),
  handoff: async (value, screen) =>
    isFields(value) && 'accepted' in value
      ? (await import('./construct.ts')).handoffCheck(value, screen)
      : handoff(value as Fields, screen),
  run: async (value, screen) => (await import('./run.ts')).run(value, screen),
  validation: async (value, screen) => (await import('./construct.ts')).validation(value, screen),
  construct: async (value, screen) => (await import('./construct.ts')).construct(value, screen),
  document: async (value, screen) => (await import('./construct.ts')).document(value, screen),
  briefing: (value, screen) => briefing(value as Fields, screen),
  pack: async (value, screen) => (await import('./pack.ts')).pack(value, screen),
  omitted: (value, screen) => omitted([value].flat().filter(isFields), screen),
  context: (value, screen) => context(value as Fields, screen),
  summary: (value, screen) => dash(value as Fields, screen),
  entries: async (value, screen) => {
    const all = [value].flat().filter(isFields);
    return all[0] && 'linked_tasks' in all[0] ? (await import('./research.ts')).research(all, screen) : records(all.map(logged), screen);
  },
  skill: async (value, screen) => (await import('./skill.ts')).skill(value, screen),
  skills: async (value, screen) => (await import('./skill.ts')).skills([value].flat().filter(isFields), screen),
  doc: async (value, screen) => (await import('./doc.ts')).doc(value, screen),
  docs: async (value, screen) => (await import('./doc.ts')).docs([value].flat().filter(isFields), screen),
  spawn: async (value, screen) => (await import('./spawn.ts')).spawns([value].flat().filter(isFields), screen),
  spawns: async (value, screen) => (await import('./spawn.ts')).spawns([value].flat().filter(isFields), screen),
  verification: async (value, screen) => (await import('./verification.ts')).verification(value as Fields, screen),
  gates: async (value, screen) => (await import('./verification.ts')).gates([value].flat().filter(isFields), screen),
  release: async (value, screen) => (await import('./release.ts')).release(value, screen),
  releases: async (value, screen) => (await import('./release.ts')).releases([value].flat().filter(isFields), screen),
  memory: async (value, screen) => (await import('./memory.ts')).memory(value as Fields, screen),
  memories: async (value, screen) => (await import('./memory.ts')).memories([value].flat().filter(isFields), screen),
  decisions: async (value, screen) => (await import('./memory.ts')).memories([value].flat().filter(isFields), screen),
  flagged: async (value, screen) => (await import('./memory.ts')).memories([value].flat().filter(isFields), screen),
  timeline: async (value, screen) => (await import('./memory.ts')).timeline(value as Fields, screen),
  ids: async (value, screen) => (await import('./imported.ts')).ids(value, screen),
  grade: async (value, screen) => (await import('./grade.ts')).grade(value, screen),
  explanation: async (value, screen) => (await import('./grade.ts')).explanation(value, screen),
  grades: async (value, screen) => (await import('./grade.ts')).grades(value, screen),
  trend: async (value, screen) => (await import('./grade.ts')).trend(value, screen),
  detected: async (value, screen) => (await import('./detected.ts')).detected(value, screen),
  assessments: async (value, screen) => (await import('./assessment.ts')).assessments(value, screen),
  totals: async (value, screen) => (await import('./assessment.ts')).totals(value, screen),
  comparison: async (value, screen) => (await import('./assessment.ts')).comparison(value, screen),
  suggestions: async (value, screen) => (await import('./assessment.ts')).suggestions(value, screen),
  model: async (value, screen) => (await import('./assessment.ts')).model(value, screen),
  runs: async (value, screen) => (await import('./trace.ts')).runs([value].flat().filter(isFields), screen),
  trace: async (value, screen) => (await import('./trace.ts')).trace(value as Fields, screen),
  lines: async (value, screen) => (await import('./trace.ts')).traceLines([value].flat().filter(isFields), screen),
  traces: async (value, screen) => (await import('./trace.ts')).traces([value].flat().filter(isFields), screen),
  reviews: async (value, screen) => (await import('./trace.ts')).reviews([value].flat().filter(isFields), screen),
  review: async (value, screen) => (await import('./trace.ts')).review(value as Fields, screen),
  waves: async (value, screen) => (await import('./plan.ts')).waves(value, screen),
  blocked: async (value, screen) => (await import('./plan.ts')).blocked(value, screen),
  externalBlockers: async (value, screen) => (await import('./plan.ts')).externalBlockers(value, screen),
  cycles: async (value, screen) => (await import('./plan.ts')).cycles(value, screen),
  running: async (value, screen) => (await import('./plan.ts')).running(value, screen),
  columns: async (value, screen) => (await import('./board.ts')).board(value as Column[], screen),
  report: async (value, screen) => (await import('./plan.ts')).report(value, screen),
  rollup: async (value, screen) => (await import('./plan.ts')).rollup(value, screen),
  members: async (value, screen) => (await import('./plan.ts')).containers(value, screen),
  sagas: async (value, screen) => (await import('./plan.ts')).containers(value, screen),
  tasks: async (value, screen) =>
    isRecords(value) && value.every(({ project }) => typeof project === 'string')
      ? (await import('./nexus.ts')).farTasks(value, screen)
      : byShape('tasks', value, screen),
  on: async (value, screen) => (await import('./nexus.ts')).farOne(value, screen),
  projects: async (value, screen) => (await import('./nexus.ts')).projects([value].flat().filter(isFields), screen),
  graph: async (value, screen) => (await import('./nexus.ts')).farGraph(value, screen),
  deps: async (value, screen) =>
    isFields(value) && 'waitsFor' in value ? (await import('./nexus.ts')).farDeps(value, screen) : record(value as Fields, screen),
  preview: (value, screen) =>
    [value]
      .flat()
      .filter(isFields)
      .flatMap((each) => preview(each, screen)),
  help: async (value, screen, catalog) => (await import('./help.ts')).help(value as never, screen, catalog),
};

/** What would be put into a file, as it would stand there. */
const preview = ({ file, adds }: Fields, screen: Screen): string[] => [
  screen.paint('bold', String(file)),
  ...String(adds)
    .split(/\r?\n/)
    .map((line) => `  ${clean(line)}`.trimEnd()),
];

/** What was called, by whom, and what came of it; the rest of an entry is for `--json`. */
function logged(entry: Fields): Fields {
  if (!('success' in entry)) return entry;
  const { seq, timestamp, agent, operation, success, errorCode, exitCode, created, updated, deleted, params } = entry;
  const outcome = success ? receipts({ created, updated, deleted }).join(', ') : `${errorCode} (${exitCode})`;
  return { seq, timestamp, status: success ? 'ok' : 'error', agent, operation, outcome, ...(isEmpty(params) ? {} : { params }) };
}

async function answer(envelope: Envelope, screen: Screen, catalog: Registry): Promise<string[]> {
  const { _meta: meta, success: _, data, ...result } = envelope;
  const filled = Object.entries(result).filter(([, value]) => !isEmpty(value));
  // First what was asked for, then plain values together in two columns, then the rest, each under its name.
  const plain = filled.filter(
    ([key, value]) => (isPlain(value) && !(key === meta.resultsField && Array.isArray(value))) || isAside(key, value),
  );
  const rest = filled.filter((entry) => !plain.includes(entry));
  // What an import could not keep comes behind its figures.
  const main = 'losses' in result ? undefined : rest[0];
  const further = main ? rest.slice(1) : rest;
  const pointers = further.filter(isPointer);
  const others = further.filter((entry) => !pointers.includes(entry));
  const sections: string[][] = [];
  if (main) sections.push(await section(...main, screen, catalog));
  if (plain.length + pointers.length > 0)
    sections.push([
      ...pointers.flatMap(([key, value]) => pointer(key, value as Fields, screen)),
      ...facts(Object.fromEntries(plain), screen),
    ]);
  for (const [key, value] of others) {
    if (titled.includes(key)) {
      sections.push(await section(key, value, screen, catalog));
      continue;
    }
    const body = await section(key, value, narrower(screen, 2), catalog);
    sections.push([screen.paint('bold', cut(labelOf(key), screen.columns)), ...body.map((line) => `  ${line}`.trimEnd())]);
  }
  const asked = result[meta.resultsField ?? ''];
  if (meta.exitCode === 100 && (sections.length === 0 || (Array.isArray(asked) && asked.length === 0 && rest.length === 0)))
    sections.unshift(['Nothing found.']);
  const footer = [
    notes[meta.exitCode ?? 0],
    ...receipts(data),
    ...cutShort(meta),
    ...(saidAbove.includes(String(meta.resultsField)) ? [] : (meta.warnings ?? [])).map((text) => `warning: ${text}`),
    meta.nudge && `grade ${meta.nudge}`,
  ].filter(Boolean);
  if (footer.length > 0) sections.push(wrap(footer.join(' · '), screen.columns).map((line) => screen.paint('dim', line)));
  return sections.flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}

/** Their form tells the warnings. */
const saidAbove = ['validation', 'handoff'];

/** Their form begins with a title of its own. */
const titled = ['omitted', 'pack'];

/** Behind something else a task is only pointed at: `show` tells the rest. */
const isPointer = ([key, value]: [string, unknown]): boolean =>
  isFields(value) &&
  (key === 'claim'
    ? 'agent' in value
    : key === 'progress'
      ? 'percent' in value
      : ['focus', 'task', 'root'].includes(key) && 'title' in value);

/** What a plan says of itself in one line. */
const isAside = (key: string, value: unknown): boolean =>
  isFields(value) && ((key === 'progress' && 'percent' in value) || (key === 'root' && 'title' in value));

const isPlain = (value: unknown): boolean => !isFields(value) && !(Array.isArray(value) && value.some((item) => typeof item === 'object'));

function section(key: string, value: unknown, screen: Screen, catalog: Registry): string[] | Promise<string[]> {
  const form = Object.hasOwn(forms, key) ? forms[key] : undefined;
  return form ? form(value, screen, catalog) : byShape(key, value, screen);
}

function byShape(key: string, value: unknown, screen: Screen): string[] {
  if (isRecords(value))
    return special(key, value, screen) ?? (value.some((item) => isRecords(item.children)) ? tree(value, screen) : records(value, screen));
  if (Array.isArray(value)) return value.flatMap((item) => wrap(cellOf('', item).text, screen.columns));
  return record(value as Fields, screen);
}

const notes: Record<number, string> = { 101: 'it is there already', 102: 'nothing to change' };

function receipts(data: unknown): string[] {
  if (!isFields(data)) return [];
  const { dryRun, ...said } = data;
  const parts = Object.entries(said)
    .filter(([, value]) => value !== 0 && !isEmpty(value))
    .map(([key, value]) => `${labelOf(key)} ${Array.isArray(value) ? few(value.map(String)) : cellOf(key, value).text}`);
  return dryRun ? [`dry run, nothing written: ${parts.join(', ') || 'no change'}`] : parts;
}

const few = (ids: string[]): string =>
  ids.length > 8 ? `${ids.slice(0, 3).map(oneLine).join(', ')} … ${oneLine(ids.at(-1)!)} (${ids.length})` : ids.map(oneLine).join(', ');

function cutShort({ truncated }: Envelope['_meta']): string[] {
  if (!truncated) return [];
  const { shown, total, atLeast, next } = truncated;
  return [`${shown} of ${total}${atLeast ? ' or more' : ''} shown${next ? `; go on: ${next}` : ''}`];
}

async function refusal({ _meta: meta, error }: Envelope, screen: Screen): Promise<string[]> {
  const { code, exitCode, message, fix, alternatives, details } = error as Fields;
  const { paint, columns } = screen;
  const [first = '', ...more] = wrap(String(message), columns - 2);
  return [
    `${paint('red', oneLine(String(code)))} ${paint('dim', `(exit ${exitCode})`)}`,
    `  ${first}`,
    ...more.map((line) => `  ${line}`),
    ...(isFields(details) && meta.exitNamespace === 'skill'
      ? (await import('./explained.ts')).explained(details, String(message), screen)
      : []),
    ...(isFields(details) && isRecords(details.findings) && meta.exitNamespace === undefined ? findings(details.findings, screen) : []),
    // Never cut or broken: it is there to be copied.
    `${paint('green', 'fix')}  ${oneLine(String(fix))}`,
    ...(isRecords(alternatives)
      ? alternatives
          .filter(({ command }) => command !== fix)
          .map((way) => `${paint('dim', 'or')}   ${oneLine(String(way.command))}  ${paint('dim', oneLine(String(way.action)))}`)
      : []),
  ];
}

const shownFindings = 20;

/** Everything that was wrong, where it was more than one thing; what was right is not told. */
function findings(all: Fields[], { paint, columns }: Screen): string[] {
  const wrong = all.filter(({ result }) => result !== 'pass');
  const lines = wrong.slice(0, shownFindings).flatMap((finding) => {
    const name = [finding.rule, finding.pointer, finding.code, finding.entryId].find((said) => said !== undefined && said !== '');
    const isMild = finding.result === 'warn' || finding.severity === 'warning';
    const [first = '', ...rest] = wrap([name, finding.message].filter((said) => said !== undefined).join('  '), columns - 4);
    return [`  ${isMild ? paint('yellow', '!') : paint('red', '✗')} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
  return wrong.length > shownFindings ? [...lines, paint('dim', `    and ${wrong.length - shownFindings} more`)] : lines;
}
