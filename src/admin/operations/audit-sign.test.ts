import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { forgeLog, toOldForm } from '../../../test/forge-log.ts';

async function openWithEntries(count: number, options = {}): Promise<TestApp> {
  const app = await openApp(options);
  for (let i = 1; i <= count; i++) await app.call('tasks.add', { title: `Task ${i}` });
  return app;
}

const getHeadsPath = ({ root }: TestApp): string => join(root, '.cleo', 'audit-heads.jsonl');
const readHeads = (app: TestApp): Json[] =>
  readFileSync(getHeadsPath(app), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const renameAgent = (columns: (string | null)[]): (string | null)[] => columns.with(4, 'mallory');

test('signs the last entry with a key that only its owner can read', async () => {
  const app = await openWithEntries(3);
  const { signedHead, createdKey, _meta } = await app.call('admin.audit.sign');
  expect(signedHead).toMatchObject({ kind: 'head', seq: 3, signer: expect.stringMatching(/^ed25519:/) });
  expect(createdKey).toBe(true);
  expect(_meta.warnings).toEqual([expect.stringContaining('audit.signers')]);
  expect(readHeads(app)).toEqual([signedHead]);
  const key = join(app.root, 'home', 'keys', 'audit.pem');
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(statSync(join(app.root, 'home', 'keys')).mode & 0o777).toBe(0o700);
  const { chain } = await app.call('admin.audit.verify');
  expect(chain).toMatchObject({ entries: 3, level: 'signed', signed: { entries: 3, signer: 'this machine' } });
  expect(await app.call('admin.audit.sign')).not.toHaveProperty('createdKey');
});

test('names the entries that are covered after more were written', async () => {
  const app = await openWithEntries(2);
  await app.call('admin.audit.sign');
  await app.call('tasks.add', { title: 'Later' });
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 3, level: 'signed', signed: { entries: 2 } });
});

describe('a rebuilt chain', () => {
  test('is called unsigned if nothing was signed', async () => {
    const app = await openWithEntries(4);
    await forgeLog(app, renameAgent);
    expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 4, level: 'unsigned' });
    expect(await app.call('admin.audit.verify', { require: 'signed' })).toMatchObject({
      error: { code: 'E_LOG_UNPROVEN', exitCode: 1, details: { level: 'unsigned' } },
    });
  });

  test('is noticed if a head was signed, and is not signed again', async () => {
    const app = await openWithEntries(4);
    await app.call('admin.audit.sign');
    await forgeLog(app, renameAgent);
    rmSync(join(app.root, '.cleo', 'local.json'), { force: true });
    for (const operation of ['admin.audit.verify', 'admin.audit.sign']) {
      const { error } = await app.call(operation);
      expect(error).toMatchObject({ code: 'E_CHECKSUM_MISMATCH', exitCode: 20, details: { seq: 4, level: 'broken' } });
      expect(error.message).toContain('the log was rebuilt');
    }
    expect((await app.call('admin.doctor')).checks).toContainEqual(expect.objectContaining({ check: 'log', ok: false }));
  });

  test('is noticed by the facts in local.json without a signature', async () => {
    const app = await openWithEntries(4);
    await app.call('session.start', { scope: 'global', autoFocus: true });
    await app.call('session.end', { note: 'Done' });
    await forgeLog(app, renameAgent);
    expect(await app.call('admin.audit.verify')).toMatchObject({
      error: { exitCode: 20, message: expect.stringContaining('local.json') },
    });
  });
});

test.each<[string, string, RegExp]>([
  ['a deleted log', 'delete from audit_log; delete from audit_head', /entry 1 is missing: this machine signed 4 entries/],
  [
    'a moved head',
    'delete from audit_log where seq > 2; update audit_head set seq = 2, hash = (select hash from audit_log where seq = 2)',
    /entry 3 is missing/,
  ],
])('notices %s after a signature', async (_, statements, problem) => {
  const app = await openWithEntries(4);
  await app.call('admin.audit.sign');
  await app.tamper(statements);
  rmSync(join(app.root, '.cleo', 'local.json'), { force: true });
  expect((await app.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20, message: expect.stringMatching(problem) });
});

