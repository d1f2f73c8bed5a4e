import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, openApp, type TestApp } from '../../../test/app.ts';

const openFile = (): Promise<TestApp> => openApp({ engine: 'sqlite', tasks: ['T001'] });

test('an agent may not move the store', async () => {
  const app = await openFile();
  expect(await app.call('admin.store.migrate', { to: 'postgres://db.example.com/cleo' })).toMatchObject({
    error: { code: 'E_FORBIDDEN', fix: expect.stringContaining('Ask a person to run: cleo store migrate') },
  });
});

test('a store that is there already is not moved', async () => {
  const app = await openFile();
  expect(await app.call('admin.store.migrate', { to: 'sqlite' }, asPerson)).toMatchObject({
    success: true,
    rows: 0,
    from: { engine: 'sqlite', place: join(app.root, '.cleo', 'cleo.db') },
    _meta: { exitCode: 102 },
  });
});

test.each([
  ['mysql://x/y', /must be an address such as postgres/],
  ['postgres://ada:secret@db.example.com/cleo', /must not contain a password/],
  ['postgres://db.example.com/cleo?nope=1', /nope/],
])('rejects the address %s', async (to, message) => {
  const app = await openFile();
  const { error } = await app.call('admin.store.migrate', { to }, asPerson);
  expect(error).toMatchObject({ code: 'E_VALIDATION_TO', exitCode: 6, message: expect.stringMatching(message) });
  expect(JSON.stringify(error)).not.toContain('secret');
});

test('a server that cannot be reached leaves everything as it is', async () => {
  const app = await openFile();
  const file = join(app.root, '.cleo', 'config.json');
  const config = readFileSync(file, 'utf8');
  for (const dryRun of [true, false])
    expect(await app.call('admin.store.migrate', { to: 'postgres://127.0.0.1:1/cleo', dryRun }, asPerson)).toMatchObject({
      error: { code: 'E_STORE_UNREACHABLE', exitCode: 3 },
    });
  expect(readFileSync(file, 'utf8')).toBe(config);
  expect(await app.call('tasks.add', { title: 'Goes on' })).toMatchObject({ success: true });
});

test('CLEO_DATABASE_URL must not name the present store, because the configuration could not switch it', async () => {
  const app = await openApp({ engine: 'sqlite', env: { CLEO_DATABASE_URL: 'postgres://ada:pw@127.0.0.1:1/x' } }).catch(() => undefined);
  if (!app) throw new Error('the project was not opened');
  const { error } = await app.call('admin.store.migrate', { to: 'sqlite' }, asPerson);
  expect(error).toMatchObject({ code: 'E_CONFIG_ERROR', fix: 'cleo config set store.url postgres://ada@127.0.0.1:1/x' });
});

const markStore = (app: TestApp, state: string, place: string): Promise<void> =>
  app.tamper(
    `insert into schema_migrations (version, checksum, applied_at) values (-1, '${JSON.stringify({ state, place, at: '2026-01-01' })}', '')`,
  );

test('a store that was moved can be read with a warning, and names the new place for writes', async () => {
  const app = await openApp({ tasks: ['T001'] });
  const place = 'postgres://cleo@db.example.com/team';
  await markStore(app, 'moved', place);
  const { error } = await app.call('tasks.add', { title: 'Too late' });
  expect(error).toMatchObject({
    code: 'E_STORE_MOVED',
    exitCode: 8,
    message: expect.stringContaining(place),
    fix: expect.stringContaining(`cleo store migrate --to ${place}`),
    details: { place },
  });
  const read = await app.call('tasks.list');
  expect(read.tasks).toHaveLength(1);
  expect(read._meta.warnings).toEqual([`the store was moved to ${place}; this one is read-only and no longer updated`]);
});

test('the copy of a move that has not ended can be neither read nor written', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await markStore(app, 'incoming', '/elsewhere/.cleo/cleo.db');
  for (const [operation, params] of [
    ['tasks.add', { title: 'Too early' }],
    ['tasks.list', {}],
  ] as const)
    expect(await app.call(operation, params)).toMatchObject({
      error: { code: 'E_STORE_MOVED', exitCode: 8, fix: 'cleo config get store.url', message: expect.stringContaining('has not ended') },
    });
});

test('a long process notices before its next write that the store was moved', async () => {
  const app = await openApp({ tasks: ['T001'] });
  await app.call('tasks.add', { title: 'Before' });
  await markStore(app, 'moved', 'postgres://cleo@db.example.com/team');
  expect(await app.call('tasks.add', { title: 'After' })).toMatchObject({ error: { code: 'E_STORE_MOVED' } });
});
