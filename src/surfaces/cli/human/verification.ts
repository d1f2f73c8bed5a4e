import { ageOf, type Fields, isFields, isRecords } from './cell.ts';
import { facts, record } from './record.ts';
import { narrower, type Screen } from './screen.ts';
import { cut, oneLine, wrap } from './text.ts';

/** Where a task stands, or what was just brought: each gate on a line, its evidence in words. */
export function verification(fields: Fields, screen: Screen): string[] {
  const { taskId, round, failedRounds, maxRounds, gates: all, failures, gate, evidence, by, next, accepts, tools, verdict } = fields;
  if (typeof taskId !== 'string') return record(fields, screen);
  if (!isRecords(all)) return [...gates([{ gate, isHeld: true, by, evidence }], screen), ...facts({ task: taskId, round, next }, screen)];
  const rest = {
    next,
    ...(isFields(verdict) ? { verdict: [verdict.verdict, 'by', verdict.by, verdict.reason].filter(Boolean).join(' ') } : {}),
    accepts,
    tools,
  };
  return [
    `${screen.paint('cyan', oneLine(taskId))}  round ${round}, ${failedRounds} of ${maxRounds} failed`,
    ...gates(all, screen),
    ...(isRecords(failures) ? failures.flatMap((failure) => failed(failure, screen)) : []),
    '',
    ...facts(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)), screen),
  ];
}

export const gates = (all: Fields[], screen: Screen): string[] => all.flatMap((each) => gateLines(each, screen));

function gateLines({ gate, isHeld, by, at, evidence, stale }: Fields, screen: Screen): string[] {
  const isStale = Array.isArray(stale) && stale.length > 0;
  const mark = isStale ? screen.paint('yellow', '!') : isHeld ? screen.paint('green', '☑') : '☐';
  const about = [by, ...(at ? [ageOf(at, screen.now)] : []), ...words(evidence)].filter((part) => part !== undefined);
  return [
    `${mark} ${oneLine(String(gate))}`,
    ...wrap(about.map((part) => oneLine(String(part))).join(' · '), narrower(screen, 4).columns).map((line) => `    ${line}`),
    ...(isStale ? [`    ${screen.paint('yellow', cut(`changed since: ${oneLine(stale.join(', '))}`, screen.columns - 4))}`] : []),
  ].filter((line) => line.trim() !== '');
}

const failed = ({ gate, round, by, evidence }: Fields, screen: Screen): string[] => [
  cut(`${screen.paint('red', '✗')} ${oneLine([gate, `round ${round}`, by, ...words(evidence)].join(' · '))}`, screen.columns),
];

/** Each piece of evidence in a few words. */
const words = (evidence: unknown): string[] => (isRecords(evidence) ? evidence.map(inWords) : []);

function inWords(each: Fields): string {
  const { kind, commit, files, name, passed, skipped, path, url, text, problem, verdict, reason } = each;
  switch (kind) {
    case 'commit':
      return `commit ${String(commit).slice(0, 12)}`;
    case 'files':
      return `files ${isRecords(files) ? files.map((file) => file.path).join(', ') : ''}`;
    case 'tool':
      return `tool ${name}`;
    case 'test-run':
      return `${passed} tests passed${skipped ? `, ${skipped} skipped` : ''}${path ? ` (${path})` : ''}`;
    case 'run':
      return `${each.run}${isRecords(files) ? `: ${files.map((file) => file.path).join(', ')}` : ''}`;
    case 'failed':
      return String(problem);
    case 'verdict':
      return [verdict, reason].filter(Boolean).join(': ');
    default:
      return String(url ?? text ?? kind);
  }
}