describe('the log of another project', () => {
  test('is noticed by the project key of its entries', async () => {
    const app = await openWithEntries(3);
    const { entries } = await app.call('admin.log');
    expect(entries).toHaveLength(3);
    await forgeLog(app, (columns) => columns.with(17, 'other_project'));
    expect((await app.call('admin.audit.verify')).error).toMatchObject({
      exitCode: 20,
      message: expect.stringMatching(/belongs to the project other_project, not to /),
    });
    // Writing to it does not hide it.
    await app.call('tasks.add', { title: 'Next' });
    expect((await app.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20, details: { seq: 4 } });
  });

  test('is noticed by the id of its store', async () => {
    const app = await openWithEntries(2);
    await app.call('admin.audit.sign');
    await app.call('session.start', { scope: 'global', autoFocus: true });
    await app.call('session.end', { note: 'Done' });
    await app.tamper("update store_facts set value = 'feedfeedfeedfeed' where name = 'replica'");
    expect((await app.call('admin.audit.verify')).error).toMatchObject({
      exitCode: 20,
      message: expect.stringContaining('feedfeedfeedfeed'),
    });
    rmSync(join(app.root, '.cleo', 'local.json'), { force: true });
    expect((await app.call('admin.audit.verify')).error).toMatchObject({
      exitCode: 20,
      message: expect.stringContaining('another database was put in place'),
    });
  });
});

test('entries of older versions verify in their old form', async () => {
  const app = await openWithEntries(3);
  await forgeLog(app, toOldForm);
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 3, level: 'unsigned' });
  await app.call('tasks.add', { title: 'Bound' });
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 4 });
  await app.tamper("update audit_log set principal = 'ada' where seq = 2");
  expect((await app.call('admin.audit.verify')).error.details).toMatchObject({ seq: 2 });
});

describe('keys', () => {
  test('signatures of a key that is not trusted do not count', async () => {
    const app = await openWithEntries(2);
    const { signedHead } = await app.call('admin.audit.sign');
    rmSync(join(app.root, 'home', 'keys'), { recursive: true });
    const { chain, _meta } = await app.call('admin.audit.verify');
    expect(chain).toMatchObject({ level: 'unsigned' });
    expect(_meta.warnings).toEqual([expect.stringContaining('not in audit.signers')]);
    expect((await app.call('admin.audit.verify', { signer: [`ada ${signedHead.signer}`] })).chain).toMatchObject({
      level: 'signed',
      signed: { signer: 'ada' },
    });
    expect(await app.call('admin.audit.verify', { signer: ['nonsense'] })).toMatchObject({ error: { exitCode: 6 } });
  });

  test('audit.signers names the keys that count', async () => {
    const app = await openWithEntries(2);
    const { signedHead } = await app.call('admin.audit.sign');
    const config = join(app.root, '.cleo', 'config.json');
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), audit: { signers: [`ci ${signedHead.signer}`] } }));
    expect((await app.call('admin.audit.keys')).keys).toMatchObject({
      own: signedHead.signer,
      trusted: [{ name: 'ci', publicKey: signedHead.signer, isOwn: true }],
    });
    expect((await app.call('admin.audit.verify')).chain).toMatchObject({ signed: { signer: 'ci' } });
  });

  test('a key that others can read is refused, and the fix makes it usable', async () => {
    const app = await openWithEntries(1);
    await app.call('admin.audit.sign');
    const key = join(app.root, 'home', 'keys', 'audit.pem');
    chmodSync(key, 0o644);
    const { error } = await app.call('admin.audit.sign');
    expect(error).toMatchObject({ code: 'E_FILE_ERROR', fix: expect.stringMatching(/^chmod 600 /) });
    chmodSync(key, 0o600);
    expect(await app.call('admin.audit.sign')).toMatchObject({ success: true });
    writeFileSync(key, 'not a key');
    expect(await app.call('admin.audit.sign')).toMatchObject({ error: { code: 'E_FILE_ERROR' } });
  });

  test('an SSH key of audit.signers signs, and its changed head is noticed', async () => {
    const home = mkdtempSync(join(tmpdir(), 'cleo-ssh-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, '.ssh'));
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', join(home, '.ssh', 'id_ed25519')]);
    const publicKey = readFileSync(join(home, '.ssh', 'id_ed25519.pub'), 'utf8').trim();
    const env = { HOME: home, PATH: process.env.PATH ?? '' };
    const other = await openWithEntries(1, { env });
    expect(await other.call('admin.audit.sign', { ssh: true })).toMatchObject({ error: { exitCode: 4 } });
    const app = await openWithEntries(2, { env, config: { audit: { signers: [publicKey] } } });
    const { signedHead } = await app.call('admin.audit.sign', { ssh: true });
    expect((await app.call('admin.audit.verify')).chain).toMatchObject({ level: 'signed', signed: { entries: 2, signer: 'ada' } });
    writeFileSync(getHeadsPath(app), `${JSON.stringify({ ...signedHead, seq: 1 })}\n`);
    expect((await app.call('admin.audit.verify')).error).toMatchObject({ exitCode: 20 });
  });

  test('the key can come from the environment, as on a CI runner', async () => {
    const first = await openWithEntries(1);
    await first.call('admin.audit.sign');
    const pem = readFileSync(join(first.root, 'home', 'keys', 'audit.pem'), 'utf8');
    const app = await openWithEntries(1, { env: { CLEO_AUDIT_KEY: pem.replaceAll('\n', '\\n') } });
    const { signedHead } = await app.call('admin.audit.sign');
    expect(signedHead.signer).toBe((await first.call('admin.audit.keys')).keys.own);
    expect((await app.call('admin.audit.verify')).chain.level).toBe('signed');
  });
});

