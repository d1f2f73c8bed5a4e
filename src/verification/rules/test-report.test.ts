import { expect, test } from 'vitest';
import { readTestReport } from './test-report.ts';

const go = (...events: object[]): string => events.map((event) => JSON.stringify(event)).join('\n');

test.each<[string, string, string]>([
  ['Jest and Vitest', '{"numTotalTests":5,"numPassedTests":3,"numFailedTests":1,"numPendingTests":1,"success":false}', '3 1 1'],
  ['Jest with a suite that cannot be loaded', '{"numPassedTests":3,"numFailedTests":0,"numFailedTestSuites":1,"success":false}', '3 1 0'],
  ['Mocha', '{"stats":{"tests":4,"passes":3,"failures":1,"pending":0}}', '3 1 0'],
  ['Playwright', '{"stats":{"expected":3,"unexpected":0,"flaky":1,"skipped":2}}', '4 0 2'],
  ['pytest', '{"summary":{"passed":3,"total":3}}', '3 0 0'],
  ['pytest with errors', '{"summary":{"passed":3,"failed":1,"error":1,"skipped":2,"total":7}}', '3 2 2'],
  ['CTRF', '{"results":{"summary":{"tests":3,"passed":3,"failed":0,"skipped":0}}}', '3 0 0'],
  ['Go', go({ Action: 'run', Test: 'A' }, { Action: 'pass', Test: 'A' }, { Action: 'skip', Test: 'B' }, { Action: 'pass' }), '1 0 1'],
  ['Go that does not build', go({ Action: 'fail', Package: 'x' }), '0 1 0'],
  ['plain counts', '{"passed":2,"failed":0}', '2 0 0'],
  ['plain counts after a byte order mark', '\uFEFF{"passed":2,"failed":0}', '2 0 0'],
])('reads %s', (_, text, expected) => {
  const counts = readTestReport(text);
  expect(typeof counts === 'string' ? counts : `${counts.passed} ${counts.failed} ${counts.skipped}`).toBe(expected);
});

test.each([
  '',
  'all good',
  '[]',
  'null',
  '7',
  '{}',
  '{"passed":"3","failed":0}',
  '{"passed":-1,"failed":0}',
  '{"passed":1.5,"failed":0}',
  '{"Action":1}\n{',
])('returns a message for %j', (text) => {
  expect(readTestReport(text)).toBeTypeOf('string');
});

test('a problem does not quote the file', () => {
  for (const text of ['API_KEY_OF_BANK=4711', '{"token": hunter2}', '{"a": 1', 'x'.repeat(500)]) {
    const problem = readTestReport(text);
    expect(problem).toMatch(/^it is not JSON/);
    expect(problem).not.toMatch(/API_KEY|4711|hunter2|xxx/);
  }
});
