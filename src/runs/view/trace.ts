import {
  type Cell,
  drawFields,
  drawRecords,
  drawTable,
  escapeControls,
  type Fields,
  formatAge,
  isRecords,
  joinParts,
  measureWidth,
  padRight,
  paintCell,
  type Screen,
  toOneLine,
  truncate,
  wrap,
} from '#core/terminal/index.ts';
import { formatDuration } from '#lib/ago.ts';
import { isPlainObject } from '#lib/collections.ts';
import { resumeCommand } from '../errors/resume-command.ts';

/** Draws a row for each run, then the commands that resume interrupted runs. */
export function drawRuns(runs: Fields[], screen: Screen): string[] {
  if (!runs.every((run) => 'resumable' in run)) return drawRecords(runs, screen);
  const rows = runs.map((run) => ({
    status: run.status === 'success' ? 'ok' : String(run.status),
    run: run.id,
    of: run.name,
    exit: run.exitCode ?? '',
    began: formatAge(run.startedAt, screen.now),
    took: formatTime(run.durationMs),
    executions: run.failed ? `${run.executions}, ${run.failed} failed` : run.executions,
    ...(run.taskId ? { task: run.taskId } : {}),
  }));
  const commands = runs.filter((run) => run.resumable).map((run) => resumeCommand(String(run.id), String(run.kind), String(run.name)));
  return [
    ...(drawTable(rows, screen, true) ?? drawRecords(rows, screen)),
    ...(commands.length > 0
      ? ['', ...commands.slice(0, 3).map((command) => `${screen.paint('dim', 'resume with')}  ${toOneLine(command)}`)]
      : []),
  ];
}

const formatTime = (ms: unknown): string => (typeof ms === 'number' ? formatDuration(ms) : '');

/** Draws the steps of a run, a line each, with the notes of a step below it. */
export function drawTrace({ run, steps }: Fields, screen: Screen): string[] {
  if (!isPlainObject(run)) return drawFields({ run, steps }, screen);
  const { id, name, status, exitCode, durationMs, executions } = run;
  const about = [name, exitCode === null ? status : `${status} (${exitCode})`, formatTime(durationMs), `${executions} executions`];
  const all = isRecords(steps) ? steps : [];
  const times = all.map(({ atMs }) => formatTime(atMs));
  const width = Math.max(0, ...times.map(measureWidth));
  return [
    `${screen.paint('cyan', toOneLine(String(id)))}  ${truncate(joinParts(about), screen.columns - 4)}`,
    ...all.flatMap((step, i) => drawStep(step, screen.paint('dim', padRight(times[i]!, width)), width, screen)),
  ];
}

function drawStep(step: Fields, time: string, width: number, screen: Screen): string[] {
  const isOpening = step.event === 'phase_entered';
  const indent = step.phase === undefined || isOpening ? '' : '  ';
  const room = screen.columns - width - indent.length - 4;
  const notes = Array.isArray(step.notes) && !inlineNotes.includes(String(step.event)) ? step.notes : [];
  return [
    `${time}  ${indent}${paintCell(getStepMark(step), screen)} ${truncate(toOneLine(formatStep(step)), room)}`,
    ...notes.flatMap((note) =>
      wrap(String(note), room - 2).map((line) => `${' '.repeat(width + 2)}${indent}    ${screen.paint('dim', line)}`),
    ),
  ];
}

const bad = ['failed', 'error', 'failure', 'timeout', 'blocked', 'rejected', 'fail', 'cancelled'];
const unclear = ['pending', 'partial', 'unsure'];
const neutral = ['skipped', 'not_reached'];

function getStepMark({ event, status, exitCode }: Fields): Cell {
  if (event === 'phase_entered') return { text: '▸', colour: 'bold' };
  if (status === undefined || neutral.includes(String(status))) return { text: '·', colour: 'dim' };
  if (bad.includes(String(status)) || (event === 'attempt_completed' && exitCode !== 0)) return { text: '✗', colour: 'red' };
  return unclear.includes(String(status)) ? { text: '!', colour: 'yellow' } : { text: '✓', colour: 'green' };
}

/** Events whose notes are short and are drawn on the same line. */
const inlineNotes = [
  'handoff_attempted',
  'artifact_created',
  'side_effect',
  'note',
  'skill_invoked',
  'review_requested',
  'review_resolved',
  'score_recorded',
];

function formatStep({ event, phase, skill, attempt, status, gate, exitCode, durationMs, notes }: Fields): string {
  const inline = inlineNotes.includes(String(event)) && Array.isArray(notes) ? notes.join(' · ') : '';
  const outcome = [status, exitCode === undefined ? '' : `(${exitCode})`, formatTime(durationMs)].filter(Boolean).join(' ');
  const words: Record<string, string> = {
    phase_entered: `${phase}`,
    phase_exited: `${phase} is over`,
    gate_checked: `${gate} gate ${status}`,
    skill_invoked: `${skill} ${inline}`,
    attempt_started: `attempt ${attempt} begins`,
    attempt_completed: `attempt ${attempt} ${outcome}`,
    execution_complete: `${skill} ${outcome}`,
    handoff_attempted: `handoff ${status} · ${inline}`,
    artifact_created: `made ${inline}`,
    side_effect: `touched ${inline}`,
    note: inline,
    run_completed: `run ${outcome}`,
    score_recorded: `${skill} scored ${status} · ${inline}`,
  };
  return words[String(event)] ?? [String(event).replaceAll('_', ' '), status, inline].filter(Boolean).join(' · ');
}

/** Draws trace events, one on a line; of a single run on one day only the time of day. */
export function drawTraceLines(lines: Fields[], screen: Screen): string[] {
  const [first] = lines;
  const isOneRun = lines.every(({ run_id, ts }) => run_id === first?.run_id && String(ts).slice(0, 10) === String(first?.ts).slice(0, 10));
  return lines.map(({ ts, event, run_id, phase, skill, data }) => {
    const at = String(ts)
      .slice(isOneRun ? 11 : 0, 23)
      .replace('T', ' ');
    const place = [phase, skill].filter((part) => part !== undefined).join('/');
    return truncate(
      toOneLine([at, ...(isOneRun ? [] : [run_id]), event, ...(place ? [place] : []), JSON.stringify(data)].join('  ')),
      screen.columns,
    );
  });
}

/** Draws the output of each attempt below a line that names it. */
export const drawOutputs = (outputs: Fields[], screen: Screen): string[] =>
  outputs.flatMap(({ phase, skill, attempt, stream, bytes, text, isCut }, i) => [
    ...(i > 0 ? [''] : []),
    screen.paint('bold', toOneLine(`${phase}/${skill} attempt ${attempt} ${stream}${isCut ? `, end of ${bytes} bytes` : ''}`)),
    ...String(text)
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => escapeControls(line).trimEnd()),
  ]);

/** Draws verified traces, each with the hash of its last line. */
export function drawTraces(traces: Fields[], screen: Screen): string[] {
  if (!traces.every((trace) => 'head' in trace)) return drawRecords(traces, screen);
  return traces.flatMap(({ run, lines, head }) => [
    `${screen.paint('green', '✓')} ${toOneLine(`${run}  ${lines} lines`)}`,
    screen.paint('dim', truncate(`  ${toOneLine(String(head))}`, screen.columns)),
  ]);
}
