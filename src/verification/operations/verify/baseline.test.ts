import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../../../../test/app.ts';
import { addWorktree, createRepository, type Repository } from '../../../../test/repository.ts';

const verify = ({ call }: Pick<TestApp, 'call'>, evidence: string): Promise<Json> =>
  call('verify.gate', { taskId: 'T001', gate: 'implemented', evidence });
const problem = (answer: Json): string => answer.error?.message ?? 'accepted';

async function openRepository(tasks = ['T001']): Promise<{ app: TestApp; repository: Repository; first: string }> {
  const app = await openApp({ tasks });
  const repository = createRepository(app.root);
  const first = repository.commit({ '.gitignore': '.cleo\nhome\nbuild\n', 'a.txt': 'a', 'b.txt': 'b' });
  return { app, repository, first };
}

/** Commits what is staged with another time; returns the commit. */
function commitAt({ folder, env, git }: Repository, at: string, ...flags: string[]): string {
  execFileSync('git', ['commit', '--quiet', '--message', 'Earlier', ...flags], { cwd: folder, env: { ...env, GIT_COMMITTER_DATE: at } });
  return git('rev-parse', 'HEAD');
}

describe('a commit', () => {
  test('counts if it was made after the first claim, as HEAD, by a short hash or by a branch', async () => {
    const { app, repository } = await openRepository();
    await app.call('tasks.start', { taskId: 'T001' });
    const sha = repository.commit({ 'a.txt': 'changed' });
    for (const name of [sha, 'HEAD', sha.slice(0, 5), 'main'])
      expect(await verify(app, `commit:${name}`)).toMatchObject({ verification: { evidence: [{ kind: 'commit', commit: sha }] } });
    repository.commit({ 'a.txt': 'again' });
    expect(await verify(app, 'commit:HEAD~1')).toMatchObject({ verification: { evidence: [{ commit: sha }] } });
  });

  test('does not count if the baseline contains it, or if it is empty', async () => {
    const { app, repository, first } = await openRepository();
    const second = repository.commit({ 'a.txt': 'before the claim' });
    await app.call('tasks.start', { taskId: 'T001' });
    for (const sha of [first, second]) expect(problem(await verify(app, `commit:${sha}`))).toContain('existed when T001 was first claimed');
    repository.git('commit', '--quiet', '--allow-empty', '--message', 'Nothing');
    expect(problem(await verify(app, 'commit:HEAD'))).toContain('changes no file outside .cleo');
    repository.git('add', '--force', '.cleo/config.json');
    repository.git('commit', '--quiet', '--message', 'Store');
    expect(problem(await verify(app, 'commit:HEAD'))).toContain('changes no file outside .cleo');
    expect((await app.call('verify.status', { taskId: 'T001' })).verification).toMatchObject({ round: 1, failedRounds: 0 });
  });

  test('counts from the first claim on, whoever holds the task later', async () => {
    const { app, repository } = await openRepository();
    await app.as('ada').call('tasks.start', { taskId: 'T001' });
    const sha = repository.commit({ 'a.txt': 'changed' });
    await app.as('ada').call('tasks.stop', { taskId: 'T001' });
    await app.call('tasks.start', { taskId: 'T001' });
    expect(problem(await verify(app, `commit:${sha}`))).toBe('accepted');
  });

  test('the first commit of a repository counts', async () => {
    const app = await openApp({ tasks: ['T001'] });
    const repository = createRepository(app.root);
    await app.call('tasks.start', { taskId: 'T001' });
    repository.commit({ 'a.txt': 'a' });
    expect(problem(await verify(app, 'commit:HEAD'))).toBe('accepted');
  });

  test('of a task that was never claimed counts if it is newer than the task', async () => {
    const { app, repository } = await openRepository([]);
    commitAt(repository, '2020-01-01T00:00:00Z', '--amend');
    await app.call('tasks.add', { title: 'Change it' });
    expect(problem(await verify(app, 'commit:HEAD'))).toContain('existed when T001 was created');
    repository.commit({ 'a.txt': 'changed' });
    expect(problem(await verify(app, 'commit:HEAD'))).toBe('accepted');
  });

  test('is compared by time if the commit of the claim is unknown here', async () => {
    const { app, repository, first } = await openRepository();
    commitAt(repository, '2019-01-01T00:00:00Z', '--amend');
    const sha = repository.commit({ 'a.txt': 'changed' });
    await app.call('tasks.start', { taskId: 'T001' });
    await app.tamper(`update task_baselines set head = '${'1'.repeat(40)}', at = '2099-01-01T00:00:00.000Z'`);
    expect(problem(await verify(app, `commit:${sha}`))).toContain('existed when T001 was first claimed');
    await app.tamper("update task_baselines set at = '2020-01-01T00:00:00.000Z'");
    expect(problem(await verify(app, `commit:${sha}`))).toBe('accepted');
    expect(problem(await verify(app, `commit:${first}`))).toContain('is not part of the branch');
  });

  test('does not count if it repeats a change of the baseline under another hash', async () => {
    const { app, repository, first } = await openRepository();
    const second = repository.commit({ 'a.txt': 'second' });
    const third = repository.commit({ 'b.txt': 'third' });
    await app.call('tasks.start', { taskId: 'T001' });
    const copied = 'only repeats a change that existed when T001 was first claimed';
    repository.git('commit', '--quiet', '--amend', '--message', 'Amended');
    expect(problem(await verify(app, 'commit:HEAD'))).toContain(copied);
    repository.git('reset', '--quiet', '--hard', first);
    repository.git('cherry-pick', third);
    expect(problem(await verify(app, 'commit:HEAD'))).toContain(copied);
    // One commit of both, and one whose content the baseline has replaced since.
    repository.git('reset', '--quiet', '--soft', first);
    repository.git('checkout', '--quiet', third, '--', '.');
    repository.git('commit', '--quiet', '--message', 'Squashed');
    expect(problem(await verify(app, 'commit:HEAD'))).toContain(copied);
    repository.git('reset', '--quiet', '--hard', third);
    repository.commit({ 'a.txt': 'replaced' });
    await app.call('tasks.add', { title: 'Another' });
    await app.call('tasks.start', { taskId: 'T002' });
    repository.git('reset', '--quiet', '--hard', first);
    repository.git('cherry-pick', second);
    repository.git('commit', '--quiet', '--amend', '--message', 'Amended');
    const answer = await app.call('verify.gate', { taskId: 'T002', gate: 'implemented', evidence: 'commit:HEAD' });
    expect(problem(answer)).toContain('only repeats a change that existed when T002 was first claimed');
    repository.commit({ 'a.txt': 'work' });
    expect(problem(await verify(app, 'commit:HEAD'))).toBe('accepted');
  });

  test('does not count if the claim was made on an older commit than the branch had', async () => {
    const { app, repository, first } = await openRepository();
    const newer = commitAt(repository, '2019-01-01T00:00:00Z', '--allow-empty');
    repository.git('checkout', '--quiet', '--detach', first);
    await app.call('tasks.start', { taskId: 'T001' });
    repository.commit({ 'c.txt': 'work' });
    repository.git('checkout', '--quiet', 'main');
    writeFileSync(join(app.root, 'a.txt'), 'before the claim');
    repository.git('add', 'a.txt');
    const sha = commitAt(repository, '2019-01-02T00:00:00Z');
    for (const commit of [newer, sha])
      expect(problem(await verify(app, `commit:${commit}`))).toContain('existed when T001 was first claimed');
    expect(problem(await verify(app, 'files:a.txt'))).toContain('"a.txt" has not changed');
    expect(problem(await verify(app, `commit:${repository.commit({ 'a.txt': 'work' })}`))).toBe('accepted');
  });

  test('does not count if git shows another history than the one that was committed', async () => {
    const { app, repository, first } = await openRepository();
    const second = repository.commit({ 'a.txt': 'second' });
    const third = repository.commit({ 'b.txt': 'third' });
    await app.call('tasks.start', { taskId: 'T001' });
    repository.commit({ 'c.txt': 'work' });
    repository.git('replace', third, first);
    expect(problem(await verify(app, 'files:b.txt'))).toContain('"b.txt" has not changed');
    expect(problem(await verify(app, `commit:${second}`))).toContain('existed when T001 was first claimed');
    repository.git('replace', '--delete', third);
    mkdirSync(join(app.root, '.git', 'info'), { recursive: true });
    writeFileSync(join(app.root, '.git', 'info', 'grafts'), `${third}\n`);
    expect(problem(await verify(app, `commit:${second}`))).toContain('existed when T001 was first claimed');
  });

  test('does not count in another repository, nor do files outside of any', async () => {
    const { app } = await openRepository();
    await app.call('tasks.start', { taskId: 'T001' });
    const missing = 'has neither the commit';
    rmSync(join(app.root, '.git'), { recursive: true });
    writeFileSync(join(app.root, 'a.txt'), 'changed');
    expect(problem(await verify(app, 'files:a.txt'))).toContain(missing);
    const other = createRepository(join(app.root, 'home', 'other'));
    other.commit({ 'x.txt': 'x' });
    writeFileSync(join(app.root, '.git'), `gitdir: ${join(other.folder, '.git')}\n`);
    expect(problem(await verify(app, 'files:a.txt'))).toContain(missing);
    expect(problem(await verify(app, 'commit:HEAD'))).toContain(missing);
  });
});

