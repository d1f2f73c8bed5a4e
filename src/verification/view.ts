import {
  drawFields,
  drawIndented,
  drawRecord,
  type Fields,
  formatAge,
  isRecords,
  joinParts,
  type Screen,
  toListForm,
  toOneLine,
  truncate,
  type View,
} from '#core/terminal/index.ts';
import { defined, isPlainObject } from '#lib/collections.ts';

export const verificationView: View = {
  forms: {
    verification: drawVerification,
    gates: toListForm(drawGates),
    claimed: toListForm(drawStatements),
  },
};

/** Draws the gates of a task with their evidence, or the one gate that was just passed. */
function drawVerification(fields: Fields, screen: Screen): string[] {
  const { taskId, round, failedRounds, maxRounds, gates, failures, claimed, gate, evidence, by, next, accepts, tools, verdict } = fields;
  if (typeof taskId !== 'string') return drawRecord(fields, screen);
  if (!isRecords(gates))
    return [...drawGates([{ gate, isHeld: true, by, evidence }], screen), ...drawFields({ task: taskId, round, next }, screen)];
  const verdictText = isPlainObject(verdict) ? [verdict.verdict, 'by', verdict.by, verdict.reason].filter(Boolean).join(' ') : undefined;
  return [
    `${screen.paint('cyan', toOneLine(taskId))}  round ${round}, ${failedRounds} of ${maxRounds} failed`,
    ...drawGates(gates, screen),
    ...(isRecords(failures) ? failures.flatMap((failure) => drawFailure(failure, screen)) : []),
    ...drawStatements(claimed, screen),
    '',
    ...drawFields(defined({ next, verdict: verdictText, accepts, tools }), screen),
  ];
}

function drawGates(gates: Fields[], screen: Screen): string[] {
  return gates.flatMap((gate) => drawGate(gate, screen));
}

function drawGate({ gate, isHeld, by, at, evidence, stale }: Fields, screen: Screen): string[] {
  const isStale = Array.isArray(stale) && stale.length > 0;
  const mark = isStale ? screen.paint('yellow', '!') : isHeld ? screen.paint('green', '☑') : '☐';
  const about = [by, ...(at ? [formatAge(at, screen.now)] : []), ...listEvidence(evidence)];
  return [
    `${mark} ${toOneLine(String(gate))}`,
    ...drawIndented(joinParts(about), screen, 4),
    ...(isStale ? [`    ${screen.paint('yellow', truncate(`changed since: ${toOneLine(stale.join(', '))}`, screen.columns - 4))}`] : []),
  ].filter((line) => line.trim() !== '');
}

const drawFailure = ({ gate, round, by, evidence }: Fields, screen: Screen): string[] => [
  truncate(`${screen.paint('red', '✗')} ${toOneLine([gate, `round ${round}`, by, ...listEvidence(evidence)].join(' · '))}`, screen.columns),
];

/** Draws statements that opened no gate. */
function drawStatements(claimed: unknown, screen: Screen): string[] {
  if (!isRecords(claimed)) return [];
  return claimed.map(({ gate, by, text }) => truncate(`? ${toOneLine([gate, by, `claimed: ${text}`].join(' · '))}`, screen.columns));
}

const listEvidence = (evidence: unknown): string[] => (isRecords(evidence) ? evidence.map(formatEvidence) : []);

/** Formats one piece of evidence in a few words. */
function formatEvidence(each: Fields): string {
  const { kind, commit, files, name, passed, skipped, path, url, text, problem, verdict, reason, run } = each;
  const paths = isRecords(files) ? files.map((file) => file.path).join(', ') : undefined;
  switch (kind) {
    case 'commit':
      return `commit ${String(commit).slice(0, 12)}`;
    case 'files':
      return `files ${paths ?? ''}`;
    case 'tool':
      return `tool ${name}`;
    case 'test-run':
      return `${passed} tests passed${skipped ? `, ${skipped} skipped` : ''}${path ? ` (${path})` : ''}`;
    case 'run':
      return `${run}${paths === undefined ? '' : `: ${paths}`}`;
    case 'failed':
      return String(problem);
    case 'claimed':
      return `claimed: ${text}`;
    case 'verdict':
      return [verdict, reason].filter(Boolean).join(': ');
    default:
      return String(url ?? text ?? kind);
  }
}
