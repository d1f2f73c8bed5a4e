import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp, type Seen, type TestApp } from '../../../../test/app.ts';

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

/** Handed out to `sub`, with or without the protocol in the prompt. */
const spawn = ({ store }: TestApp, hasProtocol = true, agent = 'sub') =>
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

/** What a subagent does that keeps to everything; `without` leaves a step out. */
async function done(without: string[] = [], how: { text?: string; entry?: object } = {}): Promise<TestApp> {
  const app = await openApp({ tasks: world });
  const { call } = app.as('sub');
  if (!without.includes('spawn')) await spawn(app);
  if (!without.includes('focus')) await call('tasks.start', { taskId: 'T002' });
  if (!without.includes('file')) put(app, file, how.text ?? text());
  if (!without.includes('entry')) expect(await call('research.add', { ...entry, ...how.entry })).toMatchObject({ success: true });
  if (!without.includes('complete')) expect(await call('tasks.complete', { taskId: 'T002' })).toMatchObject({ success: true });
  return app;
}

const resultsOf = (findings: Seen[]): Record<string, string> => Object.fromEntries(findings.map(({ rule, result }) => [rule, result]));

test('work that keeps to its protocol passes each rule', async () => {
  const app = await done();
  const answer = await app.call('validate.protocol', { taskId: 'T2', message });
  expect(answer).toMatchObject({ success: true, taskId: 'T002', protocol: 'research', agentId: 'sub', entryId: 'T002-parsers' });
  expect(resultsOf(answer.findings)).toEqual({
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

test('a line that an agent appends by hand does as well, and one that was put away', async () => {
  const app = await done(['entry']);
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

describe('what is not kept', () => {
  const table: [string, () => Promise<TestApp>, string | undefined, number, string[]][] = [
    ['never handed out', () => done(['spawn']), message, 60, ['SPAWN-001']],
    [
      'handed out without the protocol',
      async () => {
        const app = await done();
        await spawn(app, false);
        return app;
      },
      message,
      60,
      ['SPAWN-001'],
    ],
    ['no entry', () => done(['entry']), message, 62, ['BASE-001']],
    [
      'only that of another task, linked to it',
      async () => {
        const app = await done(['entry']);
        await app.call('research.add', { ...entry, id: 'T001-other' });
        return app;
      },
      message,
      62,
      ['BASE-001'],
    ],
    ['a message with content', () => done(), 'There are two parsers, and the second is fast.', 61, ['BASE-002']],
    ['a message that says otherwise', () => done(), 'Research partial. See MANIFEST.jsonl for details.', 61, ['BASE-002']],
    ['not completed', () => done(['complete']), message, 6, ['BASE-003']],
    [
      'completed by the one who handed it out',
      async () => {
        const app = await done(['complete']);
        await app.as('sub').call('tasks.stop');
        await app.as('lead').call('tasks.complete', { taskId: 'T002' });
        return app;
      },
      message,
      6,
      ['BASE-003'],
    ],
    ['no file', () => done(['file']), message, 6, ['BASE-004']],
    ['an empty file', () => done([], { text: '\n' }), message, 6, ['BASE-004', 'RSCH-001']],
    ['not focused', () => done(['focus']), message, 6, ['BASE-005']],
    [
      'a file that says another state',
      () => done([], { text: text().replace('**Status**: complete', '**Status**: partial') }),
      message,
      6,
      ['BASE-006'],
    ],
    ['no sources', () => done([], { text: text('') }), message, 6, ['RSCH-001']],
    ['no findings', () => done([], { entry: { keyFindings: [], topics: [] } }), message, 6, ['RSCH-002', 'RSCH-003']],
    [
      'several things: the gravest decides, all are told',
      () => done(['spawn', 'entry', 'focus', 'complete']),
      'Hello',
      60,
      ['SPAWN-001', 'BASE-001', 'BASE-002', 'BASE-003', 'BASE-005'],
    ],
  ];
  test.each(table)('%s', async (_, arrange, said, exit, rules) => {
    const app = await arrange();
    const { error } = await app.call('validate.protocol', { taskId: 'T002', ...(said ? { message: said } : {}) });
    expect(error.exitCode).toBe(exit);
    expect(error.details.findings.filter((finding: Seen) => finding.result === 'fail').map((finding: Seen) => finding.rule)).toEqual(rules);
  });

  test('a task that is not there is 4', async () => {
    expect(await (await openApp({ tasks: world })).call('validate.protocol', { taskId: 'T404' })).toMatchObject({
      error: { exitCode: 4 },
    });
  });
});

describe('the way out', () => {
  test('of 60: it is taken up again, to be handed out', async () => {
    const app = await done(['spawn']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002' });
    expect(error).toMatchObject({
      code: 'E_PROTOCOL_MISSING',
      fix: 'cleo reopen T002',
      alternatives: [{ command: 'cleo orchestrate spawn T002' }],
    });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect((await app.call('validate.protocol', { taskId: 'T002' })).error.fix).toBe('cleo orchestrate spawn T002');
  });

  test('of 61: the same with a message of the right form', async () => {
    const app = await done();
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message: 'Done!' });
    expect(error).toMatchObject({ code: 'E_INVALID_RETURN_MESSAGE', fix: `cleo validate protocol T002 --message '${message}'` });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  });

  test('of 62: the line for the file that is there', async () => {
    const app = await done(['entry']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
    expect(error).toMatchObject({
      code: 'E_MANIFEST_ENTRY_MISSING',
      fix: `cleo research add --file ${file} --title 'Look at parsers' --status complete --agent-type research --linked-tasks T002`,
    });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect((await app.call('validate.protocol', { taskId: 'T002', message })).error?.exitCode).not.toBe(62);
  });

  test('of 6: what was not done is done', async () => {
    const app = await done(['complete']);
    const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
    expect(error).toMatchObject({ code: 'E_VALIDATION_PROTOCOL', fix: 'cleo complete T002 --agent sub' });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('validate.protocol', { taskId: 'T002', message })).toMatchObject({ success: true });
  });
});

test('a file that leads out of the project is not looked at', async () => {
  const app = await done(['file', 'entry']);
  symlinkSync('/etc', join(app.root, 'out'));
  const line = { ...entry, file: 'out/passwd', key_findings: ['x'], linked_tasks: ['T002'] };
  put(app, '.cleo/research/MANIFEST.jsonl', `${JSON.stringify(line)}\n`);
  const { error } = await app.call('validate.protocol', { taskId: 'T002', message });
  expect(error.message).toContain('out/passwd is not there');
});
