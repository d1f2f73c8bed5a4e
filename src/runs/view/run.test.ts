import { expect, test } from 'vitest';
import { renderErrorWith, renderWith } from '../../../test/render.ts';
import { checkView, runView } from '../view.ts';

const render = renderWith(runView);
const renderCheck = renderWith(checkView);

const one = { phase: 'design', skill: 'shape', status: 'success', exitCode: 0, class: 'success', attempts: 1, durationMs: 1234 };
const held = ['skipped', 'passed', 'passed', 'passed', 'skipped'];

const renderError = (details: object, message = 'it did not succeed'): Promise<string> =>
  renderErrorWith(runView)({ code: 'E_SKILL_BLOCKED', exitCode: 80, message, fix: 'cleo handoff check a b', details }, 60);

test('draws a run with its skills, handoffs, warnings and trace', async () => {
  const run = {
    id: 'run-1',
    status: 'success',
    exitCode: 0,
    executions: [
      { ...one, phase: 'discovery', skill: 'look', attempts: 3, gates: held, artifacts: ['prd.md', 'notes.md'] },
      { ...one, gates: [...held.slice(0, 4), 'pending'], warnings: [{ code: 'undeclared_write', message: 'x\u001b[2J was created' }] },
      { ...one, skill: 'draw', skipped: true, gates: held },
    ],
    handoffs: [{ from: 'discovery', to: 'design', accepted: true, completeness: 0.999 }],
    trace: '.cleo/traces/x.jsonl',
    task: { id: 'T002', note: 'n', evidence: 'run:run-1', verify: 'cleo verify T002', stage: { epicId: 'T001', stage: 'research' } },
  };
  expect((await render({ run })).split('\n')).toEqual([
    '✓ run-1  success',
    '  ✓ discovery  look   3 attempts, 1.2 s, prd.md, notes.md',
    '  ✓ discovery → design  accepted, complete to 99 %',
    '  ✓ design     shape  1 attempt, 1.2 s',
    '      ? goal gate: waiting for a review',
    '      ! x␛[2J was created',
    '  · design     draw   not run',
    '  noted at T002; research of T001 is completed',
    '  as evidence: cleo verify T002',
    '  trace  .cleo/traces/x.jsonl',
    '',
  ]);
});

test('draws a failed run with its remediation', async () => {
  const executions = [
    { ...one, phase: 'discovery', skill: 'look', gates: held },
    {
      ...one,
      status: 'blocked',
      exitCode: 80,
      class: 'blocked',
      attempts: 0,
      gates: ['skipped', 'failed', 'not_reached', 'not_reached', 'not_reached'],
    },
  ];
  const run = {
    id: 'run-1',
    status: 'blocked',
    exitCode: 80,
    executions,
    handoffs: [{ from: 'discovery', to: 'design', accepted: false, completeness: 0 }],
  };
  expect(
    (await renderError({ run, remediation: 'prd.md: goals needs 30 more words; users needs a heading\nwrite sdd.md' })).split('\n'),
  ).toEqual([
    'E_SKILL_BLOCKED (exit 80)',
    '  it did not succeed',
    '',
    '  ✗ run-1  blocked (exit 80)',
    '    ✓ discovery  look   1 attempt, 1.2 s',
    '    ✗ discovery → design  refused, complete to 0 %',
    '    ✗ design     shape  not started, exit 80 (blocked)',
    '        ✗ precondition gate: failed',
    '',
    '  first',
    '    prd.md',
    '      - goals needs 30 more words',
    '      - users needs a heading',
    '    write sdd.md',
    '',
    'fix  cleo handoff check a b',
    '',
  ]);
});

test('draws a dry run', async () => {
  const executions = [{ ...one, status: 'not_ready', gates: [], warnings: [{ code: 'c', message: 'a.md is not there' }] }];
  const run = { id: 'dry-run', status: 'not_ready', exitCode: 0, executions };
  expect(await render({ run })).toBe('✗ dry-run  not ready\n  ✗ design  shape  not ready\n      ! a.md is not there\n');
});

test('draws the findings of a manifest with their positions', async () => {
  const warning = { severity: 'warning', where: 'asessment', line: 3, column: 2, problem: 'is not known', fix: 'did you mean assessment?' };
  expect(await renderCheck({ validation: { file: 'construct.yaml', kind: 'construct', valid: true, findings: [warning] } })).toBe(
    '✓ construct.yaml  can be run\n  ! 3:2 asessment  is not known (did you mean assessment?)\n',
  );
  expect(await renderCheck({ validation: { file: 'construct.yaml', kind: 'pack', valid: true, findings: [] } })).toContain('a pack');
  const error = { severity: 'error', where: '', problem: 'is empty' };
  expect(await renderError({ findings: [error] }, 'construct.yaml: is empty')).not.toContain('✗');
  const all = (await renderError({ findings: [error, warning] }, 'construct.yaml: is empty')).split('\n');
  expect(all.slice(2, 4)).toEqual(['  ✗ is empty', '  ! 3:2 asessment  is not known (did you mean assessment?)']);
  expect(await renderError({ findings: Array.from({ length: 25 }, () => error) }, 'x')).toContain('and 5 more');
});

