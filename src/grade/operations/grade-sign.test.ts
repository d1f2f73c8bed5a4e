import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../test/app.ts';
import { forgeLog } from '../../../test/forge-log.ts';
import { createRepository, type Repository } from '../../../test/repository.ts';
import { dispatch } from '../../dispatch/dispatch.ts';
import { createApp } from '../../main.ts';
import { createPlatform } from '../../platform/platform.ts';

const id = 'session-1';
const grading = { CLEO_SESSION_GRADE: 'true', CLEO_SESSION_GRADE_ID: id };

/** A session that asks for nothing first and adds tasks without descriptions, so its grade is low. */
async function openGraded(env: Record<string, string> = {}): Promise<TestApp> {
  const app = await openApp({ tasks: ['T001 epic'], env: { ...grading, ...env } });
  for (let i = 0; i < 4; i++) await app.call('tasks.add', { title: `Part ${i}` });
  await app.call('tasks.list');
  return app;
}

const getStatementPath = (root: string): string => join(root, '.cleo', 'plan', 'grades', `${id}.json`);
const readStatement = (root: string): Json => JSON.parse(readFileSync(getStatementPath(root), 'utf8'));
const trust = (root: string, signer: string): void => {
  const path = join(root, '.cleo', 'config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), audit: { signers: [`ci ${signer}`] } }));
};

/** A checkout that has the committed files of the project, but no store and no key. */
function createCheckout({ root }: TestApp, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cleo-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.cleo'));
  for (const name of ['config.json', 'plan']) cpSync(join(root, '.cleo', name), join(folder, '.cleo', name), { recursive: true });
  return { folder, call: callIn(folder, env) };
}

const callIn =
  (folder: string, env: Record<string, string> = {}) =>
  async (params: Record<string, unknown>): Promise<Json> => {
    const platform = createPlatform(
      { CLEO_HOME: join(folder, 'home'), CLEO_ROOT: folder, CLEO_AGENT_ID: 'ci', ...env },
      folder,
      '0.0.0-test',
    );
    const app = createApp(platform);
    const { envelope } = await dispatch(app, { operation: 'admin.grade', params: { sessionId: id, ...params }, gateway: 'cli' });
    await app.closeStores().catch(() => {});
    return envelope as Json;
  };

/** Rewrites the session into one that would have a high grade, and rebuilds the chain. */
const forgeGrade = (app: TestApp): Promise<void> =>
  forgeLog(app, (columns) =>
    columns[7] === 'add'
      ? columns.with(8, '{"title":"Part","description":"All of it"}')
      : columns.with(5, 'cleo_query').with(6, 'session').with(7, 'list').with(8, '{}'),
  );

test('writes a statement with stable keys that names the entries, the head, the replica and the signer', async () => {
  const app = await openGraded();
  const { grade, statement, file } = await app.call('admin.grade.sign', { sessionId: id });
  expect(file).toBe(`.cleo/plan/grades/${id}.json`);
  expect(statement).toMatchObject({
    kind: 'grade',
    first: { seq: 1 },
    last: { seq: 5 },
    head: { seq: 5 },
    grade: { totalScore: grade.totalScore },
  });
  const text = readFileSync(getStatementPath(app.root), 'utf8');
  expect(JSON.parse(text)).toEqual(statement);
  expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(JSON.parse(text)).sort());
  expect(await app.call('admin.grade.sign', { sessionId: 'session-9' })).toMatchObject({ error: { exitCode: 4 } });
});

describe('a forged grade', () => {
  test('is called unsigned if the log was never signed', async () => {
    const app = await openGraded();
    const { percent } = (await app.call('admin.grade', { sessionId: id })).grade;
    await forgeGrade(app);
    const { grade, verification } = await app.call('admin.grade', { sessionId: id, require: 'signed' }).then(async ({ error }) => {
      expect(error).toMatchObject({ code: 'E_LOG_UNPROVEN', details: { level: 'unsigned' } });
      await app.call('admin.grade', { sessionId: id });
      return app.call('admin.grade', { sessionId: id, verify: true });
    });
    expect(grade.percent).toBeGreaterThan(percent + 30);
    expect(verification).toMatchObject({ holds: true, level: 'unsigned' });
  });

  test.each([true, false])('is noticed if the log was signed, with the statement: %s', async (hasStatement) => {
    const app = await openGraded();
    await app.call(hasStatement ? 'admin.grade.sign' : 'admin.audit.sign', hasStatement ? { sessionId: id } : {});
    await app.call('admin.grade', { sessionId: id });
    await forgeGrade(app);
    rmSync(join(app.root, '.cleo', 'local.json'), { force: true });
    for (const params of [{ verify: true }, { require: 'signed' }])
      expect((await app.call('admin.grade', { sessionId: id, ...params })).error).toMatchObject({ exitCode: 20 });
    // Without the heads only the statement is left.
    rmSync(join(app.root, '.cleo', 'audit-heads.jsonl'));
    await app.call('admin.grade', { sessionId: id });
    const after = await app.call('admin.grade', { sessionId: id, verify: true });
    if (hasStatement) expect(after.error).toMatchObject({ exitCode: 20, message: expect.stringContaining('the statement of session-1') });
    else expect(after.verification.level).toBe('unsigned');
  });
});

