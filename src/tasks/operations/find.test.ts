import { expect, test } from 'vitest';
import { type Json, openApp } from '../../../test/app.ts';

const ids = (seen: Json): string[] => seen.tasks.map((task: { id: string }) => task.id);

test('returns minimal fields only', async () => {
  const { call } = await openApp({ tasks: ['T001 epic'] });
  await call('tasks.add', { title: 'Write the parser', parent: 'T001', description: 'Long', labels: ['api'], notes: 'a note' });
  const found = await call('tasks.find', { query: 'parser' });
  expect(found._meta.resultsField).toBe('tasks');
  expect(found.tasks).toEqual([
    { id: 'T002', title: 'Write the parser', status: 'pending', type: 'task', priority: 'medium', parentId: 'T001' },
  ]);
});

test('searches title, labels, description and notes; the title counts most', async () => {
  const { call } = await openApp();
  await call('tasks.add', { title: 'One', notes: 'mind the lexer' });
  await call('tasks.add', { title: 'Two', description: 'needs a lexer' });
  await call('tasks.add', { title: 'Three', labels: ['lexer'] });
  await call('tasks.add', { title: 'The lexer' });
  await call('tasks.add', { title: 'Unrelated' });
  expect(ids(await call('tasks.find', { query: 'lexer' }))).toEqual(['T004', 'T003', 'T002', 'T001']);
});

test('finds a note added later', async () => {
  const { store, call } = await openApp({ tasks: ['T001'] });
  await store.write({ at: '2026-02-01T00:00:00.000Z', by: 'ada' }, async ({ tasks }) => {
    await tasks.appendNotes((await tasks.get('T001'))!, [{ at: '2026-02-01T00:00:00.000Z', by: 'ada', text: 'ask the librarian' }]);
  });
  expect(ids(await call('tasks.find', { query: 'librarian' }))).toEqual(['T001']);
});

test('requires every word to match', async () => {
  const { call } = await openApp({ tasks: ['T001: Write the parser', 'T002: Write the lexer'] });
  expect(ids(await call('tasks.find', { query: 'lexer write' }))).toEqual(['T002']);
  expect(ids(await call('tasks.find', { query: 'lexer deploy' }))).toEqual([]);
});

test('ranks whole words before prefixes', async () => {
  const { call } = await openApp({ tasks: ['T001: Parse', 'T002: Parser of things', 'T003: Parsing'] });
  expect(ids(await call('tasks.find', { query: 'parse' }))).toEqual(['T001', 'T002']);
  expect(ids(await call('tasks.find', { query: 'pars' }))).toEqual(['T003', 'T001', 'T002']);
});

test.each([
  { query: 'parsr', found: ['T001'] },
  { query: 'praser', found: ['T001'] },
  { query: 'wriet parserr', found: ['T001'] },
  { query: 'authentification', found: ['T002'] },
  { query: 'xylophone', found: [] },
])('corrects the typo $query', async ({ query, found }) => {
  const { call } = await openApp({ tasks: ['T001: Write the parser', 'T002: Add authentication', 'T003: Deploy'] });
  expect(ids(await call('tasks.find', { query }))).toEqual(found);
});

test.each([
  { query: 'CAFE', found: ['T001'] },
  { query: 'café', found: ['T001'] },
  { query: '解析', found: ['T002'] },
  { query: 'привет', found: ['T003'] },
  { query: '𞤀𞤣𞤤𞤢𞤥', found: ['T004'] },
  { query: 'ΟΔΟΣ', found: ['T005'] },
  { query: '"quoted" AND (lexer* OR NOT \'x\':*)', found: ['T006'] },
  { query: 'drop table tasks; --', found: ['T007'] },
])('matches any script and has no query language: $query', async ({ query, found }) => {
  const { call } = await openApp({
    tasks: [
      'T001: Open a Café',
      'T002: 解析器を書く',
      'T003: Привет мир',
      'T004: 𞤀𞤣𞤤𞤢𞤥',
      'T005: οδος',
      'T006: quoted and lexer or not x',
      'T007: drop table tasks',
    ],
  });
  expect(ids(await call('tasks.find', { query }))).toEqual(found);
});

test('finds nothing for punctuation', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  expect(await reply('tasks.find', { query: '!?*' })).toMatchObject({ exitCode: 100, envelope: { tasks: [] } });
});

test('accepts very many words', async () => {
  const { reply } = await openApp({ tasks: ['T001'] });
  expect(await reply('tasks.find', { query: 'ab '.repeat(333) })).toMatchObject({ exitCode: 100 });
  const words = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ');
  expect(await reply('tasks.find', { query: words })).toMatchObject({ exitCode: 100 });
});

test('puts the task named by an id first, then those that mention it', async () => {
  const { call } = await openApp({ tasks: ['T001: Parser', 'T002: As in T001', 'T012: Other'] });
  expect(ids(await call('tasks.find', { query: 'T001' }))).toEqual(['T001', 'T002']);
  expect(ids(await call('tasks.find', { query: 'E-T12' }))).toEqual(['T012']);
});

