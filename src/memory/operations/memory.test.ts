import { describe, expect, test } from 'vitest';
import { openApp } from '../../../test/app.ts';

const admin = { gateway: 'http' as const, token: { name: 'boss', scope: 'admin' as const } };

describe('store and observe', () => {
  test('stores a proposed entry with the next id of its type', async () => {
    const { call } = await openApp({ tasks: ['T001 epic', 'T002 in T001', 'session session-1 epic:T001 by tester'] });
    expect(await call('memory.observe', { content: ' The lexer is slow\non long lines ', task: 't2' })).toMatchObject({
      memory: { id: 'O-001', type: 'observation', title: 'The lexer is slow', confirmation_state: 'proposed' },
      data: { created: ['O-001'] },
    });
    const given = { type: 'decision', content: 'Tokens are structs', title: 'Tokens', task: 'T002', epic: 'T001', tags: ['b', 'a', 'b'] };
    expect(await call('memory.store', given)).toMatchObject({ memory: { id: 'D-001' } });
    expect((await call('memory.fetch', { id: 'd1' })).memory).toEqual({
      id: 'D-001',
      type: 'decision',
      title: 'Tokens',
      confirmation_state: 'proposed',
      content: 'Tokens are structs',
      tags: ['a', 'b'],
      tasks: ['T001', 'T002'],
      source_table: 'session',
      source_rowid: 'session-1',
      sessionId: 'session-1',
      createdAt: expect.any(String),
      createdBy: 'tester',
    });
    expect(await call('memory.store', { type: 'decision', content: 'Another' })).toMatchObject({ memory: { id: 'D-002' } });
  });

  test('returns an existing entry with the same type and content', async () => {
    const { call } = await openApp({ tasks: ['memory decision accepted: Tokens are structs'] });
    expect(await call('memory.store', { type: 'decision', content: 'Tokens are structs ', title: 'Other' })).toMatchObject({
      _meta: { exitCode: 101 },
      memory: { id: 'D-001', title: 'Tokens are structs', confirmation_state: 'accepted' },
    });
    expect(await call('memory.store', { type: 'pattern', content: 'Tokens are structs' })).toMatchObject({ memory: { id: 'P-001' } });
  });

  test.each([
    ['research:T001-parsers', 'research', 'T001-parsers'],
    ['task:t1', 'task', 'T001'],
    ['session:session-1', 'session', 'session-1'],
    ['vote:anything at all', 'vote', 'anything at all'],
    ['adr:12', 'adr', '12'],
  ])('stores the source %s', async (source, source_table, source_rowid) => {
    const world = ['T001', 'research T001-parsers: Parsers', 'session session-1 global by ada'];
    const { call } = await openApp({ tasks: world });
    await call('memory.store', { type: 'decision', content: 'x', source });
    expect(await call('memory.fetch', { id: 'D-001' })).toMatchObject({ memory: { source_table, source_rowid } });
  });

  test.each([
    ['research:none', 4],
    ['task:T009', 4],
    ['task:x', 4],
    ['session:none', 4],
    ['doc:none', 4],
    ['adr:docs/none.md', 3],
  ])('refuses the unknown source %s', async (source, exitCode) => {
    const { call } = await openApp();
    expect(await call('memory.store', { type: 'decision', content: 'x', source })).toMatchObject({ error: { exitCode } });
  });

  test('refuses an unknown task, an invalid source and empty content', async () => {
    const { call } = await openApp();
    expect(await call('memory.observe', { content: 'x', epic: 'T9' })).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
    expect(await call('memory.observe', { content: 'x', source: 'nowhere' })).toMatchObject({ error: { exitCode: 2 } });
    expect(await call('memory.observe', { content: '  ' })).toMatchObject({ error: { code: 'E_VALIDATION_CONTENT' } });
  });
});