test('a session that continued after the statement still matches it', async () => {
  const app = await openGraded();
  await app.call('admin.grade.sign', { sessionId: id });
  await app.call('tasks.add', { title: 'More' });
  await app.call('admin.grade', { sessionId: id });
  const { verification } = await app.call('admin.grade', { sessionId: id, verify: true });
  expect(verification).toMatchObject({ holds: true, level: 'unsigned', chain: { level: 'signed', signed: { entries: 5 } } });
});

describe('a checkout without the log', () => {
  test('verifies a statement by a trusted key and applies --min', async () => {
    const app = await openGraded();
    const { statement, grade } = await app.call('admin.grade.sign', { sessionId: id });
    trust(app.root, statement.signer);
    const { call } = createCheckout(app);
    expect(await call({ verify: true })).toMatchObject({
      grade: { percent: grade.percent },
      verification: { level: 'signed', statement: { signer: 'ci', replica: statement.replica, entries: 5 } },
    });
    expect(await call({ require: 'signed', min: 90 })).toMatchObject({ error: { code: 'E_GRADE_TOO_LOW', exitCode: 1 } });
    expect(await call({ require: 'anchored' })).toMatchObject({ error: { code: 'E_LOG_UNPROVEN', details: { level: 'signed' } } });
    const { text } = await app.call('admin.audit.heads');
    expect(await call({ require: 'anchored', heads: text, min: 0 })).toMatchObject({ verification: { level: 'anchored' } });
  });

  test('says elsewhere without a statement, and for a key that is not trusted', async () => {
    const app = await openGraded();
    await app.call('admin.grade', { sessionId: id });
    const { statement } = await app.call('admin.grade.sign', { sessionId: id });
    const { call, folder } = createCheckout(app);
    expect((await call({ verify: true })).error).toMatchObject({
      code: 'E_LOG_UNPROVEN',
      details: { level: 'elsewhere' },
      message: expect.stringContaining('not in audit.signers'),
    });
    expect(await call({ verify: true, signer: [statement.signer] })).toMatchObject({ verification: { level: 'signed' } });
    rmSync(getStatementPath(folder));
    expect((await call({ verify: true })).error).toMatchObject({
      details: { level: 'elsewhere' },
      message: expect.stringContaining('no statement'),
    });
  });

  test.each<[string, (statement: Json) => Json]>([
    ['more points', (statement) => ({ ...statement, grade: { ...statement.grade, totalScore: 95 } })],
    ['another session', (statement) => ({ ...statement, grade: { ...statement.grade, sessionId: 'session-2' } })],
    ['another project', (statement) => ({ ...statement, project: 'other' })],
    ['another entry', (statement) => ({ ...statement, last: { ...statement.last, seq: 99 } })],
    ['a missing field', ({ head: _, ...statement }) => statement],
    ['an empty signature', (statement) => ({ ...statement, signature: '' })],
  ])('refuses a statement with %s (20)', async (_, change) => {
    const app = await openGraded();
    const { statement } = await app.call('admin.grade.sign', { sessionId: id });
    trust(app.root, statement.signer);
    const { call, folder } = createCheckout(app);
    writeFileSync(getStatementPath(folder), JSON.stringify(change(readStatement(folder))));
    expect((await call({ verify: true, require: 'signed' })).error).toMatchObject({ exitCode: 20, details: { level: 'broken' } });
  });
});