test.each([
  { id: '14', found: ['T014', 'T140', 'T149', 'T1400'] },
  { id: 'T14', found: ['T014', 'T140', 'T149', 'T1400'] },
  { id: 't0014', found: ['T014'] },
  { id: '149', found: ['T149'] },
  { id: 149, found: ['T149'] },
  { id: '01', found: ['T001', 'T014'] },
  { id: 'T00', found: ['T001'] },
  { id: '9', found: [] },
])('finds ids that begin with $id', async ({ id, found }) => {
  const { call } = await openApp({ tasks: ['T001', 'T014', 'T140', 'T149', 'T150', 'T1400'] });
  expect(ids(await call('tasks.find', { id }))).toEqual(found);
});

const world = [
  'T001 epic: Parser epic',
  'T002 in T001 high labels api: Parser one',
  'T003 in T001 done: Parser two',
  'T004 done archived: Parser three',
  'T005 low: Lexer',
];

test.each([
  { given: { query: 'parser' }, found: ['T002', 'T001', 'T003'] },
  { given: { query: 'parser', parent: 'T001' }, found: ['T002', 'T003'] },
  { given: { query: 'parser', status: 'done' }, found: ['T003'] },
  { given: { query: 'parser', type: 'epic' }, found: ['T001'] },
  { given: { query: 'parser', label: 'api' }, found: ['T002'] },
  { given: { query: 'parsr', priority: 'high' }, found: ['T002'] },
  { given: { query: 'parser', archived: true }, found: ['T004'] },
  { given: { status: 'done' }, found: ['T003'] },
  { given: { priority: 'low' }, found: ['T005'] },
  { given: { id: '00', type: 'task' }, found: ['T002', 'T003', 'T005'] },
])('filters by $given', async ({ given, found }) => {
  const { call } = await openApp({ tasks: world });
  expect(ids(await call('tasks.find', given))).toEqual(found);
});

test('rejects a missing parent', async () => {
  const { call } = await openApp({ tasks: ['T001'] });
  expect(await call('tasks.find', { query: 'x', parent: 'T009' })).toMatchObject({ error: { code: 'E_NOT_FOUND', exitCode: 4 } });
});

test.each([{}, { query: '  ' }, { archived: false }])('rejects a call without criteria: %j', async (given) => {
  const { call } = await openApp();
  expect(await call('tasks.find', given)).toMatchObject({ error: { code: 'E_INVALID_INPUT', exitCode: 2, fix: 'cleo help find' } });
});

test('rejects a query together with an id', async () => {
  const { call } = await openApp();
  expect(await call('tasks.find', { query: 'parser', id: 'T014' })).toMatchObject({ error: { exitCode: 2, fix: 'cleo find --id 014' } });
});

const many = (n: number, title: (i: number) => string): string[] =>
  Array.from({ length: n }, (_, i) => `T${String(i + 1).padStart(3, '0')}: ${title(i + 1)}`);

test('ranks a good old match above many newer ones', async () => {
  const { store, call } = await openApp({ tasks: many(300, (i) => (i === 7 ? 'Parser' : `Task ${i}`)) });
  await store.write({ at: '2026-02-01T00:00:00.000Z', by: 'ada' }, async ({ tasks }) => {
    for (let i = 30; i <= 300; i++) {
      const task = (await tasks.get(`T${String(i).padStart(3, '0')}`))!;
      await tasks.save(task, { ...task, description: 'about the parser' });
    }
  });
  const found = await call('tasks.find', { query: 'parser', limit: 3 });
  expect(ids(found)).toEqual(['T007', 'T300', 'T299']);
  expect(found._meta.truncated).toEqual({ shown: 3, total: 272 });
});

test('returns pages without gaps or repetitions', async () => {
  const { call } = await openApp({
    tasks: many(450, (i) => (i % 9 === 0 ? `Parsers ${i}` : i % 3 === 0 ? `Parser ${i}` : `The other parser ${i}`)),
  });
  const seen: string[] = [];
  for (let offset = 0; ; offset += 70) {
    const page = await call('tasks.find', { query: 'parser', limit: 70, offset });
    if (page.tasks.length === 0) break;
    expect(page._meta.truncated).toEqual({ shown: page.tasks.length, total: 450 });
    seen.push(...ids(page));
  }
  expect(seen).toHaveLength(450);
  expect(new Set(seen).size).toBe(450);
  expect(ids(await call('tasks.find', { query: 'parser', limit: 1000 }))).toEqual(seen);
  expect(ids(await call('tasks.find', { query: 'parser', limit: 9, offset: 18 }))).toEqual(seen.slice(18, 27));
  expect(seen.slice(-50).every((id) => Number(id.slice(1)) % 9 === 0)).toBe(true);
});
