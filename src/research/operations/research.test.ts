import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../../../test/app.ts';

const getManifestFile = ({ root }: TestApp): string => join(root, '.cleo', 'research', 'MANIFEST.jsonl');
const readLines = (app: TestApp): string[] => readFileSync(getManifestFile(app), 'utf8').split('\n').slice(0, -1);
const writeManifest = (app: TestApp, text: string): void => {
  mkdirSync(join(app.root, '.cleo', 'research'), { recursive: true });
  writeFileSync(getManifestFile(app), text);
};
const whole = { id: 'T001-parsers', file: 'docs/parsers.md', title: 'Parsers', status: 'complete', linkedTasks: ['T1'] };
const createLine = (more: object = {}): string =>
  JSON.stringify({
    id: 'T001-parsers',
    file: 'docs/parsers.md',
    title: 'Parsers',
    date: '2026-01-01',
    status: 'complete',
    agent_type: 'research',
    topics: [],
    key_findings: [],
    actionable: true,
    needs_followup: [],
    linked_tasks: ['T001'],
    ...more,
  });

describe('add', () => {
  test('appends one line with all fields and returns the id', async () => {
    const app = await openApp({ tasks: ['T001'], clock: { now: '2026-03-04T05:06:07.000Z' } });
    expect(await app.call('research.add', whole)).toMatchObject({
      success: true,
      entry: { id: 'T001-parsers', linked_tasks: ['T001'] },
      data: { created: ['T001-parsers'] },
    });
    expect(readLines(app)).toEqual([createLine({ date: '2026-03-04', actionable: false })]);
    expect(await app.call('admin.log', { limit: 1 })).toMatchObject({
      entries: [{ operation: 'research.add', created: ['T001-parsers'] }],
    });
  });

  test('has a flag for every field and separates findings with |', async () => {
    const app = await openApp({ tasks: ['T001', 'T002'] });
    const { exitCode } = await app.cli(
      'cleo research add --id T001-parsers --file docs/parsers.md --title Parsers --date 2026-01-01 --status partial --agent-type specification --topics "lexing,error recovery" --key-findings "Two are fast, one is small|All are old" --actionable --needs-followup "Measure them" --linked-tasks T1,T2',
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(readLines(app)[0]!)).toEqual({
      ...JSON.parse(createLine()),
      status: 'partial',
      agent_type: 'specification',
      topics: ['lexing', 'error recovery'],
      key_findings: ['Two are fast, one is small', 'All are old'],
      needs_followup: ['Measure them'],
      linked_tasks: ['T001', 'T002'],
    });
  });

  test('accepts the entry as JSON, and flags override it', async () => {
    const app = await openApp({ tasks: ['T001', 'T002'] });
    expect((await app.cli(['research', 'add', '--entry', createLine(), '--title', 'All parsers'])).exitCode).toBe(0);
    expect(readLines(app)).toEqual([createLine({ title: 'All parsers' })]);
    expect(await app.call('research.add', { entry: JSON.parse(createLine({ id: 'T001-two' })) })).toMatchObject({ success: true });
    expect(await app.call('research.add', { entry: JSON.parse(createLine({ id: 'T001-three' })), linked_tasks: ['T002'] })).toMatchObject({
      entry: { linked_tasks: ['T002'] },
    });
  });

  test('derives the id from the task and the title', async () => {
    const app = await openApp({ tasks: ['T001'] });
    const { id: _, ...nameless } = whole;
    expect(await app.call('research.add', { ...nameless, title: 'Häufige Parser: a look' })).toMatchObject({
      entry: { id: 'T001-haufige-parser-a-look' },
    });
  });

  test('warns about a missing file', async () => {
    const app = await openApp({ tasks: ['T001'] });
    expect((await app.call('research.add', whole))._meta.warnings).toEqual([expect.stringContaining('BASE-004')]);
    mkdirSync(join(app.root, 'docs'));
    writeFileSync(join(app.root, 'docs', 'parsers.md'), '# Parsers\n');
    expect((await app.call('research.add', { ...whole, id: 'T001-again' }))._meta.warnings).toBeUndefined();
  });

  const refused: [string, Record<string, unknown>, number, string][] = [
    ['a duplicate id', { id: 'T002-taken' }, 22, 'E_ID_COLLISION'],
    ['partial work without followup', { status: 'partial' }, 6, 'E_VALIDATION_NEEDS_FOLLOWUP'],
    ['blocked work without followup', { status: 'blocked', needsFollowup: [] }, 6, 'E_VALIDATION_NEEDS_FOLLOWUP'],
    ['an unknown status', { status: 'done' }, 2, 'E_INVALID_INPUT'],
    ['an invalid id', { id: 'parsers' }, 6, 'E_VALIDATION_ID'],
    ['an invalid date', { date: '2026-02-30' }, 6, 'E_VALIDATION_DATE'],
    ['an unknown task', { linkedTasks: ['T404'] }, 4, 'E_NOT_FOUND'],
    ['a file outside the project', { file: '../secret.md' }, 3, 'E_FILE_ERROR'],
    ['an absolute path', { file: '/etc/passwd' }, 3, 'E_FILE_ERROR'],
    ['a file behind a link out of the project', { file: 'out/passwd' }, 3, 'E_FILE_ERROR'],
    ['a folder', { file: '.cleo' }, 3, 'E_FILE_ERROR'],
    ['text that is not JSON', { entry: '{"id":' }, 2, 'E_INVALID_INPUT'],
    ['JSON that is not an object', { entry: '[1]' }, 2, 'E_INVALID_INPUT'],
    ['an unknown field', { entry: { mood: 'good' } }, 2, 'E_INVALID_INPUT'],
    ['a field of another type', { entry: { topics: 'lexing' }, topics: undefined }, 2, 'E_INVALID_INPUT'],
    ['no title', { title: undefined }, 2, 'E_INVALID_INPUT'],
    ['no file', { file: undefined }, 2, 'E_INVALID_INPUT'],
    ['no status', { status: undefined }, 2, 'E_INVALID_INPUT'],
  ];
  test.each(refused)('refuses %s and writes nothing', async (_, params, exit, code) => {
    const app = await openApp({ tasks: ['T001', 'T002', 'research T002-taken: Taken'] });
    symlinkSync('/etc', join(app.root, 'out'));
    const before = readLines(app);
    const answer = await app.call('research.add', { ...whole, ...params });
    expect(answer).toMatchObject({ success: false, error: { exitCode: exit, code } });
    expect(readLines(app)).toEqual(before);
    expect((await app.cli(answer.error.fix)).exitCode).toBe(0);
  });

  test('appends once for one idempotency key', async () => {
    const app = await openApp({ tasks: ['T001'] });
    await app.call('research.add', whole, { idempotencyKey: 'once' });
    expect(await app.call('research.add', whole, { idempotencyKey: 'once' })).toMatchObject({ success: true, _meta: { replayed: true } });
    expect(readLines(app)).toHaveLength(1);
  });

  test('uses the configured folder inside the project', async () => {
    const app = await openApp({ tasks: ['T001'], config: { orchestrate: { outputDir: 'docs/research/' } } });
    expect(await app.call('research.add', whole)).toMatchObject({ success: true });
    expect(existsSync(join(app.root, 'docs', 'research', 'MANIFEST.jsonl'))).toBe(true);
    for (const outputDir of ['../elsewhere', '/tmp', '']) {
      writeFileSync(join(app.root, '.cleo', 'config.json'), JSON.stringify({ orchestrate: { outputDir } }));
      const answer = await app.call('research.list');
      expect(answer).toMatchObject({ error: { exitCode: 3, fix: 'Ask a person to run: cleo config unset orchestrate.outputDir' } });
    }
  });
});

