import {
  type Cell,
  type Fields,
  isRecords,
  measureWidth,
  padRight,
  paintCell,
  type Screen,
  toOneLine,
  truncate,
  wrap,
} from '#core/terminal/index.ts';
import { isPlainObject } from '#lib/collections.ts';
import { formatPercent } from '#lib/statistics.ts';
import { runGateNames } from '../model/execution.ts';

const good: Cell = { text: '✓', colour: 'green' };
const odd: Cell = { text: '!', colour: 'yellow' };
const bad: Cell = { text: '✗', colour: 'red' };
const marks: Record<string, Cell> = {
  success: good,
  ready: good,
  partial: odd,
  cancelled: odd,
  running: { text: '◐', colour: 'cyan' },
};

/** Draws a run: the outcome of each skill, the handoffs between phases, and the path of the trace. */
export function drawRun({ id, status, exitCode, executions, handoffs, trace, task }: Fields, screen: Screen): string[] {
  if (!Array.isArray(executions)) return [];
  const name = toOneLine(String(id));
  const outcome = `${toOneLine(String(status).replaceAll('_', ' '))}${exitCode ? ` (exit ${exitCode})` : ''}`;
  const head = `${paintCell(marks[String(status)] ?? bad, screen)} ${screen.paint('cyan', name)}`;
  return [
    ...(measureWidth(name) + measureWidth(outcome) + 4 > screen.columns ? [head, `  ${outcome}`] : [`${head}  ${outcome}`]),
    ...drawExecutions(executions.filter(isPlainObject), isRecords(handoffs) ? handoffs : [], screen),
    ...(isPlainObject(task) ? drawTask(task, screen) : []),
    ...(typeof trace === 'string' ? [screen.paint('dim', truncate(`  trace  ${toOneLine(trace)}`, screen.columns))] : []),
  ];
}

/** Draws executions in their order; the handoffs to a phase come before its first execution. */
function drawExecutions(executions: Fields[], handoffs: Fields[], screen: Screen): string[] {
  const measureColumn = (key: string): number => Math.max(0, ...executions.map((one) => measureWidth(toOneLine(String(one[key])))));
  const [phaseWidth, skillWidth] = [measureColumn('phase'), measureColumn('skill')];
  const entered = new Set<unknown>();
  return executions.flatMap((one) => {
    const received = entered.has(one.phase) ? [] : handoffs.filter(({ to }) => to === one.phase);
    entered.add(one.phase);
    const name = `${padRight(toOneLine(String(one.phase)), phaseWidth)}  ${padRight(toOneLine(String(one.skill)), skillWidth)}`;
    const mark: Cell = one.skipped ? { text: '·', colour: 'dim' } : (marks[String(one.status)] ?? bad);
    return [
      ...received.flatMap((handoff) => drawHandoff(handoff, screen)),
      `  ${paintCell(mark, screen)} ${truncate(`${name}  ${formatOutcome(one)}`.trimEnd(), screen.columns - 4)}`,
      ...drawGates(one, screen),
      ...(isRecords(one.warnings) ? one.warnings.flatMap(({ message }) => drawRemark(odd, String(message), screen)) : []),
    ];
  });
}

/** Formats attempts, exit code, duration and artifacts of an execution. */
function formatOutcome({ attempts, exitCode, class: exitClass, durationMs, artifacts, skipped, status }: Fields): string {
  if (skipped) return 'not run';
  if (status === 'ready' || status === 'not_ready') return String(status).replace('_', ' ');
  const isStarted = attempts !== 0;
  return [
    !isStarted ? 'not started' : attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    exitCode === 0 ? undefined : `exit ${exitCode} (${exitClass})`,
    isStarted ? formatSeconds(Number(durationMs)) : undefined,
    Array.isArray(artifacts) && artifacts.length > 0 ? artifacts.map((path) => toOneLine(String(path))).join(', ') : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

const formatSeconds = (ms: number): string => (ms < 9950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);

/** Draws the gates that failed or are pending. */
function drawGates({ gates, status: outcome }: Fields, screen: Screen): string[] {
  // A gate that failed although the skill succeeded is only a warning.
  const mark = outcome === 'success' ? odd : bad;
  if (!Array.isArray(gates)) return [];
  return gates.flatMap((status, i) => {
    if (status === 'failed' || status === 'error') return drawRemark(mark, `${runGateNames[i]} gate: ${status}`, screen);
    return status === 'pending' ? drawRemark({ text: '?', colour: 'yellow' }, `${runGateNames[i]} gate: waiting for a review`, screen) : [];
  });
}

function drawHandoff({ from, to, accepted, completeness, warnings }: Fields, screen: Screen): string[] {
  const remarks = Array.isArray(warnings) ? warnings.map(String) : [];
  const mark = !accepted ? bad : remarks.length > 0 ? odd : good;
  return [
    `  ${paintCell(mark, screen)} ${truncate(formatHandoff({ from, to, accepted, completeness }), screen.columns - 4)}`,
    ...remarks.flatMap((text) => drawRemark(odd, text, screen)),
  ];
}

export const formatHandoff = ({ from, to, accepted, completeness }: Fields): string =>
  toOneLine(`${from} → ${to}  ${accepted ? 'accepted' : 'refused'}${formatCompleteness(completeness)}`);

export const formatCompleteness = (completeness: unknown): string =>
  typeof completeness === 'number' ? `, complete to ${formatPercent(completeness)}` : '';

const drawTask = ({ id, verify, stage }: Fields, screen: Screen): string[] => [
  `  ${truncate(`noted at ${toOneLine(String(id))}${isPlainObject(stage) ? `; ${toOneLine(`${stage.stage} of ${stage.epicId} is completed`)}` : ''}`, screen.columns - 2)}`,
  // Never cut, so that it can be copied.
  ...(typeof verify === 'string' ? [`  as evidence: ${toOneLine(verify)}`] : []),
];

const drawRemark = (mark: Cell, text: string, screen: Screen): string[] =>
  wrap(toOneLine(text), screen.columns - 8).map((line, i) => `      ${i === 0 ? paintCell(mark, screen) : ' '} ${line}`);
