import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asPerson, type Json, type TestApp } from '../../../../test/app.ts';
import { listPlan, mergeFiles, openReplica, planFolder } from '../../../../test/plan-replicas.ts';
import { createRepository } from '../../../../test/repository.ts';
import { decisionNamespace, formatStatement } from '../../../sessions/rules/proof-statement.ts';

const tasks = ['T001', 'memory decision: Tokens are structs'];
const later = '2026-06-01T00:00:00.000Z';

let edits = 0;

/** Writes a decision into the plan file as an agent does that knows the format. */
function forge(app: TestApp, value: object | string, field = 'decision'): void {
  const name = listPlan(app).find((each) => each.startsWith('memory/'))!;
  const path = join(planFolder(app), name);
  const entry = `{"value": ${JSON.stringify(value)}, "stamp": "${later}.${String(++edits).padStart(4, '0')}.${'f'.repeat(16)}"}`;
  const text = readFileSync(path, 'utf8').replace(new RegExp(`("${field}": \\[\\n\\s*)\\{.*\\}(?=\\n)`), (_, start) => `${start}${entry}`);
  expect(text).toContain(later);
  writeFileSync(path, text);
}

const readState = async (app: TestApp): Promise<string> => (await app.call('memory.fetch', { id: 'D-001' })).memory.confirmation_state;
const accepted = { state: 'accepted', by: 'sam', at: later, proof: '{"via":"terminal","operation":"memory.confirm"}' };
const listIssues = ({ sync }: Json): string[] => (sync.issues ?? []).map(({ problem }: Json) => problem);

test('a decision that is written into a plan file by hand stays what it is, and the next sync does not undo the file', async () => {
  const app = await openReplica(1, { tasks });
  const { git } = createRepository(app.root);
  await app.call('sync.run');
  git('add', '-f', '.cleo/plan');
  git('commit', '-qm', 'plan');
  forge(app, accepted);
  expect(listIssues(await app.call('sync.run'))).toEqual([
    'D-001 is accepted in its plan file, but no commit has it like this; it is proposed here. Ask a person to run: cleo memory confirm D-001',
  ]);
  expect(await readState(app)).toBe('proposed');
  expect((await app.reply('sync.run')).exitCode).toBe(102);
  expect(await readState(app)).toBe('proposed');
  await app.call('memory.confirm', { id: 'D-001' }, asPerson);
  await app.call('sync.run');
  expect(await readState(app)).toBe('accepted');
  // The text of an accepted decision is what was decided.
  forge(app, 'Tokens are classes', 'content');
  await app.call('sync.run');
  expect((await app.call('memory.fetch', { id: 'D-001' })).memory).toMatchObject({ content: 'Tokens are structs' });
  forge(app, { state: 'proposed' });
  await app.call('sync.run');
  expect(await readState(app)).toBe('accepted');
});

test.each(['a decision', 'a decision that is new here'])('%s that a commit has arrives as it was decided', async (title) => {
  const a = await openReplica(1, { tasks });
  await a.call('memory.confirm', { id: 'D-001' }, asPerson);
  await a.call('sync.run');
  const b = await openReplica(2, { tasks: title === 'a decision' ? tasks : [] });
  const { git } = createRepository(b.root);
  await b.call('sync.run');
  mergeFiles(a, b);
  git('add', '-f', '.cleo/plan');
  git('commit', '-qm', 'merge');
  expect((await b.call('sync.run')).success).toBe(true);
  expect(await readState(b)).toBe('accepted');
});

test('with decide.proof passphrase no file decides', async () => {
  const app = await openReplica(1, { tasks, config: { decide: { proof: 'passphrase' } } });
  const { git } = createRepository(app.root);
  await app.call('sync.run');
  forge(app, accepted);
  git('add', '-f', '.cleo/plan');
  git('commit', '-qm', 'forged');
  expect(listIssues(await app.call('sync.run'))).toEqual([expect.stringContaining('passphrase, which a file cannot prove')]);
  expect(await readState(app)).toBe('proposed');
});

test('with decide.proof ssh a decision arrives only with a signature of it', async () => {
  const app = await openReplica(1, { tasks });
  const keyFile = join(app.root, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', keyFile]);
  const signer = `sam ${readFileSync(`${keyFile}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')}`;
  const path = join(app.root, '.cleo', 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...config, decide: { proof: 'ssh', signers: [signer] } }));
  const { git } = createRepository(app.root);
  await app.call('sync.run');
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const sign = (content: string, operation = 'memory.confirm') => {
    const facts = { project: config.project.key, operation, subject: 'D-001', params: '0', content: sha256(content), at: later };
    const statement = formatStatement(facts);
    const signature = execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-f', keyFile, '-n', decisionNamespace], { input: statement });
    const evidence = { subject: 'D-001', statement, signature: signature.toString() };
    return { ...accepted, proof: JSON.stringify({ via: 'ssh', operation, evidence }) };
  };
  const { memory } = await app.call('memory.fetch', { id: 'D-001' });
  const text = JSON.stringify({ id: 'D-001', title: memory.title, content: memory.content });
  const attempts: [object, string][] = [
    [accepted, 'it has no signature'],
    [sign(text, 'memory.reject'), 'its signature is for something else'],
    [sign(`${text} `), 'it is signed for another content'],
    [{ ...sign(text), proof: sign(text).proof.replace(/U1NIU0lH\w{20}/, 'U1NIU0lHAAAAAAAAAAAAAAAAAAAA') }, 'no key of decide.signers'],
  ];
  for (const [decision, problem] of attempts) {
    forge(app, decision);
    git('add', '-f', '.cleo/plan');
    git('commit', '-qm', problem);
    expect(listIssues(await app.call('sync.run'))).toEqual([expect.stringContaining(problem)]);
    expect(await readState(app)).toBe('proposed');
  }
  forge(app, sign(text));
  expect(listIssues(await app.call('sync.run'))).toEqual([]);
  expect(await readState(app)).toBe('accepted');
});
