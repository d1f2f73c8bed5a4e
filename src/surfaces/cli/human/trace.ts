import { resumeCommand } from '#runs/errors/run-commands.ts';
import { ageOf, type Fields, isFields, isRecords } from './cell.ts';
import { facts, records } from './record.ts';
import type { Colour, Screen } from './screen.ts';
import { table } from './table.ts';
import { cut, oneLine, pad, widthOf, wrap } from './text.ts';

/** Runs under one another: how each stands, what it ran, and how long ago. */
export function runs(all: Fields[], screen: Screen): string[] {
  if (!all.every((run) => 'resumable' in run)) return records(all, screen);
  const rows = all.map((run) => ({
    status: run.status === 'success' ? 'ok' : String(run.status),
    run: run.id,
    of: run.name,
    exit: run.exitCode ?? '',
    began: ageOf(run.startedAt, screen.now),
    took: durationOf(run.durationMs),
    executions: run.failed ? `${run.executions}, ${run.failed} failed` : run.executions,
    ...(run.taskId ? { task: run.taskId } : {}),
  }));
  const crashed = all.filter((run) => run.resumable).map((run) => resumeCommand(String(run.id), String(run.kind), String(run.name)));
  return [
    ...(table(rows, screen, true) ?? records(rows, screen)),
    ...(crashed.length > 0
      ? ['', ...crashed.slice(0, 3).map((command) => `${screen.paint('dim', 'go on with')}  ${oneLine(command)}`)]
      : []),
  ];
}

const durationOf = (ms: unknown): string => {
  if (typeof ms !== 'number') return '';
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
};

/** A run as a story: one line a step, what did not hold below it. */
export function trace({ run, steps }: Fields, screen: Screen): string[] {
  if (!isFields(run)) return facts({ run, steps }, screen);
  const { id, name, status, exitCode, durationMs, executions } = run;
  const about = [name, exitCode === null ? status : `${status} (${exitCode})`, durationOf(durationMs), `${executions} executions`];
  const all = isRecords(steps) ? steps : [];
  const times = all.map(({ atMs }) => durationOf(atMs));
  const width = Math.max(0, ...times.map(widthOf));
  return [
    `${screen.paint('cyan', oneLine(String(id)))}  ${cut(
      about
        .filter(Boolean)
        .map((part) => oneLine(String(part)))
        .join(' · '),
      screen.columns - 4,
    )}`,
    ...all.flatMap((step, i) => stepLines(step, screen.paint('dim', pad(times[i]!, width)), width, screen)),
  ];
}

function stepLines(step: Fields, time: string, width: number, screen: Screen): string[] {
  const isOpening = step.event === 'phase_entered';
  const indent = step.phase === undefined || isOpening ? '' : '  ';
  const { mark, colour } = signOf(step);
  const left = screen.columns - width - indent.length - 4;
  const notes = Array.isArray(step.notes) && !saidInLine.includes(String(step.event)) ? step.notes : [];
  return [
    `${time}  ${indent}${colour ? screen.paint(colour, mark) : mark} ${cut(oneLine(textOf(step)), left)}`,
    ...notes.flatMap((note) =>
      wrap(String(note), left - 2).map((line) => `${' '.repeat(width + 2)}${indent}    ${screen.paint('dim', line)}`),
    ),
  ];
}

const bad = ['failed', 'error', 'failure', 'timeout', 'blocked', 'rejected', 'fail', 'cancelled'];
const unclear = ['pending', 'partial', 'unsure'];
const neutral = ['skipped', 'not_reached'];

function signOf({ event, status, exitCode }: Fields): { mark: string; colour?: Colour } {
  if (event === 'phase_entered') return { mark: '▸', colour: 'bold' };
  if (status === undefined || neutral.includes(String(status))) return { mark: '·', colour: 'dim' };
  if (bad.includes(String(status)) || (event === 'attempt_completed' && exitCode !== 0)) return { mark: '✗', colour: 'red' };
  return unclear.includes(String(status)) ? { mark: '!', colour: 'yellow' } : { mark: '✓', colour: 'green' };
}

/** Their notes are short and stand beside them. */
const saidInLine = [
  ...['handoff_attempted', 'artifact_created', 'side_effect', 'note', 'skill_invoked'],
  ...['review_requested', 'review_resolved', 'score_recorded'],
];