describe('files', () => {
  test('count if they differ from the commit of the first claim, committed or not', async () => {
    const { app, repository } = await openRepository();
    await app.call('tasks.start', { taskId: 'T001' });
    expect(problem(await verify(app, 'files:a.txt'))).toContain('"a.txt" has not changed since T001 was first claimed');
    writeFileSync(join(app.root, 'a.txt'), 'changed');
    writeFileSync(join(app.root, 'new [1].txt'), 'new');
    expect(problem(await verify(app, 'files:a.txt,new [1].txt'))).toBe('accepted');
    expect(problem(await verify(app, 'files:a.txt,b.txt'))).toContain('"b.txt" has not changed');
    repository.commit({ 'b.txt': 'changed' });
    expect(problem(await verify(app, 'files:a.txt,b.txt'))).toBe('accepted');
    writeFileSync(join(app.root, 'a.txt'), 'a');
    expect(problem(await verify(app, 'files:a.txt'))).toContain('has not changed');
  });

  test('that git ignores count if they are newer than the claim', async () => {
    const { app } = await openRepository();
    writeFileSync(join(app.root, 'build'), 'old');
    utimesSync(join(app.root, 'build'), 0, 0);
    await app.call('tasks.start', { taskId: 'T001' });
    expect(problem(await verify(app, 'files:build'))).toContain('"build" has not changed');
    writeFileSync(join(app.root, 'build'), 'new');
    expect(problem(await verify(app, 'files:build'))).toBe('accepted');
  });

  test('do not differ only because their branch is older than the claim', async () => {
    const { app, repository, first } = await openRepository();
    repository.commit({ 'a.txt': 'newer on main' });
    await app.call('tasks.start', { taskId: 'T001' });
    repository.git('checkout', '--quiet', '-b', 'old', first);
    expect(problem(await verify(app, 'files:a.txt'))).toContain('"a.txt" has not changed');
    repository.commit({ 'a.txt': 'work' });
    expect(problem(await verify(app, 'files:a.txt'))).toBe('accepted');
  });

  test('outside git are compared by content if they were declared, otherwise by time', async () => {
    const app = await openApp({ tasks: ['T001 files ./a.txt,missing.txt'] });
    const write = (name: string, text: string, seconds?: number): void => {
      writeFileSync(join(app.root, name), text);
      if (seconds !== undefined) utimesSync(join(app.root, name), seconds, seconds);
    };
    write('a.txt', 'a');
    write('other.txt', 'other', 0);
    await app.call('tasks.start', { taskId: 'T001' });
    write('a.txt', 'a', 4_000_000_000);
    expect(problem(await verify(app, 'files:a.txt'))).toContain('"a.txt" has not changed since T001 was first claimed');
    expect(problem(await verify(app, 'files:other.txt'))).toContain('"other.txt" has not changed');
    write('a.txt', 'b', 0);
    write('missing.txt', 'now', 0);
    write('other.txt', 'other', 4_000_000_000);
    expect(problem(await verify(app, 'files:a.txt,missing.txt,other.txt'))).toBe('accepted');
  });
});

