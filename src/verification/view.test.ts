import { expect, test } from 'vitest';
import { renderWith } from '../../test/render.ts';
import { verificationView } from './view.ts';

const render = renderWith(verificationView);

const at = '2026-01-01T00:00:00.000Z';
const files = { kind: 'files', files: [{ path: 'src/a.ts', sha256: 'x' }] };

test('draws each gate with its evidence', async () => {
  const verification = {
    taskId: 'T001',
    round: 2,
    failedRounds: 1,
    maxRounds: 5,
    gates: [
      {
        gate: 'implemented',
        isHeld: true,
        by: 'ada',
        at,
        evidence: [files, { kind: 'commit', commit: '0123456789abcdef' }],
        stale: ['src/a.ts'],
      },
      {
        gate: 'testsPassed',
        isHeld: true,
        by: 'ada',
        at,
        evidence: [{ kind: 'test-run', passed: 12, skipped: 1, path: 'r.json', sha256: 'x' }],
      },
      { gate: 'qaPassed' },
    ],
    next: 'qaPassed',
    failures: [
      {
        gate: 'testsPassed',
        round: 1,
        by: 'ada',
        at,
        evidence: [{ kind: 'failed', text: 'tool:test', problem: 'tool test ended with 1' }],
      },
    ],
    claimed: [{ gate: 'qaPassed', by: 'ada', at, text: 'looks good', problem: 'x' }],
    accepts: ['commit:<sha>'],
  };
  expect(await render({ verification }, { timestamp: '2026-01-01T02:00:00.000Z' })).toBe(
    [
      'T001  round 2, 1 of 5 failed',
      '! implemented',
      '    ada · 2h ago · files src/a.ts · commit 0123456789ab',
      '    changed since: src/a.ts',
      '☑ testsPassed',
      '    ada · 2h ago · 12 tests passed, 1 skipped (r.json)',
      '☐ qaPassed',
      '✗ testsPassed · round 1 · ada · tool test ended with 1',
      '? qaPassed · ada · claimed: looks good',
      '',
      'next     qaPassed',
      'accepts  commit:<sha>',
      '',
    ].join('\n'),
  );
});

test('draws the gate that was just passed', async () => {
  const verification = {
    taskId: 'T001',
    gate: 'implemented',
    round: 1,
    by: 'ada',
    evidence: [{ kind: 'tool', name: 'test' }],
    next: 'testsPassed',
  };
  expect(await render({ verification })).toBe(
    ['☑ implemented', '    ada · tool test', 'task   T001', 'round  1', 'next   testsPassed', ''].join('\n'),
  );
});