function textOf(step: Fields): string {
  const { event, phase, skill, attempt, status, gate, exitCode, durationMs, notes } = step;
  const beside = saidInLine.includes(String(event)) && Array.isArray(notes) ? notes.join(' · ') : '';
  const ended = [status, exitCode === undefined ? '' : `(${exitCode})`, durationOf(durationMs)].filter(Boolean).join(' ');
  const words: Record<string, string> = {
    phase_entered: `${phase}`,
    phase_exited: `${phase} is over`,
    gate_checked: `gate ${gate} ${status}`,
    skill_invoked: `${skill} ${beside}`,
    attempt_started: `attempt ${attempt} begins`,
    attempt_completed: `attempt ${attempt} ${ended}`,
    execution_complete: `${skill} ${ended}`,
    handoff_attempted: `handoff ${status} · ${beside}`,
    artifact_created: `made ${beside}`,
    side_effect: `touched ${beside}`,
    note: beside,
    run_completed: `run ${ended}`,
    score_recorded: `${skill} scored ${status} · ${beside}`,
  };
  return words[String(event)] ?? [String(event).replaceAll('_', ' '), status, beside].filter(Boolean).join(' · ');
}

/** Events as they were written, one a line; of one run only the time of day. */
export function traceLines(all: Fields[], screen: Screen): string[] {
  const isOne = all.every(({ run_id, ts }) => run_id === all[0]?.run_id && String(ts).slice(0, 10) === String(all[0]?.ts).slice(0, 10));
  return all.map(({ ts, event, run_id, phase, skill, data }) => {
    const at = String(ts)
      .slice(isOne ? 11 : 0, 23)
      .replace('T', ' ');
    const place = [phase, skill].filter((part) => part !== undefined).join('/');
    return cut(
      oneLine([at, ...(isOne ? [] : [run_id]), event, ...(place ? [place] : []), JSON.stringify(data)].join('  ')),
      screen.columns,
    );
  });
}

/** Traces that are what was written, each with the hash of its last line. */
export function traces(all: Fields[], screen: Screen): string[] {
  if (!all.every((one) => 'head' in one)) return records(all, screen);
  return all.flatMap(({ run, lines, head }) => [
    `${screen.paint('green', '✓')} ${oneLine(`${run}  ${lines} lines`)}`,
    screen.paint('dim', cut(`  ${oneLine(String(head))}`, screen.columns)),
  ]);
}

/** What waits, and what was said; of which run, one alone tells. */
export function reviews(all: Fields[], screen: Screen): string[] {
  const rows = all.map(({ id, status, phase, skill, reason, requestedAt, resolved, verdict, claimedBy }) => ({
    ...{ id, state: verdict ?? status, of: [phase, skill].filter(Boolean).join('/'), verdicts: resolved },
    ...(claimedBy ? { 'claimed by': claimedBy } : {}),
    ...{ asked: ageOf(requestedAt, screen.now), why: reason },
  }));
  return table(rows, screen, true) ?? records(rows, screen);
}

/** What waits for somebody, or what was said of it. */
export function review(fields: Fields, screen: Screen): string[] {
  const { id, status, runId, phase, skill, goal, reason, claims, resolutions, verdict, humanMean, judgeScore, reviewersRequired } = fields;
  if (typeof id !== 'string' || !('resolutions' in fields)) return facts(fields, screen);
  const held = isRecords(claims) ? claims.map(({ by, until }) => `${by}, lapses ${ageOf(until, screen.now)}`) : [];
  const said = isRecords(resolutions) ? resolutions : [];
  return [
    `${screen.paint('cyan', oneLine(id))}  ${oneLine([status, verdict].filter(Boolean).join(': '))}  ${oneLine([runId, phase, skill].filter(Boolean).join(' '))}`,
    ...facts(
      {
        ...(goal ? { goal } : {}),
        why: reason,
        ...(held.length > 0 ? { 'claimed by': held } : {}),
        verdicts: `${said.length} of ${reviewersRequired}${humanMean === null ? '' : `, mean ${humanMean}`}`,
        ...(judgeScore === undefined ? {} : { judge: judgeScore ?? 'said nothing' }),
      },
      screen,
    ),
    ...said.flatMap(({ by, verdict: of, score, note, isInformed }) => [
      `${of === 'pass' ? screen.paint('green', '✓') : screen.paint('red', '✗')} ${oneLine(`${by} ${score}${isInformed ? ', knowing what the judge said' : ''}`)}`,
      ...(typeof note === 'string' ? wrap(note, screen.columns - 4).map((line) => `    ${line}`) : []),
    ]),
  ];
}
