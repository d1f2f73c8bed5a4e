import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../../test/app.ts';

const world = ['T001 epic', 'T002 in T001: Look at parsers'];
const message = 'Research complete. See MANIFEST.jsonl for summary.';
const file = '.cleo/research/T002/parsers.md';
const text = (more = '## Sources\n- a.md\n\n## Open questions\nNone.\n'): string =>
  `# Parsers\n\n**Task**: T002\n**Epic**: T001\n**Date**: 2026-01-01\n**Status**: complete\n\n---\n\n## Summary\nShort.\n\n## Content\nLong.\n\n${more}`;
const entry = {
  id: 'T002-parsers',
  file,
  title: 'Parsers',
  date: '2026-01-01',
  status: 'complete',
  topics: ['parsers'],
  keyFindings: ['There are two'],
  linkedTasks: ['T002'],
};

function put({ root }: TestApp, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Records a spawn for `sub`, with or without the protocol in the prompt. */
const recordSpawn = ({ store }: TestApp, hasProtocol = true, agent = 'sub') =>
  store.write({ at: '2026-01-01T00:00:00.000Z', by: 'lead' }, ({ spawns }) =>
    spawns.insert({
      taskId: 'T002',
      agent,
      role: 'worker',
      skill: 'ct-research-agent',
      protocol: 'research',
      tier: 1,
      promptHash: 'x',
      hasProtocol,
      spawnedBy: 'lead',
      at: '2026-01-01T00:00:00.000Z',
    }),
  );

/** Does all the steps of a subagent, except those in `skip`. */
async function doTask(skip: string[] = [], options: { text?: string; entry?: object } = {}): Promise<TestApp> {
  const app = await openApp({ tasks: world });
  const { call } = app.as('sub');
  if (!skip.includes('spawn')) await recordSpawn(app);
  if (!skip.includes('focus')) await call('tasks.start', { taskId: 'T002' });
  if (!skip.includes('file')) put(app, file, options.text ?? text());
  if (!skip.includes('entry')) expect(await call('research.add', { ...entry, ...options.entry })).toMatchObject({ success: true });
  if (!skip.includes('complete')) expect(await call('tasks.complete', { taskId: 'T002' })).toMatchObject({ success: true });
  return app;
}

const toResults = (findings: Json[]): Record<string, string> => Object.fromEntries(findings.map(({ rule, result }) => [rule, result]));

test('passes every rule for work that follows its protocol', async () => {
  const app = await doTask();
  const answer = await app.call('validate.protocol', { taskId: 'T2', message });
  expect(answer).toMatchObject({ success: true, taskId: 'T002', protocol: 'research', agentId: 'sub', entryId: 'T002-parsers' });
  expect(toResults(answer.findings)).toEqual({
    'SPAWN-001': 'pass',
    'BASE-001': 'pass',
    'BASE-002': 'pass',
    'BASE-003': 'pass',
    'BASE-004': 'pass',
    'BASE-005': 'pass',
    'BASE-006': 'pass',
    'BASE-007': 'pass',
    'RSCH-001': 'pass',
    'RSCH-002': 'pass',
    'RSCH-003': 'pass',
    'RSCH-004': 'pass',
  });
});

test('accepts an entry written by hand and an archived one', async () => {
  const app = await doTask(['entry']);
  const { keyFindings, linkedTasks, ...same } = entry;
  const line = {
    ...same,
    agent_type: 'research',
    key_findings: keyFindings,
    actionable: true,
    needs_followup: [],
    linked_tasks: linkedTasks,
  };
  appendFileSync(join(app.root, '.cleo', 'research', 'MANIFEST.jsonl'), JSON.stringify(line));
  expect(await app.call('validate.protocol', { taskId: 'T002', message })).toMatchObject({ success: true });
  await app.call('research.archive');
  expect(await app.call('validate.protocol', { taskId: 'T002', message })).toMatchObject({ success: true, entryId: 'T002-parsers' });
});

describe('reports a broken rule:', () => {
  const table: [string, () => Promise<TestApp>, string | undefined, number, string[]][] = [
    ['never spawned', () => doTask(['spawn']), message, 60, ['SPAWN-001']],
    [
      'spawned without the protocol',
      async () => {
        const app = await doTask();
        await recordSpawn(app, false);
        return app;
      },
      message,
      60,
      ['SPAWN-001'],
    ],
    ['no entry', () => doTask(['entry']), message, 62, ['BASE-001']],
    [
      'only a linked entry of another task',
      async () => {
        const app = await doTask(['entry']);
        await app.call('research.add', { ...entry, id: 'T001-other' });
        return app;
      },
      message,
      62,
      ['BASE-001'],
    ],
    ['a message with content', () => doTask(), 'There are two parsers, and the second is fast.', 61, ['BASE-002']],
    ['a message with another status', () => doTask(), 'Research partial. See MANIFEST.jsonl for details.', 61, ['BASE-002']],
    ['not completed', () => doTask(['complete']), message, 6, ['BASE-003']],
    [
      'completed by the orchestrator',
      async () => {
        const app = await doTask(['complete']);
        await app.as('sub').call('tasks.stop');
        await app.as('lead').call('tasks.complete', { taskId: 'T002' });
        return app;
      },
      message,
      6,
      ['BASE-003'],
    ],
    ['no file', () => doTask(['file']), message, 6, ['BASE-004']],
    ['an empty file', () => doTask([], { text: '\n' }), message, 6, ['BASE-004']],
    ['not focused', () => doTask(['focus']), message, 6, ['BASE-005']],
    [
      'a file with another status',
      () => doTask([], { text: text().replace('**Status**: complete', '**Status**: partial') }),
      message,
      6,
      ['BASE-006'],
    ],
    [
      'several failures: the worst decides, all are listed',
      () => doTask(['spawn', 'entry', 'focus', 'complete']),
      'Hello',
      60,
      ['SPAWN-001', 'BASE-001', 'BASE-002', 'BASE-003', 'BASE-005'],
    ],
  ];
  test.each(table)('%s', async (_, arrange, said, exit, rules) => {
    const app = await arrange();
    const { error } = await app.call('validate.protocol', { taskId: 'T002', ...(said ? { message: said } : {}) });
    expect(error.exitCode).toBe(exit);
    expect(error.details.findings.filter((finding: Json) => finding.result === 'fail').map((finding: Json) => finding.rule)).toEqual(rules);
  });

  test.each([
    ['no sources', () => doTask([], { text: text('') }), ['RSCH-001']],
    ['no findings', () => doTask([], { entry: { keyFindings: [], topics: [] } }), ['RSCH-002', 'RSCH-003']],
  ] as [string, () => Promise<TestApp>, string[]][])(
    '%s: warns, because the template of the base protocol is enough',
    async (_, arrange, rules) => {
      const { findings } = await (await arrange()).call('validate.protocol', { taskId: 'T002', message });
      const warned = findings.filter((finding: Json) => finding.result === 'warn').map((finding: Json) => finding.rule);
      expect(warned).toEqual(expect.arrayContaining(rules));
    },
  );

  test('an unknown task exits with 4', async () => {
    expect(await (await openApp({ tasks: world })).call('validate.protocol', { taskId: 'T404' })).toMatchObject({
      error: { exitCode: 4 },
    });
  });
});

describe('the fix', () => {
  test('for 60 reopens the task, then spawns it', async () => {
    const app = await doTask(['spawn']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002' });
    expect(error).toMatchObject({
      code: 'E_PROTOCOL_MISSING',
      fix: 'cleo reopen T002',
      alternatives: [{ command: 'cleo orchestrate spawn T002' }],
    });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect((await app.call('validate.protocol', { taskId: 'T002' })).error.fix).toBe('cleo orchestrate spawn T002');
  });

  test('for 61 repeats the call with a valid message', async () => {
    const app = await doTask();
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message: 'Done!' });
    expect(error).toMatchObject({ code: 'E_INVALID_RETURN_MESSAGE', fix: `cleo validate protocol T002 --message '${message}'` });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  });

  test('for 62 adds an entry for the existing file', async () => {
    const app = await doTask(['entry']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
    expect(error).toMatchObject({
      code: 'E_MANIFEST_ENTRY_MISSING',
      fix: `cleo research add --file ${file} --title 'Look at parsers' --status complete --agent-type research --linked-tasks T002`,
    });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect((await app.call('validate.protocol', { taskId: 'T002', message })).error?.exitCode).not.toBe(62);
  });

  test('for 6 completes the task', async () => {
    const app = await doTask(['complete']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
    expect(error).toMatchObject({ code: 'E_VALIDATION_PROTOCOL', fix: 'cleo complete T002 --agent sub' });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('validate.protocol', { taskId: 'T002', message })).toMatchObject({ success: true });
  });
});

test('does not read a file outside the project', async () => {
  const app = await doTask(['file', 'entry']);
  symlinkSync('/etc', join(app.root, 'out'));
  const line = { ...entry, file: 'out/passwd', key_findings: ['x'], linked_tasks: ['T002'] };
  put(app, '.cleo/research/MANIFEST.jsonl', `${JSON.stringify(line)}\n`);
  const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
  expect(error.message).toContain('out/passwd is missing');
});
