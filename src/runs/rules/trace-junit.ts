import { escapeXmlAttribute } from '#lib/escape-markup.ts';
import type { ExportedRun } from './trace-export.ts';
import { listVerdicts, type RunVerdict, type VerdictSuite } from './trace-verdicts.ts';

/** Formats runs as JUnit XML: an execution is a suite, a check is a case. A warning becomes a skipped case, because JUnit has no
 *  warnings. */
export function formatJunit(runs: ExportedRun[]): string {
  const suites = runs.flatMap((run) => listVerdicts(run).map((suite) => ({ runId: run.runId, ...suite })));
  const all = suites.flatMap(({ verdicts }) => verdicts);
  const total = suites.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${formatAttributes({ name: 'cleo', tests: all.length, failures: countOutcomes(all, 'failed'), errors: countOutcomes(all, 'error'), time: formatSeconds(total) })}>`,
    ...suites.flatMap(formatSuite),
    '</testsuites>',
    '',
  ].join('\n');
}

function formatSuite({ runId, name, startedAt, durationMs, verdicts }: VerdictSuite & { runId: string }): string[] {
  const about = {
    name: `${runId} ${name}`,
    tests: verdicts.length,
    failures: countOutcomes(verdicts, 'failed'),
    errors: countOutcomes(verdicts, 'error'),
    skipped: countOutcomes(verdicts, 'skipped', 'warned'),
    time: formatSeconds(durationMs),
    // UTC without the zone, as JUnit readers expect.
    timestamp: startedAt.slice(0, 19),
  };
  return [`  <testsuite${formatAttributes(about)}>`, ...verdicts.map(formatCase), '  </testsuite>'];
}

function formatCase({ suite, name, outcome, message }: RunVerdict): string {
  const head = `    <testcase${formatAttributes({ classname: suite.replaceAll('/', '.'), name, time: formatSeconds(0) })}`;
  if (outcome === 'passed') return `${head}/>`;
  const text = message || outcome;
  const [element, about] =
    outcome === 'failed'
      ? ['failure', { message: text, type: 'failed' }]
      : outcome === 'error'
        ? ['error', { message: text, type: 'error' }]
        : ['skipped', { message: outcome === 'warned' ? `warning: ${text}` : text }];
  return `${head}><${element}${formatAttributes(about)}/></testcase>`;
}

const countOutcomes = (all: RunVerdict[], ...outcomes: RunVerdict['outcome'][]): number =>
  all.filter(({ outcome }) => outcomes.includes(outcome)).length;
const formatSeconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(3);
const formatAttributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXmlAttribute(String(value))}"`)
    .join('');
