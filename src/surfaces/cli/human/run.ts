import { type Fields, isFields, isRecords } from './cell.ts';
import type { Colour, Screen } from './screen.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';

const gateNames = ['selection', 'precondition', 'execution', 'output', 'goal'];
const marks: Record<string, [sign: string, colour: Colour]> = {
  success: ['✓', 'green'],
  ready: ['✓', 'green'],
  partial: ['!', 'yellow'],
  cancelled: ['!', 'yellow'],
  running: ['◐', 'cyan'],
};
const bad: [string, Colour] = ['✗', 'red'];

/** A run: what became of each skill, what was handed on, and where the rest is kept. */
export function run(value: unknown, screen: Screen): string[] {
  if (!isFields(value) || !Array.isArray(value.executions)) return [];
  const { id, status, exitCode, executions, handoffs, trace, task } = value;
  const [name, ended] = [oneLine(String(id)), `${oneLine(String(status).replaceAll('_', ' '))}${exitCode ? ` (exit ${exitCode})` : ''}`];
  const head = `${mark(status, screen)} ${screen.paint('cyan', name)}`;
  return [
    ...(widthOf(name) + widthOf(ended) + 4 > screen.columns ? [head, `  ${ended}`] : [`${head}  ${ended}`]),
    ...steps(executions.filter(isFields), isRecords(handoffs) ? handoffs : [], screen),
    ...(isFields(task) ? taskLines(task, screen) : []),
    ...(typeof trace === 'string' ? [screen.paint('dim', cut(`  trace  ${oneLine(trace)}`, screen.columns))] : []),
  ];
}

/** Skills in their order; what a phase was handed stands before it. */
function steps(executions: Fields[], handoffs: Fields[], screen: Screen): string[] {
  const width = (key: string): number => Math.max(0, ...executions.map((one) => widthOf(oneLine(String(one[key])))));
  const [phases, skills] = [width('phase'), width('skill')];
  const entered = new Set<unknown>();
  return executions.flatMap((one) => {
    const received = entered.has(one.phase) ? [] : handoffs.filter(({ to }) => to === one.phase);
    entered.add(one.phase);
    const name = `${pad(oneLine(String(one.phase)), phases)}  ${pad(oneLine(String(one.skill)), skills)}`;
    const [sign, colour] = one.skipped ? (['·', 'dim'] as const) : (marks[String(one.status)] ?? bad);
    return [
      ...received.flatMap((handoff) => handoffLine(handoff, screen)),
      `  ${screen.paint(colour, sign)} ${cut(`${name}  ${did(one)}`.trimEnd(), screen.columns - 4)}`,
      ...gateLines(one, screen),
      ...(isRecords(one.warnings)
        ? one.warnings.flatMap(({ message }) => bullet(screen.paint('yellow', '!'), String(message), screen))
        : []),
    ];
  });
}

/** How often it was tried, how long that took, and what came of it. */
function did({ attempts, exitCode, class: kind, durationMs, artifacts, skipped, status }: Fields): string {
  if (skipped) return 'not run';
  if (status === 'ready' || status === 'not_ready') return String(status).replace('_', ' ');
  const tried = attempts === 0 ? 'not started' : attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const code = exitCode === 0 ? undefined : `exit ${exitCode} (${kind})`;
  const made = Array.isArray(artifacts) && artifacts.length > 0 ? artifacts.map((path) => oneLine(String(path))).join(', ') : undefined;
  return [tried, code, attempts === 0 ? undefined : seconds(Number(durationMs)), made].filter((part) => part !== undefined).join(', ');
}

const seconds = (ms: number): string => (ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Gates that did not simply hold. */
function gateLines({ gates, status: ended }: Fields, screen: Screen): string[] {
  // What did not keep a skill from success only warned.
  const [sign, colour] = ended === 'success' ? (['!', 'yellow'] as const) : bad;
  if (!Array.isArray(gates)) return [];
  return gates.flatMap((status, i) => {
    if (status === 'failed' || status === 'error')
      return bullet(screen.paint(colour, sign), `gate ${i} ${gateNames[i]}: ${status}`, screen);
    return status === 'pending' ? bullet(screen.paint('yellow', '?'), `gate ${i} ${gateNames[i]}: somebody has to judge it`, screen) : [];
  });
}

function handoffLine({ from, to, accepted, completeness, warnings }: Fields, screen: Screen): string[] {
  const remarks = Array.isArray(warnings) ? warnings.map(String) : [];
  const [sign, colour] = !accepted ? bad : remarks.length > 0 ? marks.partial! : marks.success!;
  const share = typeof completeness === 'number' ? `, complete to ${Math.floor(completeness * 100 + 1e-9)} %` : '';
  return [
    `  ${screen.paint(colour, sign)} ${cut(oneLine(`${from} → ${to}  ${accepted ? 'accepted' : 'refused'}${share}`), screen.columns - 4)}`,
    ...remarks.flatMap((text) => bullet(screen.paint('yellow', '!'), text, screen)),
  ];
}

const taskLines = ({ id, verify, stage }: Fields, screen: Screen): string[] => [
  `  ${cut(`noted at ${oneLine(String(id))}${isFields(stage) ? `; ${oneLine(`${stage.stage} of ${stage.epicId} is completed`)}` : ''}`, screen.columns - 2)}`,
  // Never cut: it is there to be copied.
  ...(typeof verify === 'string' ? [`  as evidence: ${oneLine(verify)}`] : []),
];

const mark = (status: unknown, screen: Screen): string => {
  const [sign, colour] = marks[String(status)] ?? bad;
  return screen.paint(colour, sign);
};

/** What to do first, one thing on a line. Ours is written as `path: this; that`. */
export function remedy(text: string, { paint, columns }: Screen): string[] {
  const items = text.split('\n').flatMap((line) => {
    const [, path, rest = ''] = /^(\S+): (.*)$/s.exec(line) ?? [];
    if (path === undefined) return wrap(line, columns - 4).map((part) => `    ${part}`);
    return [`    ${cut(oneLine(path), columns - 4)}`, ...rest.split('; ').flatMap((item) => wrapped('      - ', item, columns))];
  });
  return [paint('bold', '  first'), ...items];
}

function bullet(sign: string, text: string, { columns }: Screen): string[] {
  return wrap(oneLine(text), columns - 8).map((line, i) => `      ${i === 0 ? sign : ' '} ${line}`);
}

const wrapped = (head: string, text: string, columns: number): string[] =>
  wrap(oneLine(text), columns - head.length).map((line, i) => `${i === 0 ? head : ' '.repeat(head.length)}${line}`);