describe('list, show and stats', () => {
  const entries = [
    createLine(),
    createLine({ id: 'T002-lexers', status: 'partial', topics: ['Lexing'], needs_followup: ['Measure'], linked_tasks: ['t2'] }),
    createLine({ id: 'T003-plan', agent_type: 'decomposition', linked_tasks: [] }),
    createLine({ id: 'T002-stuck', status: 'blocked', needs_followup: ['No access'], linked_tasks: ['T001', 'T002'] }),
  ];
  const filters: [string, Record<string, unknown>, string[]][] = [
    ['everything, newest first', {}, ['T002-stuck', 'T003-plan', 'T002-lexers', 'T001-parsers']],
    ['by status', { status: 'partial' }, ['T002-lexers']],
    ['by topic, in any case', { topic: 'lexing' }, ['T002-lexers']],
    ['by kind of work', { agent_type: 'decomposition' }, ['T003-plan']],
    ['by a linked task', { task: 'T1' }, ['T002-stuck', 'T001-parsers']],
    ['by the task in its id', { taskId: 'T003' }, ['T003-plan']],
    ['with followup', { needsFollowup: true }, ['T002-stuck', 'T002-lexers']],
    ['without followup', { needsFollowup: false }, ['T003-plan', 'T001-parsers']],
    ['a page', { limit: 1, offset: 1 }, ['T003-plan']],
  ];
  test.each(filters)('lists %s', async (_, params, ids) => {
    const app = await openApp();
    writeManifest(app, entries.map((entry) => `${entry}\n`).join(''));
    const answer = await app.call('research.list', params);
    expect(answer.entries.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  test('exits with 100 without entries', async () => {
    const app = await openApp();
    expect(await app.call('research.list')).toMatchObject({ success: true, entries: [], _meta: { exitCode: 100 } });
    expect(await app.call('research.stats')).toMatchObject({ stats: { entries: 0 }, _meta: { exitCode: 100 } });
    expect(existsSync(join(app.root, '.cleo', 'research'))).toBe(false);
  });

  test('reads lines written by hand: byte order mark, CRLF, blank lines, more or fewer fields', async () => {
    const app = await openApp();
    writeManifest(app, `\ufeff${createLine({ mood: 'good' })}\r\n\r\n{"id":"T002-few","file":"a.md","title":"Few","status":"complete"}`);
    expect(await app.call('research.list')).toMatchObject({ entries: [{ id: 'T002-few' }, { id: 'T001-parsers' }] });
    expect(await app.call('research.show', { entryId: 'T002-few' })).toMatchObject({ entry: { key_findings: [], actionable: false } });
    expect((await app.call('research.stats')).stats.problems).toEqual([]);
  });

  test('warns about invalid lines by number and lists the others', async () => {
    const app = await openApp();
    writeManifest(
      app,
      `${createLine()}\nnot json\n${createLine({ title: 'Parsers again' })}\n[]\n{"id":"T004-x","title":"x","file":"x"}\n{"id":"T005-y","ti`,
    );
    const { entries, _meta } = await app.call('research.list');
    expect(entries).toMatchObject([{ id: 'T001-parsers', title: 'Parsers again' }]);
    expect(_meta.warnings).toEqual([
      '.cleo/research/MANIFEST.jsonl line 2 is not JSON',
      '.cleo/research/MANIFEST.jsonl line 3 repeats the id T001-parsers of line 1; this line is used',
      '.cleo/research/MANIFEST.jsonl line 4 is not an entry: id is missing or invalid',
      '.cleo/research/MANIFEST.jsonl line 5 is not an entry: status is missing or invalid',
      '.cleo/research/MANIFEST.jsonl line 6 is incomplete',
    ]);
    expect((await app.call('research.stats')).stats.problems).toHaveLength(5);
  });

  test('suggests the nearest entry id', async () => {
    const app = await openApp({ tasks: ['T001', 'research T001-parsers: Parsers'] });
    const { error } = await app.call('research.show', { entryId: 'T001-parser' });
    expect(error).toMatchObject({ exitCode: 4, fix: 'cleo research show T001-parsers' });
    expect((await app.call('research.show', { entryId: 'nothing like it' })).error.fix).toBe('cleo research list');
  });

  test('counts entries by status, type and topic', async () => {
    const app = await openApp();
    writeManifest(app, entries.map((entry) => `${entry}\n`).join(''));
    expect((await app.call('research.stats')).stats).toEqual({
      file: '.cleo/research/MANIFEST.jsonl',
      entries: 4,
      byStatus: { complete: 2, partial: 1, blocked: 1 },
      byAgentType: { research: 3, decomposition: 1 },
      topics: [{ topic: 'Lexing', entries: 1 }],
      needFollowup: 2,
      unlinked: 1,
      archived: 0,
      problems: [],
    });
  });
});

describe('link and unlink', () => {
  test('changes the links of one line and leaves the others unchanged', async () => {
    const app = await openApp({ tasks: ['T001', 'T002'] });
    const others = ['\ufeff{"odd": 1 }', 'not json \u00ff', createLine({ id: 'T003-x' })];
    writeManifest(app, `${others.join('\r\n')}\r\n${createLine({ mood: 'good' })}\r\n{"torn`);
    expect(await app.call('research.link', { taskId: 'T2', entryId: 'T001-parsers' })).toMatchObject({
      entry: { linked_tasks: ['T001', 'T002'] },
      linked: true,
      data: { updated: ['T001-parsers'] },
    });
    const linked = createLine({ mood: 'good', linked_tasks: ['T001', 'T002'] });
    expect(readFileSync(getManifestFile(app), 'utf8')).toBe(`${others.join('\r\n')}\r\n${linked}\r\n{"torn`);
    expect(await app.call('research.link', { taskId: 'T002', entryId: 'T001-parsers' })).toMatchObject({ _meta: { exitCode: 101 } });
    expect(await app.call('research.unlink', { taskId: 'T002', entryId: 'T001-parsers' })).toMatchObject({
      entry: { linked_tasks: ['T001'] },
      linked: false,
    });
    expect(await app.call('research.unlink', { taskId: 'T002', entryId: 'T001-parsers' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect(readFileSync(getManifestFile(app), 'utf8')).toContain(createLine({ mood: 'good' }));
  });

  test('refuses an unknown task or entry', async () => {
    const app = await openApp({ tasks: ['T001', 'research T001-parsers: Parsers'] });
    expect(await app.call('research.link', { taskId: 'T404', entryId: 'T001-parsers' })).toMatchObject({ error: { exitCode: 4 } });
    expect(await app.call('research.link', { taskId: 'T001', entryId: 'T001-none' })).toMatchObject({ error: { exitCode: 4 } });
    expect(await (await openApp({ tasks: ['T001'] })).call('research.link', { taskId: 'T001', entryId: 'T001-none' })).toMatchObject({
      error: { exitCode: 4, fix: 'cleo help research add' },
    });
  });
});

describe('archive', () => {
  const world = [
    'T001 done',
    'T002',
    'T003 done archived',
    'research T001-parsers: Done',
    'research T002-open: Its task is open',
    'research T003-old: Its task is archived',
    'research T001-partial partial: Leaves something',
    'research T009-gone: Its task is gone',
  ];

  test('archives finished entries, which show still finds', async () => {
    const app = await openApp({ tasks: world });
    expect(await app.call('research.archive', { dryRun: true })).toMatchObject({
      archived: ['T001-parsers', 'T003-old', 'T009-gone'],
      data: { dryRun: true, count: 3, wouldUpdate: 3, insertedCount: 0 },
    });
    expect(readLines(app)).toHaveLength(5);
    expect(await app.call('research.archive')).toMatchObject({
      archived: ['T001-parsers', 'T003-old', 'T009-gone'],
      data: { updated: ['T001-parsers', 'T003-old', 'T009-gone'] },
    });
    expect((await app.call('research.list')).entries.map(({ id }: { id: string }) => id)).toEqual(['T001-partial', 'T002-open']);
    expect(await app.call('research.show', { entryId: 'T001-parsers' })).toMatchObject({ entry: { title: 'Done' }, archived: true });
    expect((await app.call('research.stats')).stats).toMatchObject({ entries: 2, archived: 3 });
    expect(await app.call('research.archive')).toMatchObject({ archived: [], _meta: { exitCode: 102 } });
    expect(await app.call('research.add', { ...whole, file: 'a.md' })).toMatchObject({ error: { code: 'E_ID_COLLISION' } });
  });

  test('archives a named entry in any state, and only entries before a date', async () => {
    const app = await openApp({ tasks: world });
    expect(await app.call('research.archive', { before: '2026-01-01' })).toMatchObject({ archived: [], _meta: { exitCode: 102 } });
    expect(await app.call('research.archive', { entryId: 'T001-partial' })).toMatchObject({ archived: ['T001-partial'] });
    expect(await app.call('research.archive', { entryId: 'T001-partial' })).toMatchObject({ error: { exitCode: 4 } });
    expect(await app.call('research.archive', { before: '2026-01-02' })).toMatchObject({
      archived: ['T001-parsers', 'T003-old', 'T009-gone'],
    });
  });

  test('archives earlier lines of the same id and leaves invalid lines', async () => {
    const app = await openApp({ tasks: ['T001 done'] });
    writeManifest(app, `${createLine({ title: 'First' })}\nnot json\n${createLine()}\n`);
    expect(await app.call('research.archive')).toMatchObject({ archived: ['T001-parsers'] });
    expect(readLines(app)).toEqual(['not json']);
    expect(readFileSync(join(app.root, '.cleo', 'research', 'MANIFEST.archive.jsonl'), 'utf8')).toBe(
      `${createLine({ title: 'First' })}\n${createLine()}\n`,
    );
  });
});
