import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../../test/app.ts';
import { countRealTokens } from '../../../../test/real-tokens.ts';

const world = [
  'T001 epic: Read recipes',
  'T002 in T001: Write the grammar',
  'T003 in T001 depends T002,T006 high accept reads|refuses labels core files src/parse.ts: Write the parser',
  'T004 in T001 depends T003: Test the parser',
  'T005 in T003: Handle comments',
  'T006 in T001 done: Lexer',
  'research T003-parsers: Which parsers there are',
  'research T006-lexing partial: How lexing went',
  'doc grammar T003 spec: The grammar',
  'memory decision about T003: Tokens are structs',
  'memory decision: Spaces count',
  'memory learning about T003: The lexer is slow',
];

test('returns the context of a task, most important first', async () => {
  const { call } = await openApp({ tasks: world });
  await call('memory.supersede', { old: 'D-001', by: 'D-002' });
  await call('tasks.update', {
    taskId: 'T003',
    description: 'As D-002 says',
    notes: 'Began with expressions',
    status: 'blocked',
    blockedBy: 'no grammar',
  });
  const { pack, omitted, _meta: meta } = await call('tasks.context', { taskId: 'T3' });
  expect(meta.resultsField).toBe('pack');
  expect(omitted).toBeUndefined();
  expect(Object.keys(pack)).toEqual(
    'task acceptance blockers parents depends dependents docs research decisions memory notes history'.split(' '),
  );
  expect(pack).toMatchObject({
    task: { id: 'T003', title: 'Write the parser', description: 'As D-002 says', labels: ['core'], files: ['src/parse.ts'] },
    acceptance: [
      { n: 1, text: 'reads' },
      { n: 2, text: 'refuses' },
      { n: 3, target: 'T005' },
    ],
    blockers: [{ reason: 'no grammar' }, { id: 'T002', title: 'Write the grammar', status: 'pending' }],
    parents: [{ id: 'T001', type: 'epic', title: 'Read recipes' }],
    depends: [{ id: 'T002' }, { id: 'T006', status: 'done' }],
    dependents: [{ id: 'T004' }],
    docs: [{ slug: 'grammar', kind: 'spec', title: 'The grammar' }],
    research: [{ id: 'T003-parsers' }, { id: 'T006-lexing', status: 'partial' }],
    decisions: [{ id: 'D-001', state: 'superseded', supersededBy: 'D-002' }, { id: 'D-002' }],
    memory: [{ id: 'L-001', type: 'learning' }],
    notes: [{ text: 'Began with expressions' }],
  });
  expect(pack.history.map(({ field }: Json) => field)).toEqual(['blockedBy', 'status', 'description', 'created']);
});

test('prints a task by id without focusing it, or the focused task', async () => {
  const { call, cli } = await openApp({ tasks: world });
  expect((await cli('cleo focus T2')).envelope).toMatchObject({ _meta: { command: 'tasks.context' }, pack: { task: { id: 'T002' } } });
  expect((await cli('cleo context-pack T002 --budget 300')).envelope).toMatchObject({ success: true });
  expect((await cli('cleo focus')).envelope).toMatchObject({
    error: { code: 'E_FOCUS_REQUIRED', exitCode: 38, fix: 'cleo focus set T002' },
  });
  await cli('cleo focus set T002');
  expect((await cli('cleo focus')).envelope).toMatchObject({ pack: { task: { id: 'T002', holder: 'tester', status: 'active' } } });
  expect((await cli('cleo focus T99')).envelope).toMatchObject({ error: { code: 'E_NOT_FOUND' } });
  expect(await call('tasks.current')).toMatchObject({ task: { id: 'T002' } });
});

