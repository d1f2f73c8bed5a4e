import { isPlainObject } from '#lib/collections.ts';
import { checkJson, parseJson, stripBom } from '#lib/parse-json.ts';

interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

type Tree = Record<string, unknown>;

const toTree = (value: unknown): Tree => (isPlainObject(value) ? value : {});

/** Reads the test counts of a JSON report from Jest, Vitest, Mocha, Playwright, pytest-json-report, CTRF or Go, or of a plain
 *  `{passed, failed, skipped}`. Returns a message if it finds no counts. */
export function readTestReport(text: string): TestCounts | string {
  const parsed = checkJson(stripBom(text));
  if ('problem' in parsed) return parseGoEvents(text) ?? formatJsonProblem(parsed.problem);
  const tree = parsed.value;
  if (!isPlainObject(tree)) return 'it is not a JSON object';
  return findCounts(tree) ?? parseGoEvents(text) ?? 'it has no counts of passed and failed tests';
}

/** Names the position only: the parser quotes the text, which may be any file of the checkout. */
function formatJsonProblem(problem: string): string {
  const position = /\bat position \d+|\bline \d+ column \d+|end of (?:JSON|data)/i.exec(problem)?.[0];
  return position ? `it is not JSON (${position})` : 'it is not JSON';
}

function findCounts(tree: Tree): TestCounts | undefined {
  const jest = toCounts(tree.numPassedTests, tree.numFailedTests, tree.numPendingTests);
  // A suite that cannot be loaded fails without counting a test.
  if (jest) return tree.success === false && jest.failed === 0 ? { ...jest, failed: toCount(tree.numFailedTestSuites) || 1 } : jest;
  const stats = toTree(tree.stats);
  const playwright = toCounts(stats.expected, stats.unexpected, stats.skipped);
  if (playwright) return { ...playwright, passed: playwright.passed + toCount(stats.flaky) };
  const pytest = toTree(tree.summary);
  const ctrf = toTree(toTree(tree.results).summary);
  return (
    toCounts(stats.passes, stats.failures, stats.pending) ??
    toCounts(ctrf.passed, ctrf.failed, ctrf.skipped) ??
    // pytest omits counts that are zero. An error is a test that could not run.
    (typeof pytest.total === 'number'
      ? toCounts(toCount(pytest.passed), toCount(pytest.failed) + toCount(pytest.error), pytest.skipped)
      : undefined) ??
    toCounts(tree.passed, tree.failed, tree.skipped)
  );
}

/** Counts the events of `go test -json`, one per line. */
function parseGoEvents(text: string): TestCounts | undefined {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  let hasEvents = false;
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const event = parseJson(line);
    if (!isPlainObject(event) || typeof event.Action !== 'string') return undefined;
    hasEvents = true;
    if (event.Action === 'fail') counts.failed++;
    else if (event.Test !== undefined && event.Action === 'pass') counts.passed++;
    else if (event.Test !== undefined && event.Action === 'skip') counts.skipped++;
  }
  return hasEvents ? counts : undefined;
}

function toCounts(passed: unknown, failed: unknown, skipped: unknown): TestCounts | undefined {
  if (!isCount(passed) || !isCount(failed)) return undefined;
  return { passed, failed, skipped: isCount(skipped) ? skipped : 0 };
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const toCount = (value: unknown): number => (isCount(value) ? value : 0);