test('evidence that was accepted before stays accepted', async () => {
  const app = await openApp({
    tasks: ['T001 evidence implemented,testsPassed', 'gate T001 implemented by ada', 'gate T001 testsPassed by ada'],
  });
  expect(await app.call('tasks.complete', { taskId: 'T001' })).toMatchObject({ success: true });
});

test('a claim stores HEAD without starting git, also in a worktree and with packed refs', async () => {
  const { app, repository } = await openRepository();
  const baselines = () => app.store.read(({ gates }) => gates.getBaseline('T001'));
  repository.git('pack-refs', '--all');
  await app.call('tasks.start', { taskId: 'T001' });
  expect(await baselines()).toEqual({ head: repository.git('rev-parse', 'HEAD'), at: expect.any(String) });
  const { readHead } = await import('#platform/tree.ts');
  const tree = addWorktree(repository, join(app.root, 'home', 'tree'), 'feature');
  expect(readHead(tree.folder)).toBe(repository.git('rev-parse', 'HEAD'));
  expect(readHead(tree.folder)).not.toBe(tree.commit({ 'c.txt': 'c' }));
  expect(readHead(tree.folder)).toBe(tree.git('rev-parse', 'HEAD'));
  tree.git('checkout', '--quiet', '--detach');
  tree.git('pack-refs', '--all');
  expect(readHead(tree.folder)).toBe(tree.git('rev-parse', 'HEAD'));
  repository.git('checkout', '--quiet', '--orphan', 'empty');
  expect(readHead(app.root)).toBeUndefined();
});
