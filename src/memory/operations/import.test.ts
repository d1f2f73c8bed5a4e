import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const record = (title: string, status: string, decision = title): string =>
  `# ${title}\n\n## Status\n${status}\n\n## Context\nWhy\n\n## Decision\n${decision}\n`;
const records = {
  '0001-structs.md': record('1. Tokens are structs', 'Superseded by [3](0003-classes.md)'),
  '0002-lexer.md': record('2. The lexer is by hand', 'Accepted'),
  '0003-classes.md': record('3. Tokens are classes', 'Accepted', 'Classes\n\nTask: T001'),
  '0004-colour.md': record('4. Everything is blue', 'Rejected'),
  '0005-speed.md': record('5. Make it fast', 'Proposed'),
  'README.md': '# Records\n',
};

function writeFiles(folder: string, files: Record<string, string | Buffer>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const toStates = (memories: { id: string; confirmation_state: string }[]): string[] =>
  memories.map((m) => `${m.id} ${m.confirmation_state}`);

describe('decision records', () => {
  test('are imported with their states by a person, once', async () => {
    const { root, call } = await openApp({ tasks: ['T001'], isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
    writeFiles(join(root, 'docs/adr'), records);
    expect(await call('memory.import', { adr: 'docs/adr', dryRun: true })).toMatchObject({ data: { wouldCreate: 5 } });
    const first = await call('memory.import', { adr: 'docs/adr' });
    expect(toStates(first.memories)).toEqual(['D-001 superseded', 'D-002 accepted', 'D-003 accepted', 'D-004 rejected', 'D-005 proposed']);
    expect(first).toMatchObject({ unchanged: 0, skipped: [{ file: 'docs/adr/README.md', why: 'contains no decision' }] });
    expect(await call('memory.fetch', { id: 'D-003' })).toMatchObject({
      memory: { title: 'Tokens are classes', source_table: 'adr', source_rowid: 'docs/adr/0003-classes.md', tasks: ['T001'] },
    });
    expect(await call('memory.import', { adr: 'docs/adr' })).toMatchObject({
      _meta: { exitCode: 101 },
      memories: [],
      unchanged: 5,
      data: {},
    });
  });

  test('are updated when the files change', async () => {
    const { root, call } = await openApp({ isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
    const folder = join(root, 'docs/adr');
    writeFiles(folder, records);
    await call('memory.import', { adr: 'docs/adr' });
    writeFiles(folder, {
      '0005-speed.md': record('5. Make it fast', 'Accepted'),
      '0002-lexer.md': record('2. The lexer is made', 'Accepted', 'Other'),
    });
    const again = await call('memory.import', { adr: 'docs/adr' });
    expect(toStates(again.memories)).toEqual(['D-006 accepted', 'D-005 accepted']);
    expect(await call('memory.fetch', { id: 'D-002' })).toMatchObject({
      memory: { confirmation_state: 'superseded', supersededBy: 'D-006' },
    });
  });

  test('are only proposed by an agent, and accepted entries stay', async () => {
    const { root, call, as } = await openApp({ tasks: ['T001'], isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
    const agent = as('ada');
    const folder = join(root, '.cleo/adrs');
    writeFiles(folder, records);
    const { memories } = await agent.call('memory.import');
    expect(toStates(memories)).toEqual(['D-001 superseded', 'D-002 proposed', 'D-003 proposed', 'D-004 proposed', 'D-005 proposed']);
    await call('memory.confirm', { id: 'D-002' });
    writeFiles(folder, { '0002-lexer.md': record('2. The lexer is by hand', 'Superseded by 3') });
    expect(await agent.call('memory.import')).toMatchObject({
      _meta: {
        exitCode: 101,
        warnings: [
          '.cleo/adrs/0002-lexer.md says that D-003 supersedes D-002; a person must confirm it: cleo memory supersede D-002 --by D-003',
        ],
      },
    });
    expect(await call('memory.import')).toMatchObject({
      memories: [{ id: 'D-002', supersededBy: 'D-003' }, { id: 'D-003' }, { id: 'D-004' }],
    });
  });
});

test('imports decisions from output of agents', async () => {
  const { root, call } = await openApp({ tasks: ['T002'] });
  writeFiles(join(root, '.cleo/agent-outputs'), {
    'a.md': '**Task**: T002\n**Status**: complete\n\n## Decisions\n- Tokens are structs\n- The lexer is by hand\n',
    'b.jsonl': '{"type":"decision","title":"Speed","content":"Make it fast"}\n{"type":"note"}\n{"decision":"Tokens are structs"}\n',
  });
  expect(await call('memory.import')).toMatchObject({
    memories: [{ title: 'Tokens are structs' }, { title: 'The lexer is by hand' }, { id: 'D-003', title: 'Speed' }],
    unchanged: 1,
  });
  expect(await call('memory.fetch', { id: 'D-001' })).toMatchObject({
    memory: { source_table: 'ledger', source_rowid: '.cleo/agent-outputs/a.md', tasks: ['T002'], confirmation_state: 'proposed' },
  });
});

test('reads only files of the project and skips invalid ones', async () => {
  const { root, call } = await openApp();
  writeFiles(join(root, 'adr'), {
    '1-a.md': record('A', 'Accepted'),
    '2-b.md': Buffer.from([0x23, 0x20, 0xff]),
    '3-c.md': 'x'.repeat(1100000),
  });
  writeFiles(join(root, 'adr'), { '4-d.md': record('d'.repeat(201), 'Accepted') });
  symlinkSync('/etc/hostname', join(root, 'adr', '5-e.md'));
  const { memories, skipped } = await call('memory.import', { adr: 'adr' });
  expect(memories).toHaveLength(1);
  expect(skipped.map(({ file }: { file: string }) => file)).toEqual(['adr/2-b.md', 'adr/3-c.md', 'adr/5-e.md', 'adr/4-d.md']);
  for (const [adr, exitCode] of [
    ['/etc', 3],
    ['../x', 3],
    ['none', 3],
    ['adr/1-a.md', 3],
  ])
    expect(await call('memory.import', { adr })).toMatchObject({ error: { exitCode, fix: 'cleo help memory import' } });
  const token = { name: 'ci', scope: 'mutate' as const };
  expect(await call('memory.import', { adr: 'adr' }, { gateway: 'http', token })).toMatchObject({ error: { exitCode: 64 } });
});

test('drafts a record from an accepted decision as a document', async () => {
  const { call } = await openApp({
    tasks: [
      'T001',
      'memory decision: Tokens are structs',
      'memory decision accepted about T001: Tokens are classes, not D-001',
      'memory learning: X',
    ],
  });
  await call('memory.supersede', { old: 'D-001', by: 'D-002' });
  expect(await call('memory.draft-adr', { id: 'D-002' })).toMatchObject({ doc: { slug: 'adr-d-002', type: 'adr', version: 1 } });
  expect(await call('memory.draft-adr', { id: 'D-002' })).toMatchObject({ _meta: { exitCode: 101 } });
  const fetched = await call('docs.fetch', { slug: 'adr-d-002' });
  expect(JSON.stringify(fetched)).toContain('- Supersedes: D-001');
  expect(fetched.doc).toMatchObject({ tasks: ['T001'] });
  expect(fetched.doc).not.toHaveProperty('stale');
  await call('memory.store', { type: 'decision', content: 'Tokens are numbers' });
  expect(
    await call('memory.supersede', { old: 'D-002', by: 'D-003' }, { gateway: 'http', token: { name: 'x', scope: 'admin' } }),
  ).toMatchObject({
    flagged: [{ kind: 'doc', id: 'adr-d-002' }],
  });
  expect(await call('memory.draft-adr', { id: 'D-003' })).toMatchObject({ error: { exitCode: 6, fix: 'cleo memory confirm D-003' } });
  expect(await call('memory.draft-adr', { id: 'L-001' })).toMatchObject({
    error: { code: 'E_VALIDATION_STATE', fix: 'cleo help memory draft-adr' },
  });
});

test('records that supersede each other do not form a cycle', async () => {
  const { root, call } = await openApp({ isAtTerminal: true, env: { CLEO_AGENT_ID: '' } });
  writeFiles(join(root, 'docs/adr'), {
    '0001-a.md': record('1. A', 'Superseded by [2](0002-b.md)'),
    '0002-b.md': record('2. B', 'Superseded by [1](0001-a.md)'),
  });
  const { memories, _meta } = await call('memory.import', { adr: 'docs/adr' });
  expect(toStates(memories)).toEqual(['D-001 superseded', 'D-002 proposed']);
  expect(_meta.warnings).toEqual([expect.stringContaining('says that D-001 supersedes D-002; a person must confirm it')]);
});

test('the record of a decision is attached to the tasks that still exist', async () => {
  const { call } = await openApp({
    tasks: ['T001', 'T002', 'memory decision accepted about T001: Tokens', 'memory decision accepted about T002: Trees'],
  });
  await call('tasks.delete', { taskId: 'T002' });
  for (const [id, tasks] of [
    ['D-001', ['T001']],
    ['D-002', []],
  ]) {
    const { doc } = await call('memory.draft-adr', { id });
    expect((await call('docs.fetch', { slug: doc.slug })).doc.tasks).toEqual(tasks);
  }
});
