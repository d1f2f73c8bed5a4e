import type { ExportedRun } from './trace-export.ts';
import { type RunVerdict, type VerdictSuite, verdictsOf } from './trace-verdicts.ts';

/** Runs as JUnit XML: an execution is a suite, a check a case. A warning is a case that was skipped, since there is no other word for it. */
export function junitText(runs: ExportedRun[]): string {
  const suites = runs.flatMap((run) => verdictsOf(run).map((suite) => ({ runId: run.runId, ...suite })));
  const all = suites.flatMap(({ verdicts }) => verdicts);
  const total = suites.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'cleo', tests: all.length, failures: count(all, 'failed'), errors: count(all, 'error'), time: seconds(total) })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines({ runId, name, startedAt, durationMs, verdicts }: VerdictSuite & { runId: string }): string[] {
  const about = {
    ...{ name: `${runId} ${name}`, tests: verdicts.length, failures: count(verdicts, 'failed'), errors: count(verdicts, 'error') },
    // Without the zone, as readers of this form expect it; it is UTC.
    ...{ skipped: count(verdicts, 'skipped', 'warned'), time: seconds(durationMs), timestamp: startedAt.slice(0, 19) },
  };
  return [`  <testsuite${attributes(about)}>`, ...verdicts.map(caseLine), '  </testsuite>'];
}

function caseLine({ suite, name, outcome, message }: RunVerdict): string {
  const head = `    <testcase${attributes({ classname: suite.replaceAll('/', '.'), name, time: seconds(0) })}`;
  if (outcome === 'passed') return `${head}/>`;
  const said = message || outcome;
  const [element, about] =
    outcome === 'failed'
      ? ['failure', { message: said, type: 'failed' }]
      : outcome === 'error'
        ? ['error', { message: said, type: 'error' }]
        : ['skipped', { message: outcome === 'warned' ? `warning: ${said}` : said }];
  return `${head}><${element}${attributes(about)}/></testcase>`;
}

const count = (all: RunVerdict[], ...outcomes: RunVerdict['outcome'][]): number =>
  all.filter(({ outcome }) => outcomes.includes(outcome)).length;
const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(3);
const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\t': '&#9;',
  '\r': '&#13;',
};

/** Characters that no XML may hold are shown as what they are: unknown. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"'\n\t\r]/g, (character) => entities[character]!);
