export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

type Tree = Record<string, unknown>;

/** What a test runner wrote down, in the forms of Jest and Vitest, Mocha, Playwright, pytest-json-report, CTRF and Go, or plainly
 *  `{passed, failed, skipped}`. A text says why it tells nothing. */
export function readTestReport(text: string): TestCounts | string {
  let tree: unknown;
  try {
    tree = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return linesOfGo(text) ?? `it is not JSON (${String((error as Error).message).slice(0, 100)})`;
  }
  if (!isTree(tree)) return 'it is no report of tests';
  return countsIn(tree) ?? linesOfGo(text) ?? 'it has no counts of passed and failed tests';
}

function countsIn(tree: Tree): TestCounts | undefined {
  const jest = counts(tree.numPassedTests, tree.numFailedTests, tree.numPendingTests);
  // Suites that could not even be loaded fail without a single test.
  if (jest) return tree.success === false && jest.failed === 0 ? { ...jest, failed: number(tree.numFailedTestSuites) || 1 } : jest;
  const stats = isTree(tree.stats) ? tree.stats : {};
  const playwright = counts(stats.expected, stats.unexpected, stats.skipped);
  if (playwright) return { ...playwright, passed: playwright.passed + number(stats.flaky) };
  const results = isTree(tree.results) ? tree.results : {};
  const pytest = isTree(tree.summary) ? tree.summary : {};
  const ctrf = isTree(results.summary) ? results.summary : {};
  return (
    counts(stats.passes, stats.failures, stats.pending) ??
    counts(ctrf.passed, ctrf.failed, ctrf.skipped) ??
    // It leaves out what there was none of; an error is a test that could not be run.
    (typeof pytest.total === 'number'
      ? counts(number(pytest.passed), number(pytest.failed) + number(pytest.error), pytest.skipped)
      : undefined) ??
    counts(tree.passed, tree.failed, tree.skipped)
  );
}

/** `go test -json`: a line for each event. */
function linesOfGo(text: string): TestCounts | undefined {
  const found = { passed: 0, failed: 0, skipped: 0 };
  let isOne = false;
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    let event: unknown;
    try {
      event = JSON.parse(line);
    } catch {
      return undefined;
    }
    if (!isTree(event) || typeof event.Action !== 'string') return undefined;
    isOne = true;
    if (event.Action === 'fail') found.failed++;
    else if (event.Test !== undefined && event.Action === 'pass') found.passed++;
    else if (event.Test !== undefined && event.Action === 'skip') found.skipped++;
  }
  return isOne ? found : undefined;
}

function counts(passed: unknown, failed: unknown, skipped: unknown): TestCounts | undefined {
  if (!isCount(passed) || !isCount(failed)) return undefined;
  return { passed, failed, skipped: isCount(skipped) ? skipped : 0 };
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const number = (value: unknown): number => (isCount(value) ? value : 0);
