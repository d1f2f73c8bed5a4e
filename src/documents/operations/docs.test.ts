import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sha256 } from '#lib/digest.ts';
import { asPerson, openApp, type TestApp } from '../../../test/app.ts';

const open = (tasks = ['T001', 'T002'], config = {}) => openApp({ tasks, config });
const write = ({ root }: TestApp, name: string, content: string | Buffer): void => {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), content);
};
const parsers = 'doc parsers T001: Which parsers there are';

describe('add', () => {
  test('stores a file with its name, its heading as title, and its digest', async () => {
    const app = await open();
    write(app, 'docs/Parser Notes.md', '# Which parsers there are\n');
    const { doc, data } = await app.call('docs.add', { taskId: 'T001', file: 'docs/Parser Notes.md' });
    expect(doc).toEqual({
      slug: 'parser-notes',
      type: 'note',
      title: 'Which parsers there are',
      version: 1,
      sha256: sha256('# Which parsers there are\n'),
      size: 26,
    });
    expect(data).toEqual({ created: ['parser-notes'] });
    expect(await app.call('docs.fetch', { slug: 'parser-notes' })).toMatchObject({
      doc: { file: 'docs/Parser Notes.md', tasks: ['T001'], by: 'tester', versions: 1 },
      content: '# Which parsers there are\n',
    });
  });

  test('returns 101 for the same document and attaches it to another task', async () => {
    const app = await open();
    const { call } = app;
    const params = { taskId: 'T001', content: 'a', slug: 'a', type: 'plan', title: 'A' };
    expect(await call('docs.add', params)).toMatchObject({ success: true });
    for (const again of [params, { taskId: 'T001', content: 'a', slug: 'a' }])
      expect(await call('docs.add', again)).toMatchObject({ success: true, _meta: { exitCode: 101 }, data: {} });
    expect(await call('docs.add', { ...params, taskId: 'T002' })).toMatchObject({ data: { updated: ['a'] } });
    expect((await call('docs.list')).docs).toMatchObject([{ slug: 'a', version: 1, tasks: ['T001', 'T002'] }]);
    await expectContents(app, 1);
  });

  test('attaches an existing document by its slug alone', async () => {
    const { call, cli } = await open(['T001', 'T002', parsers]);
    expect(await call('docs.add', { taskId: 'T002', slug: 'parsers' })).toMatchObject({
      doc: { version: 1 },
      data: { updated: ['parsers'] },
    });
    expect((await call('docs.list', { task: 'T002' })).docs).toMatchObject([{ slug: 'parsers', tasks: ['T001', 'T002'] }]);
    expect(await call('docs.add', { taskId: 'T002', slug: 'parsers' })).toMatchObject({ _meta: { exitCode: 101 } });
    expect(await call('docs.add', { taskId: 'T002', slug: 'others' })).toMatchObject({ error: { code: 'E_INVALID_INPUT' } });
    expect((await cli('cleo docs add T2')).exitCode).toBe(2);
  });

  test('stores the same content under two slugs once', async () => {
    const app = await open();
    const { call } = app;
    await call('docs.add', { taskId: 'T001', content: 'same', slug: 'one' });
    await call('docs.add', { taskId: 'T002', content: 'same', slug: 'two' });
    await expectContents(app, 1);
    await call('docs.remove', { slug: 'one' });
    expect((await call('docs.fetch', { slug: 'two' })).content).toBe('same');
    await call('docs.remove', { slug: 'two' });
    await expectContents(app, 0);
  });

  test('refuses a used slug and suggests a free one', async () => {
    const app = await open(['T001', parsers, 'doc parsers-2 T001']);
    write(app, 'new notes.md', 'new');
    const { error } = await app.call('docs.add', { taskId: 'T001', file: 'new notes.md', slug: 'parsers', type: 'note' });
    expect(error).toMatchObject({
      code: 'E_VALIDATION_SLUG',
      exitCode: 6,
      fix: "cleo docs add T001 'new notes.md' --slug parsers-3 --type note",
      details: { free: 'parsers-3' },
    });
    expect((await app.cli(error.fix)).envelope).toMatchObject({ success: true, doc: { slug: 'parsers-3' } });
    for (const { command } of error.alternatives) expect((await app.cli(command)).exitCode).toBe(0);
    expect((await app.call('docs.fetch', { slug: 'parsers' })).doc).toMatchObject({ versions: 2 });
    // Content with newlines cannot be repeated in a command line.
    const piped = await app.call('docs.add', { taskId: 'T001', content: 'two\nlines', slug: 'parsers' });
    expect(piped.error).toMatchObject({ exitCode: 6, fix: 'cleo docs fetch parsers', details: { free: 'parsers-4' } });
    const other = await app.call('docs.add', { taskId: 'T001', content: 'new', slug: 'parsers', type: 'spec' });
    expect(other.error).toMatchObject({ exitCode: 6, fix: 'cleo docs add T001 --content new --slug parsers-4 --type spec' });
  });

  test('refuses invalid parameters', async () => {
    const { call, cli } = await open();
    const table: [string, Record<string, unknown>, number, string][] = [
      ['neither file nor content', {}, 2, 'required'],
      ['both', { file: 'a.md', content: 'a', slug: 'a' }, 2, 'not both'],
      ['content without a name', { content: 'a' }, 2, 'slug'],
      ['a dash outside the command line', { file: '-' }, 2, 'standard input'],
      ['an encoding without content', { file: 'a.md', encoding: 'base64' }, 2, 'encoding'],
      ['invalid base64', { content: 'a b', encoding: 'base64', slug: 'a' }, 6, 'base64'],
      ['NUL in a text', { content: 'a\0b', slug: 'a' }, 6, 'NUL'],
      ['a slug with capitals', { content: 'a', slug: 'Handle' }, 6, 'a-z'],
      ['a slug that is too long', { content: 'a', slug: 'x'.repeat(65) }, 6, '64'],
      ['an unknown kind', { content: 'a', slug: 'a', type: 'novel' }, 2, 'is not one of spec, adr'],
      ['an unknown task', { content: 'a', slug: 'a', taskId: 'T999' }, 4, 'T999'],
      ['a missing file', { file: 'none.md' }, 3, 'none.md'],
    ];
    for (const [why, params, exitCode, words] of table) {
      const { error } = await call('docs.add', { taskId: 'T001', ...params });
      expect([why, error]).toMatchObject([why, { exitCode, message: expect.stringContaining(words) }]);
      expect([0, 100]).toContain((await cli(error.fix)).exitCode);
    }
  });

  test('corrects a misspelt kind in the fix', async () => {
    const { call, cli } = await open();
    const { error } = await call('docs.add', { taskId: 'T001', content: 'a', slug: 'a', type: 'nota' });
    expect(error.fix).toBe('cleo docs add T001 --content a --slug a --type note');
    expect((await cli(error.fix)).exitCode).toBe(0);
  });

  test('refuses a path outside the project with 3 and stores nothing', async () => {
    const app = await open(['T001', parsers]);
    const { call, root, cli } = app;
    symlinkSync('/etc/passwd', join(root, 'link'));
    mkdirSync(join(root, 'folder'));
    execFileSync('mkfifo', [join(root, 'fifo')]);
    write(app, 'long', '');
    truncateSync(join(root, 'long'), 65 << 20);
    for (const file of ['/etc/passwd', '../outside.md', 'link', 'folder', 'fifo', '.cleo/config.json', 'long'])
      for (const [operation, params] of [
        ['docs.add', { taskId: 'T001', file }],
        ['docs.update', { slug: 'parsers', file }],
      ] as const) {
        const { error } = await call(operation, params);
        expect([file, error]).toMatchObject([file, { code: 'E_FILE_ERROR', exitCode: 3 }]);
        expect((await cli(error.fix)).exitCode).toBe(0);
      }
    expect((await call('docs.list')).docs).toMatchObject([{ slug: 'parsers', version: 1 }]);
  });

  test('suggests the relative form of an absolute path', async () => {
    const app = await open();
    write(app, 'docs/a.md', 'a');
    const { error } = await app.call('docs.add', { taskId: 'T001', file: join(app.root, 'docs/a.md'), type: 'spec' });
    expect(error).toMatchObject({ exitCode: 3, fix: 'cleo docs add T001 docs/a.md --type spec' });
    expect((await app.cli(error.fix)).exitCode).toBe(0);
  });

  test('refuses files to tokens below scope admin', async () => {
    const app = await open();
    write(app, '.env', 'KEY=1');
    const token = { name: 'ci', scope: 'mutate' } as const;
    const params = { taskId: 'T001', file: '.env' };
    expect((await app.call('docs.add', params, { token })).error).toMatchObject({ code: 'E_FORBIDDEN', exitCode: 64 });
    expect((await app.call('docs.add', { taskId: 'T001', content: 'x', slug: 'x' }, { token })).success).toBe(true);
    expect((await app.call('docs.add', params, { token: { ...token, scope: 'admin' } })).success).toBe(true);
  });

  test('stores nothing in a dry run', async () => {
    const { call } = await open();
    expect(await call('docs.add', { taskId: 'T001', content: 'a', slug: 'a', dryRun: true })).toMatchObject({
      data: { dryRun: true, wouldCreate: 1 },
    });
    expect(await call('docs.list')).toMatchObject({ docs: [], _meta: { exitCode: 100 } });
  });
});