test('draws the phases of a manifest', async () => {
  const construct = {
    ...{ file: 'construct.yaml', kind: 'construct', name: 'demo', version: '1.0.0', type: 'sequential', skills: ['look'] },
    phases: [
      {
        name: 'discovery',
        skills: [
          { name: 'look', found: 'skills/look', runs: 'skills/look/run.sh', timeoutMs: 5000, maxRetries: 1 },
          { name: 'gone', lack: 'there is no skill gone' },
          { name: 'text', found: 'skills/text', lack: 'skills/text has nothing to run' },
        ],
        inputs: [{ path: 'context/*.md', required: false }],
        outputs: [{ path: 'prd.md', schema: 'prd-v1', required: true, min_completeness: 0.7, required_sections: ['goals'] }],
        checks: ['git_clean'],
        timeoutMs: 300_000,
        maxRetries: 2,
        deadlineMs: 900_000,
      },
      { name: 'design', skills: [], inputs: [], outputs: [], checks: [], timeoutMs: 0, maxRetries: 1 },
    ],
    handoffs: [{ from: 'discovery', to: 'design', required: ['prd.md'], onFailure: 'warn' }],
  };
  expect((await render({ construct })).split('\n')).toEqual([
    'demo 1.0.0',
    '  construct.yaml · sequential',
    '',
    '▸ discovery  300 s, 2 retries, 900 s for all attempts',
    '  skill     look: skills/look/run.sh (5 s, 1 retry)',
    '  skill     gone: there is no skill gone',
    '  skill     text: skills/text has nothing to run',
    '  needs     context/*.md (optional)',
    '  makes     prd.md (prd-v1; complete to 70 %; with goals)',
    '  checks    git_clean',
    '  handoff   prd.md to design; otherwise a warning',
    '',
    '▸ design  no timeout, 1 retry',
    '  skill     none: only its gates',
    '',
  ]);
  expect(await render({ construct: { ...construct, kind: 'pack', phases: [], handoffs: [] } })).toContain('skills    look');
});

test('draws an accepted and a rejected handoff', async () => {
  const handoff = { from: 'a', to: 'b', accepted: true, completeness: 0.5, provided: [{ path: 'p.md', size: 9, completeness: 0.5 }] };
  const lists = { missing: [], extra: ['q.md'], warnings: ['p.md is 0.5 complete'] };
  expect((await renderCheck({ handoff: { ...handoff, ...lists } })).split('\n')).toEqual([
    '✓ a → b  accepted, complete to 50 %',
    '  present   p.md, complete to 50 %',
    '  extra     q.md',
    '  warning   p.md is 0.5 complete',
    '',
  ]);
  expect(await renderError({ handoff: { ...handoff, accepted: false, missing: ['r.md'], extra: [], warnings: [] } })).toContain(
    '  missing   r.md',
  );
});

test('draws the completeness of a document and its missing parts', async () => {
  const sections = [
    { id: 'goals', score: 1, required: true, heading: 'Goals', line: 3, words: 30, placeholderWords: 0, lacks: [] },
    { id: 'users', score: 0.25, required: true, heading: 'Users', line: 9, words: 5, placeholderWords: 0, lacks: ['15 more words'] },
    { id: 'extras', score: 0, required: false, heading: null, line: null, words: 0, placeholderWords: 0, lacks: ['a heading'] },
  ];
  expect((await render({ document: { file: 'prd.md', schema: 'prd-v1', completeness: 0.625, min: 0.5, sections } })).split('\n')).toEqual([
    'prd.md  prd-v1',
    '  ██████░░░░ complete to 62 %; 50 % is asked for',
    '',
    '  ✓ goals   100 %  line 3',
    '  ✗ users    25 %  needs 15 more words',
    '  · extras    0 %  needs a heading',
    '',
  ]);
  const missing = [{ id: 'users', lacks: ['15 more words', '1 placeholder replaced'] }];
  expect(await renderError({ document: {}, missing })).toContain('  ✗ users  needs 15 more words, 1 placeholder replaced\n');
});

test('lists the findings of several broken traces, but not a single one from the message', async () => {
  const broken = (run: string, line: number) => ({
    code: run,
    trace: `${run}.jsonl`,
    line,
    message: `line ${line} holds more than one event`,
  });
  const message = 'run-1.jsonl: line 5 holds more than one event';
  expect(await renderError({ findings: [broken('run-1', 5)] }, message)).not.toContain('✗');
  expect(await renderError({ findings: [broken('run-1', 5), broken('run-2', 7)] }, message)).toContain(
    '  ✗ run-2.jsonl  line 7 holds more than one event\n',
  );
});

test('draws the warnings of an accepted handoff', async () => {
  const handoffs = [{ from: 'a', to: 'b', accepted: true, completeness: 0, warnings: ['p.md is 0 complete; 0.8 is asked for'] }];
  const run = { id: 'run-1', status: 'success', exitCode: 0, executions: [{ ...one, phase: 'b', gates: held }], handoffs };
  expect(await render({ run })).toContain('  ! a → b  accepted, complete to 0 %\n      ! p.md is 0 complete; 0.8 is asked for\n');
});

test.each([40, 60, 120])('fits %i columns', async (columns) => {
  const long = 'x'.repeat(200);
  const run = {
    ...{ id: 'run-1', status: 'success', exitCode: 0, trace: long, handoffs: [{ from: long, to: 'design', accepted: true }] },
    executions: [{ ...one, artifacts: [long], gates: held, warnings: [{ code: 'c', message: long }] }],
  };
  const failed = { ...run, id: 'run-mwi9mql06aaaf4', status: 'not_ready', exitCode: 126 };
  for (const each of [run, failed])
    for (const line of (await render({ run: each }, {}, columns)).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
});