describe('find', () => {
  const world = [
    'T001 epic',
    'T002 in T001',
    'memory decision superseded: Tokens',
    'memory decision about T002: Tokens are structs',
    'memory decision accepted tags lexer: Tokens have a place',
    'memory observation about T001: Reading tokens is slow',
    'memory learning: Nothing to see',
  ];

  test('returns summaries, accepted entries first', async () => {
    const { call } = await openApp({ tasks: world });
    const { memories } = await call('memory.find', { term: 'tokens', type: 'decision' });
    expect(memories).toEqual([
      { id: 'D-003', type: 'decision', title: 'Tokens have a place', confirmation_state: 'accepted' },
      { id: 'D-002', type: 'decision', title: 'Tokens are structs', confirmation_state: 'proposed' },
      { id: 'D-001', type: 'decision', title: 'Tokens', confirmation_state: 'superseded' },
    ]);
  });

  test.each([
    [{ term: 'structs' }, ['D-002']],
    [{ term: 'stru' }, ['D-002']],
    [{ term: 'strcuts' }, ['D-002']],
    [{ term: 'lexer' }, ['D-003']],
    [{ term: 'd-2' }, ['D-002']],
    [{ type: 'learning' }, ['L-001']],
    [{ state: 'accepted' }, ['D-003']],
    [{ tag: 'lexer' }, ['D-003']],
    [{ task: 'T001' }, ['O-001']],
    [{ limit: 2 }, ['L-001', 'O-001']],
    [{ term: 'slow reading of structs' }, []],
    [{ term: 'slow reading of structs', near: true }, ['O-001', 'D-002']],
    [{ term: 'place reading tokens slow', near: true, limit: 2 }, ['O-001', 'D-003']],
    [{ term: 'placement', near: true }, ['D-003']],
    [{ term: '?!', near: true }, []],
  ])('%j finds %j', async (params, ids) => {
    const { call } = await openApp({ tasks: world });
    const found = await call('memory.find', params);
    expect(found.memories.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(found._meta.exitCode).toBe(ids.length === 0 ? 100 : undefined);
  });

  test('finds decisions about an epic and tasks inside it', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('memory.decision-find', { epic: 'T001' })).toMatchObject({ decisions: [{ id: 'D-002' }] });
    expect(await call('memory.decision-find', { query: 'place' })).toMatchObject({ decisions: [{ id: 'D-003' }] });
    expect(await call('memory.decision-find', { query: 'place', epic: 'T001' })).toMatchObject({ _meta: { exitCode: 100 }, decisions: [] });
    expect(await call('memory.decision-find')).toMatchObject({ error: { exitCode: 2, fix: 'cleo memory find --type decision' } });
  });

  test('pages and reports the total', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('memory.find', { term: 'tokens', limit: 2 })).toMatchObject({ _meta: { truncated: { shown: 2, total: 4 } } });
    expect(await call('memory.find', { limit: 2, offset: 4 })).toMatchObject({ memories: [{ id: 'D-001' }] });
  });
});