test('returns content byte for byte', async () => {
  const app = await open();
  const { call, root } = app;
  const table: [string, Buffer, 'utf8' | 'base64'][] = [
    ['nothing', Buffer.alloc(0), 'utf8'],
    ['mark', Buffer.from('\ufeff# a\r\nb'), 'utf8'],
    ['unicode', Buffer.from('👩‍👩‍👧 שלום \u0301 \uffff \u{10ffff}'), 'utf8'],
    ['nul', Buffer.from('a\0b\n'), 'base64'],
    ['binary', Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]), 'base64'],
    ['surrogate', Buffer.from([0xed, 0xa0, 0x80]), 'base64'],
  ];
  for (const [slug, bytes, encoding] of table) {
    write(app, 'a.bin', bytes);
    await call('docs.add', { taskId: 'T001', file: 'a.bin', slug });
    const fetched = await call('docs.fetch', { slug });
    expect(fetched).toMatchObject({ encoding, doc: { encoding, size: bytes.length } });
    expect(Buffer.from(fetched.content, encoding).equals(bytes)).toBe(true);
    expect(await call('docs.publish', { slug, to: `out/${slug}` })).toMatchObject({ file: `out/${slug}` });
    expect(readFileSync(join(root, 'out', slug)).equals(bytes)).toBe(true);
    // Fetched content can be added again unchanged.
    const again = { taskId: 'T002', slug, content: fetched.content, encoding: fetched.encoding };
    expect(await call('docs.add', again)).toMatchObject({ success: true, doc: { sha256: fetched.doc.sha256 } });
  }
});

