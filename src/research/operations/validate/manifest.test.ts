import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../../test/app.ts';

const world = ['T001 epic', 'T002 in T001', 'T003', 'research T002-parsers: Parsers', 'research T003-plan partial: Plan'];
const text = (task: string, epic: string, status: string): string =>
  `# Title\n\n**Task**: ${task}\n**Epic**: ${epic}\n**Date**: 2026-01-01\n**Status**: ${status}\n\n---\n\n## Summary\nShort.\n\n## Content\nLong.\n`;

async function openWithFiles(parsers = text('T002', 'T001', 'complete'), plan = text('T003', 'none', 'partial')): Promise<TestApp> {
  const opened = await openApp({ tasks: world });
  mkdirSync(join(opened.root, 'docs'));
  writeFileSync(join(opened.root, 'docs', 'T002-parsers.md'), parsers);
  writeFileSync(join(opened.root, 'docs', 'T003-plan.md'), plan);
  return opened;
}

test('accepts files that match their entries, all or one', async () => {
  const { call } = await openWithFiles();
  expect(await call('validate.manifest')).toMatchObject({ success: true, findings: [], checked: 2 });
  expect(await call('validate.manifest', { entryId: 'T002-parsers' })).toMatchObject({ success: true, checked: 1 });
  expect(await call('validate.manifest', { taskId: 'T3' })).toMatchObject({ success: true, checked: 1 });
});

test('reports every problem with its line', async () => {
  const { call, cli } = await openWithFiles('# Title\n\n**Task**: T003\n**Epic**: T009\n**Status**: partial\n', '');
  const { error } = await call('validate.manifest');
  expect(error).toMatchObject({ exitCode: 6, code: 'E_VALIDATION_MANIFEST', fix: 'cleo research show T002-parsers' });
  expect(error.details.findings.map(({ line, part }: { line: number; part: string }) => `${line} ${part}`)).toEqual([
    '1 task',
    '1 date',
    '1 status',
    '1 summary',
    '1 content',
    '2 title',
    '2 task',
    '2 epic',
    '2 date',
    '2 status',
    '2 summary',
    '2 content',
  ]);
  expect((await cli(error.fix)).exitCode).toBe(0);
});

test('compares the epic in the header with the epic of the task', async () => {
  const { call } = await openWithFiles(text('T002', 'T003', 'complete'));
  const { error } = await call('validate.manifest', { entryId: 'T002-parsers' });
  expect(error.details.findings).toEqual([
    { entryId: 'T002-parsers', line: 1, part: 'epic', message: 'docs/T002-parsers.md says **Epic**: T003; T002 is in T001' },
  ]);
});

test('reports a missing file and an invalid line', async () => {
  const { call, cli, root } = await openWithFiles();
  appendFileSync(
    join(root, '.cleo', 'research', 'MANIFEST.jsonl'),
    'junk\n{"id":"T002-gone","file":"gone.md","title":"x","status":"complete"}\n',
  );
  const { error } = await call('validate.manifest');
  expect(error.details.findings.map(({ message }: { message: string }) => message)).toEqual(['line 3 is not JSON', 'gone.md is missing']);
  expect((await cli(error.fix)).exitCode).toBe(0);
});

test('exits with 100 without entries, 4 for an unknown entry, 62 for a task without one', async () => {
  const { call, cli } = await openApp({ tasks: ['T001'] });
  expect(await call('validate.manifest')).toMatchObject({ success: true, findings: [], checked: 0, _meta: { exitCode: 100 } });
  expect(await call('validate.manifest', { entryId: 'T001-x' })).toMatchObject({ error: { exitCode: 4 } });
  expect(await call('validate.manifest', { entryId: 'T404' })).toMatchObject({ error: { exitCode: 4 } });
  const { error } = await call('validate.manifest', { entryId: 'T001' });
  expect(error).toMatchObject({ exitCode: 62 });
  expect((await cli(error.fix)).exitCode).toBe(0);
});