describe('anchors', () => {
  /** A project in a repository with a bare remote. */
  async function openAnchored(): Promise<{ app: TestApp; repository: Repository; remote: string; env: Record<string, string> }> {
    const { env } = createRepository(mkdtempSync(join(tmpdir(), 'cleo-env-')));
    const app = await openGraded(env);
    const repository = createRepository(app.root);
    const remote = mkdtempSync(join(tmpdir(), 'cleo-remote-'));
    onTestFinished(() => rmSync(remote, { recursive: true, force: true }));
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', remote], { env });
    repository.git('remote', 'add', 'origin', remote);
    return { app, repository, remote, env };
  }

  test('a fresh clone verifies a grade that was anchored on the remote', async () => {
    const { app, repository, remote, env } = await openAnchored();
    const { statement } = await app.call('admin.grade.sign', { sessionId: id });
    trust(app.root, statement.signer);
    repository.commit({ '.gitignore': 'home\n' });
    repository.git('add', '.cleo/config.json', '.cleo/plan');
    repository.git('commit', '--quiet', '--message', 'Plan');
    repository.git('push', '--quiet', 'origin', 'HEAD');
    const clone = join(mkdtempSync(join(tmpdir(), 'cleo-fresh-')), 'clone');
    onTestFinished(() => rmSync(join(clone, '..'), { recursive: true, force: true }));
    execFileSync('git', ['clone', '--quiet', remote, clone], { env });
    const call = callIn(clone, env);
    // The local ref does not count, and nothing is pushed unasked.
    expect((await app.call('admin.audit.anchor')).anchor).not.toHaveProperty('pushedTo');
    expect(repository.git('ls-remote', 'origin', 'refs/notes/cleo')).toBe('');
    expect((await call({ require: 'anchored' })).error).toMatchObject({ details: { level: 'signed' } });
    expect((await app.call('admin.audit.verify')).chain.level).toBe('signed');
    expect((await app.call('admin.audit.anchor', { push: true })).anchor).toMatchObject({ pushedTo: 'origin', heads: 1 });
    expect(await call({ require: 'anchored' })).toMatchObject({
      verification: { level: 'anchored', statement: { source: 'the git remote origin' } },
    });
    expect((await app.call('admin.audit.verify')).chain).toMatchObject({ level: 'anchored', anchored: { entries: 5 } });
  });

  test('two clones that anchor at the same time keep the heads of both', async () => {
    const { app, repository, remote, env } = await openAnchored();
    await app.call('admin.audit.sign');
    repository.commit({ 'a.txt': 'a' });
    repository.git('push', '--quiet', 'origin', 'HEAD');
    await app.call('admin.audit.anchor', { push: true });
    const other = join(mkdtempSync(join(tmpdir(), 'cleo-other-')), 'clone');
    onTestFinished(() => rmSync(join(other, '..'), { recursive: true, force: true }));
    execFileSync('git', ['clone', '--quiet', remote, other], { env });
    execFileSync('git', ['notes', '--ref=refs/notes/cleo', 'add', '-m', 'of the other clone', 'HEAD'], { cwd: other, env });
    execFileSync('git', ['push', '--quiet', '--force', 'origin', 'refs/notes/cleo'], { cwd: other, env });
    await app.call('tasks.add', { title: 'More' });
    await app.call('admin.audit.sign');
    await app.call('admin.audit.anchor', { push: true });
    const notes = execFileSync(
      'git',
      ['--git-dir', remote, 'notes', '--ref=refs/notes/cleo', 'show', repository.git('rev-parse', 'HEAD')],
      {
        env,
        encoding: 'utf8',
      },
    );
    expect(notes).toContain('of the other clone');
    expect(notes.match(/"kind":"head"/g)).toHaveLength(2);
  });

  test('a rebuilt log is noticed by the remote alone', async () => {
    const { app, repository } = await openAnchored();
    await app.call('admin.audit.sign');
    repository.commit({ 'a.txt': 'a' });
    await app.call('admin.audit.anchor', { push: true });
    await forgeGrade(app);
    for (const name of ['local.json', 'audit-heads.jsonl']) rmSync(join(app.root, '.cleo', name), { force: true });
    repository.git('update-ref', '-d', 'refs/notes/cleo');
    expect((await app.call('admin.audit.verify')).chain.level).toBe('unsigned');
    expect((await app.call('admin.audit.verify', { remote: 'origin' })).error).toMatchObject({ exitCode: 20 });
    expect((await app.call('admin.grade', { sessionId: id, require: 'anchored' })).error).toMatchObject({ exitCode: 20 });
  });

  test('a remote that cannot be reached is a warning, and an error if anchors are required', async () => {
    const { app, repository, remote } = await openAnchored();
    await app.call('admin.audit.sign');
    repository.commit({ 'a.txt': 'a' });
    await app.call('admin.audit.anchor');
    rmSync(remote, { recursive: true });
    expect(await app.call('admin.audit.verify')).toMatchObject({
      chain: { level: 'signed' },
      _meta: { warnings: [expect.stringContaining('anchors were not looked up')] },
    });
    expect(await app.call('admin.audit.verify', { require: 'anchored' })).toMatchObject({ error: { exitCode: 5 } });
  });
});