test('prints one line per item as text, whatever the notes contain', async () => {
  const { call, cli } = await openApp({ tasks: world });
  const notes = `${'Long words in a row. '.repeat(20)}\n## Acceptance criteria\n- [x] 1. forged \u202e\u001b[31m`;
  await call('tasks.update', { taskId: 'T002', notes });
  const { out } = await cli(['focus', 'T002', '--human']);
  expect(out).toMatch(/^# T002 Write the grammar\ntask, pending, medium\n\n## Part of\n- T001 \(pending\) Read recipes\n/);
  expect(out.match(/^## /gm)).toHaveLength(4);
  expect(out).not.toMatch(/[\u202e\u001b]/);
});

const large = [
  ...world,
  ...Array.from(
    { length: 500 },
    (_, i) => `T${i + 100} in T001${i % 50 === 0 ? ' depends T003' : ''}: Sibling ${i} with a title of its own`,
  ),
  ...Array.from({ length: 50 }, (_, i) => `doc doc-${i} T003 note: Document ${i} on the parser`),
];

test('keeps a large task within every budget on every surface, and its omissions expand', async () => {
  const { call, cli, reply } = await openApp({ tasks: large, config: { hierarchy: { maxSiblings: 0 } } });
  const acceptance = Array.from({ length: 40 }, (_, i) => `Criterion ${i} holds: ${'it has to be seen '.repeat(i)}`.trim());
  await call('tasks.update', { taskId: 'T003', acceptance, description: '説明 '.repeat(800), notes: 'x'.repeat(4000) });
  for (let i = 0; i < 200; i += 1)
    await call('tasks.update', { taskId: 'T003', notes: `Note ${i}: what I saw on the way, and \`code()\`` });
  const ways = new Set<string>();
  for (const budget of [200, 300, 600, 1500, 5000, 20_000]) {
    const { out } = await cli(['focus', 'T003', '--budget', `${budget}`]);
    const text = (await cli(['focus', 'T003', '--budget', `${budget}`, '--human'])).out;
    const { envelope } = await reply('tasks.context', { taskId: 'T003', budget }, { gateway: 'cleo_query' });
    for (const said of [out, text, JSON.stringify(envelope)]) expect(countRealTokens(said), `${budget}`).toBeLessThanOrEqual(budget);
    const { pack, omitted } = JSON.parse(out);
    expect(pack.task).toMatchObject({ id: 'T003', status: 'pending', type: 'task' });
    expect(String(pack.acceptance.at(-1).n)).toMatch(/(^|-)41$/);
    for (const { expand } of omitted) ways.add(expand);
  }
  expect(ways.size).toBeGreaterThan(4);
  for (const way of ways) expect((await cli(way)).exitCode, way).toBe(0);
});

test('refuses a budget that is too small and suggests one that works', async () => {
  const { cli } = await openApp({ tasks: world });
  const { exitCode, envelope } = await cli('cleo focus T003 --budget 20');
  expect(exitCode).toBe(6);
  expect(envelope.error).toMatchObject({ code: 'E_VALIDATION_BUDGET', fix: expect.stringMatching(/^cleo focus T003 --budget 1\d\d$/) });
  expect((await cli(envelope.error.fix)).exitCode).toBe(0);
});

test('leaves room for the nudge of a graded session', async () => {
  const { call, reply } = await openApp({ tasks: [...large.slice(0, 200), 'session session-graded epic:T001 graded by tester'] });
  await call('tasks.update', { taskId: 'T003', notes: 'word '.repeat(700) });
  for (const budget of [200, 500]) {
    const { envelope } = await reply('tasks.context', { taskId: 'T003', budget });
    expect(envelope._meta.sessionId).toBe('session-graded');
    expect(countRealTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(budget);
  }
});

test('counts the tokens of the answer if asked', async () => {
  const { call } = await openApp({ tasks: ['T001: Write the parser'] });
  const { tokens, pack } = await call('tasks.context', { taskId: 'T001', count: true });
  expect(tokens).toBeGreaterThan(JSON.stringify(pack).length / 8);
  expect(tokens).toBeLessThan(1500);
  expect(await call('tasks.context', { taskId: 'T001' })).not.toHaveProperty('tokens');
});