test('a changed head is noticed, and a line that is not a head is ignored', async () => {
  const app = await openWithEntries(3);
  const { signedHead } = await app.call('admin.audit.sign');
  writeFileSync(getHeadsPath(app), `<<<<<<< ours\n${JSON.stringify(signedHead)}\n`);
  expect((await app.call('admin.audit.verify')).chain.level).toBe('signed');
  writeFileSync(getHeadsPath(app), `${JSON.stringify({ ...signedHead, at: '2020-01-01T00:00:00.000Z' })}\n`);
  expect((await app.call('admin.audit.verify')).error).toMatchObject({
    exitCode: 20,
    message: expect.stringContaining('that was changed'),
  });
});

test('heads that were stored elsewhere anchor the log', async () => {
  const app = await openWithEntries(3);
  await app.call('admin.audit.sign');
  const { text, heads } = await app.call('admin.audit.heads');
  expect(heads).toHaveLength(1);
  rmSync(getHeadsPath(app));
  expect((await app.call('admin.audit.verify')).chain.level).toBe('unsigned');
  for (const found of [text, JSON.stringify({ success: true, heads })])
    expect((await app.call('admin.audit.verify', { heads: found, require: 'anchored' })).chain).toMatchObject({
      level: 'anchored',
      anchored: { entries: 3, source: '--heads' },
    });
  await forgeLog(app, renameAgent);
  rmSync(join(app.root, '.cleo', 'local.json'), { force: true });
  expect((await app.call('admin.audit.verify')).chain.level).toBe('unsigned');
  expect((await app.call('admin.audit.verify', { heads: text })).error).toMatchObject({ exitCode: 20 });
});

test('the database refuses to change the log, also by replacing and truncating', async () => {
  const app = await openWithEntries(2);
  const { engine } = await app.store.read(({ audit }) => audit.getStoreFacts());
  const columns =
    'seq, timestamp, agent_id, gateway, domain, operation, params, success, exit_code, created_ids, updated_ids, deleted_ids, duration_ms, prev_hash, hash';
  const same = `select ${columns} from audit_log where seq = 2`;
  const statements =
    engine === 'sqlite'
      ? [
          `insert or replace into audit_log (${columns}) ${same}`,
          `replace into audit_log (${columns}) ${same}`,
          'delete from audit_log',
          'update audit_log set seq = 9 where seq = 2',
          'delete from audit_head',
          'update audit_head set seq = 1',
          "insert or replace into audit_head (id, seq, hash) values (1, 1, 'x')",
        ]
      : ['truncate audit_log', 'delete from audit_log', 'update audit_head set seq = 1', 'delete from audit_head', 'truncate audit_head'];
  for (const statement of statements) await expect(runStatement(app, engine, statement), statement).rejects.toThrow(/append-only/);
  expect((await app.call('admin.audit.verify')).chain).toMatchObject({ entries: 2 });
});

/** Runs a statement with the triggers of the database on, as a tool for databases does. */
async function runStatement(app: TestApp, engine: string, statement: string): Promise<void> {
  if (engine === 'sqlite') {
    const { loadSqliteDriver } = await import('#store/dialects/sqlite-driver.ts');
    const database = new (loadSqliteDriver().DatabaseSync)(join(app.root, '.cleo', 'cleo.db'), { timeout: 5000 });
    try {
      database.exec(statement);
    } finally {
      database.close();
    }
    return;
  }
  const { default: postgres } = await import('postgres');
  const client = postgres(app.env.CLEO_DATABASE_URL!, { max: 1, onnotice: () => {} });
  const { key } = JSON.parse(readFileSync(join(app.root, '.cleo', 'config.json'), 'utf8')).project;
  try {
    await client.unsafe(`begin; set local search_path to "cleo_${key}", public; ${statement}; commit`).simple();
  } finally {
    await client.end({ timeout: 5 });
  }
}

test('audit anchor asks for a signed head and a repository first', async () => {
  const app = await openWithEntries(1);
  expect((await app.call('admin.audit.anchor')).error).toMatchObject({ exitCode: 4, fix: 'cleo audit sign' });
  await app.call('admin.audit.sign');
  mkdirSync(join(app.root, 'x'));
  expect((await app.call('admin.audit.anchor')).error).toMatchObject({ code: 'E_ANCHOR_FAILED', fix: 'git init' });
});