describe('confirm and reject', () => {
  const world = ['T001', 'memory decision about T001: Tokens are structs', 'memory learning: Long lines are slow'];

  test('lets agents confirm and reject learnings', async () => {
    const { call } = await openApp({ tasks: world });
    expect(await call('memory.confirm', { id: 'L-001' })).toMatchObject({
      memory: { confirmation_state: 'accepted' },
      data: { updated: ['L-001'] },
    });
    expect(await call('memory.confirm', { id: 'L-001' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await call('memory.reject', { id: 'L-001', reason: 'Not any more' })).toMatchObject({
      memory: { confirmation_state: 'rejected' },
    });
    expect(await call('memory.fetch', { id: 'L-001' })).toMatchObject({ memory: { reason: 'Not any more', decidedBy: 'tester' } });
  });

  test.each(['memory.confirm', 'memory.reject'])('%s of a decision requires a person', async (operation) => {
    const agents = await openApp({ tasks: world });
    const refused = { error: { code: 'E_AUTONOMOUS_BOUNDARY', exitCode: 64, fix: 'cleo memory fetch D-001' } };
    expect(await agents.call(operation, { id: 'D-001' })).toMatchObject(refused);
    expect(await agents.call(operation, { id: 'D-001' }, { ...admin, token: { name: 'ci', scope: 'mutate' } })).toMatchObject(refused);
    expect(await agents.call('memory.fetch', { id: 'D-001' })).toMatchObject({ memory: { confirmation_state: 'proposed' } });
    const persons = await openApp({ tasks: world, isAtTerminal: true });
    for (const more of [{ agent: 'ada' }, { gateway: 'cleo_mutate' as const }, { gateway: 'http' as const }])
      expect(await persons.call(operation, { id: 'D-001' }, more)).toMatchObject(refused);
    expect(await persons.call(operation, { id: 'D-001' })).toMatchObject({ success: true });
    expect(await agents.call(operation, { id: 'D-001' }, admin)).toMatchObject({ success: true });
  });
});

describe('supersede', () => {
  const world = [
    'T001: As D-001 says',
    'T002 accept Follow_D-001|Else',
    'T003: Like D-0011 and AD-001',
    'memory decision accepted about T001: Tokens are structs',
    'memory decision: Tokens are classes, not as in D-001',
    'memory learning: Structs are fast, so D-001 is good',
    'memory observation: D-002 is odd',
  ];

  test('does not warn that the successor is only proposed if the old entry was not accepted either', async () => {
    const { call } = await openApp({ tasks: ['memory decision: Tokens are structs', 'memory decision: Tokens are classes'] });
    const superseded = await call('memory.supersede', { old: 'D-001', by: 'D-002' });
    expect(superseded).toMatchObject({ memory: { id: 'D-001', confirmation_state: 'superseded' } });
    expect(superseded._meta).not.toHaveProperty('warnings');
  });

  test('flags citations of the old entry, except those of its successor', async () => {
    const app = await openApp({ tasks: world });
    const { call } = app;
    await call('tasks.add', { title: 'With a note', notes: 'see D-001.' });
    await app.tamper(
      `insert into docs (slug, kind, title, version, created_at, created_by, updated_at) values ('lexer', 'spec', 'The lexer', 1, 'x', 'x', 'x');
       insert into citations (memory_id, by_kind, by_id) values ('D-001', 'doc', 'lexer');`,
    );
    expect(await call('memory.supersede', { old: 'D-001', by: 'D-002' })).toMatchObject({ error: { exitCode: 64 } });
    const flagged = [
      { kind: 'doc', id: 'lexer', title: 'The lexer' },
      { kind: 'memory', id: 'L-001', title: 'Structs are fast, so D-001 is good' },
      { kind: 'task', id: 'T001', title: 'As D-001 says' },
      { kind: 'task', id: 'T004', title: 'With a note' },
    ];
    const superseded = { id: 'D-001', confirmation_state: 'superseded', supersededBy: 'D-002' };
    expect(await call('memory.supersede', { old: 'D-001', by: 'D-002', dryRun: true }, admin)).toMatchObject({
      flagged,
      data: { wouldUpdate: 1 },
    });
    expect(await call('memory.supersede', { old: 'D-001', by: 'D-002' }, admin)).toMatchObject({
      _meta: { warnings: ['D-002 is only proposed until a person confirms it (memory confirm)'] },
      memory: superseded,
      flagged,
      data: { updated: ['D-001'] },
    });
    expect(await call('memory.supersede', { old: 'D-001', by: 'D-002' }, admin)).toMatchObject({ _meta: { exitCode: 102 }, flagged });
    expect(await call('memory.fetch', { id: 'L-001' })).toMatchObject({
      memory: { cites: ['D-001'], stale: [{ id: 'D-001', supersededBy: 'D-002' }] },
    });
    expect((await call('memory.fetch', { id: 'D-002' })).memory).not.toHaveProperty('stale');
    expect(await call('memory.observe', { content: 'As in D-001 and O-001' })).toMatchObject({
      _meta: { warnings: ['D-001 was superseded by D-002'] },
    });
    expect(await call('memory.confirm', { id: 'D-001' }, admin)).toMatchObject({
      error: { code: 'E_VALIDATION_STATE', fix: 'cleo memory fetch D-002' },
    });
  });

  test('does not flag later successors', async () => {
    const { call } = await openApp({
      tasks: ['memory pattern: One', 'memory pattern: Two', 'memory pattern: Three, in the place of P-001 and P-002'],
    });
    await call('memory.supersede', { old: 'P-001', by: 'P-002' });
    expect(await call('memory.fetch', { id: 'P-003' })).toMatchObject({ memory: { stale: [{ id: 'P-001' }] } });
    expect(await call('memory.supersede', { old: 'P-002', by: 'P-003' })).toMatchObject({ flagged: [] });
    expect((await call('memory.fetch', { id: 'P-003' })).memory).not.toHaveProperty('stale');
  });

  test('refuses cycles and superseded or rejected entries', async () => {
    const { call } = await openApp({
      tasks: ['D-001', 'A', 'B', 'C']
        .slice(1)
        .map((text) => `memory pattern: ${text}`)
        .concat('memory decision: X'),
    });
    await call('memory.supersede', { old: 'P-001', by: 'P-002' });
    await call('memory.supersede', { old: 'P-002', by: 'P-003' });
    for (const [old, by, error] of [
      ['P-003', 'P-003', { exitCode: 14, details: { path: ['P-003', 'P-003'] } }],
      ['P-003', 'P-001', { exitCode: 14, details: { path: ['P-001', 'P-002', 'P-003', 'P-001'] }, fix: 'cleo memory timeline P-003' }],
      ['P-001', 'P-003', { code: 'E_VALIDATION_OLD', fix: 'cleo memory timeline P-001' }],
      ['D-001', 'P-003', { code: 'E_VALIDATION_BY', fix: 'cleo memory find --type decision' }],
      ['P-009', 'P-003', { code: 'E_NOT_FOUND', fix: 'cleo memory find --type pattern' }],
    ] as const)
      expect(await call('memory.supersede', { old, by })).toMatchObject({ error });
    await call('memory.store', { type: 'pattern', content: 'Z' });
    expect(await call('memory.supersede', { old: 'P-004', by: 'P-001' })).toMatchObject({
      error: { code: 'E_VALIDATION_BY', fix: 'cleo memory supersede P-004 --by P-003' },
    });
    await call('memory.reject', { id: 'P-004' });
    expect(await call('memory.supersede', { old: 'P-003', by: 'P-004' })).toMatchObject({ error: { code: 'E_VALIDATION_BY' } });
  });
});

test('shows predecessors, citations and neighbours in a timeline', async () => {
  const { call } = await openApp({
    tasks: [
      'T001',
      'memory observation about T001: First',
      'memory decision in session-1: Second',
      'memory decision about T001 in session-1: Third, after D-001',
      'memory learning about T002: Elsewhere',
      'memory learning in session-1: Fifth, from D-002',
      'memory decision: Sixth',
    ],
  });
  await call('memory.supersede', { old: 'D-001', by: 'D-002' });
  const { timeline } = await call('memory.timeline', { id: 'D-002' });
  expect(timeline).toEqual({
    memory: { id: 'D-002', type: 'decision', title: 'Third, after D-001', confirmation_state: 'proposed' },
    supersedes: [expect.objectContaining({ id: 'D-001' })],
    cites: [expect.objectContaining({ id: 'D-001' })],
    citedBy: [{ kind: 'memory', id: 'L-002', title: 'Fifth, from D-002' }],
    before: [expect.objectContaining({ id: 'D-001' }), expect.objectContaining({ id: 'O-001' })],
    after: ['L-001', 'L-002', 'D-003'].map((id) => expect.objectContaining({ id })),
  });
  expect(await call('memory.timeline', { id: 'D-001' })).toMatchObject({ timeline: { supersededBy: { id: 'D-002' } } });
  expect((await call('memory.timeline', { id: 'D-002', limit: 1 })).timeline.before).toHaveLength(1);
});

test('the provenance of an entry without a source is its session, its task or its author', async () => {
  const { call } = await openApp({ tasks: ['T001', 'memory decision about T001 by ada: One', 'memory decision by ada: Two'] });
  const find = async (id: string) => {
    const { source_table, source_rowid } = (await call('memory.fetch', { id })).memory;
    return `${source_table}:${source_rowid}`;
  };
  expect([await find('D-001'), await find('D-002')]).toEqual(['task:T001', 'agent:ada']);
});

test('reports citations of superseded entries', async () => {
  const { call } = await openApp({
    tasks: [
      'T001: As P-001',
      'T002 done: As P-001',
      'memory pattern: Old',
      'memory pattern: New',
      'memory learning: From P-001',
      'memory learning rejected: Not P-001',
    ],
  });
  expect(await call('validate.report')).toMatchObject({ report: { ok: true } });
  await call('memory.supersede', { old: 'P-001', by: 'P-002' });
  const { report } = await call('validate.report');
  expect(report).toMatchObject({ ok: false, counts: { 'stale-citation': 2 } });
  expect(report.problems).toEqual([
    {
      kind: 'stale-citation',
      severity: 'warning',
      message: 'L-001 cites P-001, which was superseded by P-002',
      fix: 'cleo memory timeline L-001',
    },
    {
      kind: 'stale-citation',
      severity: 'warning',
      taskId: 'T001',
      message: 'T001 cites P-001, which was superseded by P-002',
      fix: 'cleo show T001',
    },
  ]);
  await call('tasks.update', { taskId: 'T001', title: 'As P-002' });
  expect((await call('validate.report')).report.counts).toEqual({ 'stale-citation': 1 });
});