describe('versions', () => {
  test('adds a version for new content, also for earlier content, and returns 102 for the same', async () => {
    const app = await open(['T001', parsers]);
    const { call } = app;
    expect(await call('docs.update', { slug: 'parsers', content: 'two' })).toMatchObject({
      doc: { version: 2, title: 'Which parsers there are' },
      data: { updated: ['parsers'] },
    });
    expect(await call('docs.update', { slug: 'parsers', content: 'two' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await call('docs.update', { slug: 'parsers', content: '# Which parsers there are\n' })).toMatchObject({ doc: { version: 3 } });
    await expectContents(app, 2);
    expect(await call('docs.fetch', { slug: 'parsers', version: 2 })).toMatchObject({ content: 'two', doc: { version: 2, versions: 3 } });
  });

  test('changes title and kind without a new version', async () => {
    const { call } = await open(['T001', parsers]);
    const named = { slug: 'parsers', title: 'Parsers', type: 'research' };
    expect(await call('docs.update', named)).toMatchObject({ doc: { title: 'Parsers', type: 'research', version: 1 } });
    expect(await call('docs.update', named)).toMatchObject({ _meta: { exitCode: 102 } });
    expect((await call('docs.update', { slug: 'parsers' })).error).toMatchObject({ exitCode: 2 });
    expect((await call('docs.update', { slug: 'parsers', type: 'novel' })).error).toMatchObject({ exitCode: 2 });
  });

  test('changes title, kind and content in one call', async () => {
    const { call } = await open(['T001', parsers]);
    const renamed = { title: 'Parsers', type: 'research', version: 2 };
    const all = { slug: 'parsers', title: 'Parsers', type: 'research', content: 'two' };
    expect(await call('docs.update', all)).toMatchObject({ doc: renamed });
    expect(await call('docs.fetch', { slug: 'parsers' })).toMatchObject({ content: 'two', doc: renamed });
  });

  test('fetches a thousand versions by number', async () => {
    const app = await open(['T001', parsers]);
    const { call, store } = app;
    await store.write({ at: '2026-01-01T00:00:00.000Z', by: 'world' }, async (writes) => {
      for (let version = 2; version <= 1000; version++) {
        const content = `version ${version}`;
        const kept = { digest: sha256(content), encoding: 'utf8' as const, size: content.length, content };
        await writes.docs.addVersion('parsers', { ...kept, version, at: '2026-01-01T00:00:00.000Z', agentId: 'world' });
      }
    });
    for (const version of [2, 500, 999, 1000])
      expect((await call('docs.fetch', { slug: 'parsers', version })).content).toBe(`version ${version}`);
    expect(await call('docs.fetch', { slug: 'parsers' })).toMatchObject({ content: 'version 1000', doc: { versions: 1000 } });
    const { error } = await call('docs.fetch', { slug: 'parsers', version: 1001 });
    expect(error).toMatchObject({ exitCode: 4, fix: 'cleo docs fetch parsers --version 1000' });
    await call('docs.remove', { slug: 'parsers' });
    await expectContents(app, 0);
  });

  test('refuses content that does not match its digest with 20', async () => {
    const { call, tamper, cli } = await open(['T001', parsers]);
    await tamper(`update doc_contents set content = 'forged'`);
    for (const [operation, params] of [
      ['docs.fetch', { slug: 'parsers' }],
      ['docs.publish', { slug: 'parsers', to: 'a.md' }],
    ] as const) {
      const { error } = await call(operation, params);
      expect(error).toMatchObject({ code: 'E_CHECKSUM_MISMATCH', exitCode: 20 });
      expect([0, 100]).toContain((await cli(error.fix)).exitCode);
    }
  });
});

describe('remove', () => {
  test('deletes all versions, or detaches one task', async () => {
    const { call } = await open(['T001', 'T002', parsers]);
    await call('docs.add', { taskId: 'T002', content: '# Which parsers there are\n', slug: 'parsers' });
    expect(await call('docs.remove', { slug: 'parsers', task: 'T002' })).toMatchObject({ tasks: ['T001'], data: { updated: ['parsers'] } });
    expect(await call('docs.remove', { slug: 'parsers', task: 'T002' })).toMatchObject({ _meta: { exitCode: 102 } });
    expect(await call('docs.remove', { slug: 'parsers', dryRun: true })).toMatchObject({ data: { wouldDelete: 1 } });
    expect(await call('docs.remove', { slug: 'parsers' })).toMatchObject({ removed: 'parsers', data: { deleted: ['parsers'] } });
    expect(await call('docs.list')).toMatchObject({ docs: [] });
  });

  test('refuses an unknown slug everywhere and suggests the nearest', async () => {
    const { call, cli } = await open(['T001', parsers]);
    for (const slug of ['parser', 'Parsers', 'par%', '../x', '']) {
      for (const [operation, params] of [
        ['docs.fetch', {}],
        ['docs.update', { content: 'a' }],
        ['docs.remove', {}],
        ['docs.publish', { to: 'a.md' }],
      ] as const) {
        const { error } = await call(operation, { slug, ...params });
        expect(error).toMatchObject({ exitCode: 4 });
        expect((await cli(error.fix)).exitCode).toBe(0);
      }
    }
    expect((await call('docs.fetch', { slug: 'parser' })).error.fix).toBe('cleo docs fetch parsers');
  });
});

describe('publish', () => {
  test('writes a version, and again only if it would change the file', async () => {
    const app = await open(['T001', parsers]);
    const { call, root } = app;
    const published = () => readFileSync(join(root, 'docs/parsers.md'), 'utf8');
    const params = { slug: 'parsers', to: 'docs/parsers.md' };
    expect(await call('docs.publish', params)).toMatchObject({ file: 'docs/parsers.md', version: 1 });
    expect(await call('docs.publish', params)).toMatchObject({ _meta: { exitCode: 102 } });
    await call('docs.update', { slug: 'parsers', content: 'two' });
    expect(await call('docs.publish', params)).toMatchObject({ version: 2 });
    expect(published()).toBe('two');
    expect(await call('docs.publish', { ...params, version: 1 })).toMatchObject({ version: 1 });
    expect(published()).toBe('# Which parsers there are\n');
  });

  test('does not overwrite an edited file', async () => {
    const app = await open(['T001', parsers]);
    const params = { slug: 'parsers', to: 'my notes.md' };
    write(app, 'my notes.md', 'by hand');
    const { error } = await app.call('docs.publish', params);
    expect(error).toMatchObject({ exitCode: 3, fix: "cleo docs update parsers 'my notes.md'" });
    expect(readFileSync(join(app.root, 'my notes.md'), 'utf8')).toBe('by hand');
    expect((await app.cli(error.alternatives[0].command)).exitCode).toBe(0);
    expect(readFileSync(join(app.root, 'my notes.md'), 'utf8')).toBe('# Which parsers there are\n');
    write(app, 'my notes.md', 'by hand');
    expect((await app.cli(error.fix)).exitCode).toBe(0);
    expect(await app.call('docs.publish', params)).toMatchObject({ version: 2, _meta: { exitCode: 102 } });
  });

  test('a caller without a shell writes no file that a program runs or obeys', async () => {
    const { call, root, cli } = await open(['T001', parsers]);
    for (const to of ['package.json', '.claude/settings.json', 'Makefile', '.envrc', 'run.sh', '.github/workflows/a.md']) {
      const { error } = await call('docs.publish', { slug: 'parsers', to, replace: true }, { gateway: 'cleo_mutate' });
      expect([to, error]).toMatchObject([to, { code: 'E_FILE_ERROR', fix: 'cleo docs publish parsers --to docs/parsers.md --replace' }]);
      expect(existsSync(join(root, to))).toBe(false);
    }
    // A caller of the command line has a shell anyway.
    expect((await cli('cleo docs publish parsers --to run.sh')).exitCode).toBe(0);
  });

  test('never writes outside the project, through a link, or into .git or .cleo', async () => {
    const { call, root, cli } = await open(['T001', parsers]);
    mkdirSync(join(root, 'folder'));
    symlinkSync('/tmp', join(root, 'out'));
    symlinkSync('/tmp/cleo-nobody', join(root, 'link'));
    for (const to of ['/tmp/x.md', '../x.md', 'a/../x.md', '.cleo/x.md', '.git/hooks/x', 'out/x.md', 'link', 'folder']) {
      const { error } = await call('docs.publish', { slug: 'parsers', to, replace: true });
      expect([to, error]).toMatchObject([to, { code: 'E_FILE_ERROR', exitCode: 3, fix: 'cleo help docs publish' }]);
      expect((await cli(error.fix)).exitCode).toBe(0);
    }
  });
});

test('lists superseded decisions that a document cites', async () => {
  const { call, tamper, store } = await open(['T001', parsers]);
  await tamper(
    ['D-001', 'D-002']
      .map(
        (id) => `insert into memories (id, type, title, content, digest, confirmation_state, agent_id, created_at)
          values ('${id}', 'decision', 'x', 'x', '${id}', 'accepted', 'x', '2026-01-01T00:00:00.000Z');`,
      )
      .join(' '),
  );
  await call('docs.update', { slug: 'parsers', content: 'As D-001 and D-002 say, not D-999.' });
  expect((await call('docs.fetch', { slug: 'parsers' })).doc).not.toHaveProperty('stale');
  await tamper(`update memories set confirmation_state = 'superseded', superseded_by = 'D-002' where id = 'D-001'`);
  const stale = [{ id: 'D-001', supersededBy: 'D-002' }];
  expect((await call('docs.fetch', { slug: 'parsers' })).doc).toMatchObject({ stale });
  expect((await call('docs.list')).docs).toMatchObject([{ slug: 'parsers', stale }]);
  await call('docs.update', { slug: 'parsers', content: 'As D-002 says.' });
  expect((await call('docs.list')).docs[0]).not.toHaveProperty('stale');
  const citing = () => store.read((reads) => reads.memory.listCiting('D-002'));
  expect(await citing()).toMatchObject([{ kind: 'doc', id: 'parsers' }]);
  await call('docs.remove', { slug: 'parsers' });
  expect(await citing()).toEqual([]);
});

/** Checks the number of stored contents with a constraint of the database. */
const expectContents = ({ tamper }: TestApp, n: number): Promise<void> =>
  tamper(`create table counted (n integer check (n = ${n})); insert into counted select count(*) from doc_contents; drop table counted`);

test('restores documents from a backup', async () => {
  const app = await openApp({ tasks: ['T001', parsers], engine: 'sqlite' });
  const { backup } = await app.call('admin.backup.create');
  await app.call('docs.remove', { slug: 'parsers' });
  expect(await app.call('admin.backup.restore', { id: backup.id }, asPerson)).toMatchObject({ success: true });
  expect((await app.call('docs.fetch', { slug: 'parsers' })).content).toBe('# Which parsers there are\n');
});
