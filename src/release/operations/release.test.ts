import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '#main.ts';
import { createPlatform } from '#platform/platform.ts';
import { createCli, type Json, openApp, type TestApp } from '../../../test/app.ts';
import { addWorktree, createRepository, type Repository } from '../../../test/repository.ts';
import { createTempFolder } from '../../../test/temp-folder.ts';

const work = [
  'T001 epic: Parser',
  'T002 in T001 done: Write the parser',
  'T003 in T001 done labels bug: Lexer',
  'T004 in T001: Later',
  'T005 done: Elsewhere',
];

interface ReleaseApp extends TestApp {
  repo: Repository;
  remote: string;
  read(name: string): string;
  ship(more?: object): ReturnType<TestApp['call']>;
}

/** A project in a real repository with a bare remote. */
async function openReleaseApp(config: object = {}, files: Record<string, string> = {}, tasks = work): Promise<ReleaseApp> {
  const remote = join(createTempFolder(), 'remote.git');
  const repo = createRepository(join(createTempFolder(), 'unused'));
  const app = await openApp({ tasks, env: repo.env, config: { ...config } });
  const repository = createRepository(app.root);
  repository.git('init', '--quiet', '--bare', '--initial-branch', 'main', remote);
  repository.git('remote', 'add', 'origin', remote);
  repository.commit({
    'package.json': '{\n\t"name": "x",\n\t"version": "0.9.0"\n}\n',
    'src/a.ts': 'a\n',
    '.gitignore': 'home\n.cleo\n',
    ...files,
  });
  return {
    ...app,
    repo: repository,
    remote,
    read: (name) => readFileSync(join(app.root, name), 'utf8'),
    ship: (more = { bumpVersion: true, createTag: true, push: true }) => app.call('release.ship', { version: 'v1.0.0', ...more }),
  };
}

const remoteRefs = ({ repo, remote }: ReleaseApp): string[] =>
  repo
    .git('ls-remote', remote)
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[1]!);

test('create collects done tasks without a release, and is 101 the second time', async () => {
  const { call, cli } = await openApp({ tasks: work });
  expect(await call('release.create', { version: '1.0.0', epic: 'T001' })).toMatchObject({
    release: {
      version: 'v1.0.0',
      status: 'created',
      epicId: 'T001',
      tasks: [{ id: 'T002', title: 'Write the parser' }, { id: 'T003' }],
      steps: [],
    },
    data: { created: ['v1.0.0'] },
  });
  expect(await call('release.create', { version: 'v1.0.0' })).toMatchObject({
    success: true,
    _meta: { exitCode: 101 },
    release: { tasks: [{ id: 'T002' }, { id: 'T003' }] },
  });
  expect((await call('release.create', { version: '2026.11' })).release.tasks).toEqual([{ id: 'T005', title: 'Elsewhere', type: 'task' }]);
  expect(await call('release.create', { version: 'v3.0.0' })).toMatchObject({
    _meta: { warnings: ['there are no done tasks without a release'] },
    release: { tasks: [] },
  });
  const { releases } = await call('release.list');
  expect(releases.map(({ version, taskCount }: Json) => [version, taskCount]).sort()).toEqual([
    ['v1.0.0', 2],
    ['v2026.11', 1],
    ['v3.0.0', 0],
  ]);
  expect((await cli('cleo release list --quiet --limit 1')).out).toMatch(/^v[\d.]+\n$/);
  expect((await call('release.changelog', { version: 'v1.0.0' })).changelog).toBe(
    '## [1.0.0] - unreleased\n\n### Added\n- Write the parser (T002)\n\n### Fixed\n- Lexer (T003)\n',
  );
  expect(await call('release.create', { version: 'v4.0.0', epic: 'T404' })).toMatchObject({ error: { exitCode: 4 } });
  expect(await call('release.show', { version: 'v9.0.0' })).toMatchObject({ error: { exitCode: 4, fix: 'cleo release create v9.0.0' } });
});

test('the changelog of a shipped release has its date', async () => {
  const app = await openApp({ tasks: ['T001 done: Parser', 'release v1.0.0 T001'] });
  await app.tamper("update releases set status = 'shipped', shipped_at = '2026-03-04T05:06:07.000Z'");
  expect((await app.call('release.changelog', { version: 'v1.0.0' })).changelog).toMatch(/^## \[1\.0\.0\] - 2026-03-04\n/);
});

test('a dry run of create stores nothing', async () => {
  const { call } = await openApp({ tasks: work });
  expect(await call('release.create', { version: 'v1.0.0', dryRun: true })).toMatchObject({ data: { dryRun: true, wouldCreate: 1 } });
  expect(await call('release.list')).toMatchObject({ _meta: { exitCode: 100 }, releases: [] });
});

test.each(['v1.0.0; rm -rf', '--upload-pack=x', '-v1', 'HEAD', '../v1.0.0', 'v1.0.0\n', '$(touch x)', ''])(
  'rejects the version %j',
  async (version) => {
    const app = await openApp();
    for (const operation of ['release.create', 'release.ship', 'release.show', 'release.changelog'])
      expect(await app.call(operation, { version })).toMatchObject({ error: { exitCode: 6, code: 'E_VALIDATION_VERSION' } });
    expect((await app.cli(['release', 'create', '--', version])).exitCode).toBe(6);
  },
);

test('ship writes changelog and version, commits, tags and pushes; a second call changes nothing', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  const before = app.repo.git('rev-parse', 'HEAD');
  const shipped = await app.ship();
  expect(shipped).toMatchObject({
    success: true,
    release: { status: 'shipped', tag: 'v1.0.0', commit: app.repo.git('rev-parse', 'HEAD'), shippedAt: expect.any(String) },
    data: { updated: ['v1.0.0'] },
  });
  expect(shipped.release.steps.map(({ step, state }: { step: string; state: string }) => `${step} ${state}`)).toEqual(
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'].map((step) => `${step} done`),
  );
  expect(app.read('package.json')).toBe('{\n\t"name": "x",\n\t"version": "1.0.0"\n}\n');
  expect(app.read('CHANGELOG.md')).toMatch(/## \[1\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n- Write the parser \(T002\)/);
  expect(app.repo.git('rev-list', `${before}..HEAD`).split('\n')).toHaveLength(1);
  expect(app.repo.git('show', '--name-only', '--format=%s', 'HEAD')).toBe('Release v1.0.0\n\nCHANGELOG.md\npackage.json');
  expect(app.repo.git('cat-file', '-t', 'v1.0.0')).toBe('tag');
  expect(app.repo.git('status', '--porcelain')).toBe('');
  expect(remoteRefs(app)).toEqual(expect.arrayContaining(['refs/heads/main', 'refs/tags/v1.0.0']));
  expect(await app.ship()).toMatchObject({ success: true, _meta: { exitCode: 102 } });
});

test('stores commit, tree, tasks and hashes, and writes a provenance statement', async () => {
  const app = await openReleaseApp({}, { 'dist/x.tgz': 'built' });
  await app.call('release.create', { version: 'v1.0.0' });
  const { release, statement } = await app.ship({ createTag: true, artifacts: ['dist/x.tgz'], provenance: 'provenance.json' });
  const built = execFileSync('sha256sum', [join(app.root, 'dist/x.tgz')], { encoding: 'utf8' }).split(' ')[0];
  expect(release.provenance).toMatchObject({
    commit: app.repo.git('rev-parse', 'HEAD'),
    tree: app.repo.git('rev-parse', 'HEAD^{tree}'),
    tasks: ['T002', 'T003', 'T005'],
    artifacts: expect.arrayContaining([{ name: 'dist/x.tgz', sha256: built }, expect.objectContaining({ name: 'CHANGELOG.md' })]),
  });
  expect(statement).toBe('provenance.json');
  expect(JSON.parse(app.read('provenance.json'))).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicate: { tasks: ['T002', 'T003', 'T005'] },
  });
  expect((await app.call('release.show', { version: 'v1.0.0' })).release.provenance).toEqual(release.provenance);
  expect(await app.ship({ createTag: true, artifacts: ['nothing.tgz'] })).toMatchObject({
    error: { exitCode: 3, message: 'nothing.tgz: does not exist' },
  });
  expect(await app.ship({ createTag: true, provenance: '../out.json' })).toMatchObject({ error: { exitCode: 3 } });
});

test('keeps the hashes of the commit when resumed, and refuses a statement outside the project first', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  expect(await app.ship({ provenance: '../out.json' })).toMatchObject({ error: { exitCode: 3 } });
  expect(existsSync(join(app.root, 'CHANGELOG.md'))).toBe(false);
  const { release } = await app.ship({ bumpVersion: true, provenance: './out/statement.json' });
  writeFileSync(join(app.root, 'package.json'), '{"version":"1.0.1"}\n');
  expect((await app.ship({ createTag: true })).release.provenance).toEqual(release.provenance);
});

test.each(['CHANGELOG.md', 'package.json'])('does not write through %s if it is a link, as a clone can bring it', async (name) => {
  const app = await openReleaseApp();
  const target = join(createTempFolder(), 'mine');
  writeFileSync(target, '{"version":"0.9.0"}\n');
  rmSync(join(app.root, name), { force: true });
  symlinkSync(target, join(app.root, name));
  app.repo.git('add', name);
  app.repo.git('commit', '--quiet', '-m', 'Link');
  await app.call('release.create', { version: 'v1.0.0' });
  expect(await app.ship({ bumpVersion: true })).toMatchObject({ error: { exitCode: 3, message: expect.stringContaining('is a link') } });
  expect(readFileSync(target, 'utf8')).toBe('{"version":"0.9.0"}\n');
});

test('releases from the checkout of the caller', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  const other = addWorktree(app.repo, join(createTempFolder(), 'other'), 'feature');
  writeFileSync(join(app.root, 'src/a.ts'), 'dirty, but elsewhere');
  const otherApp = createApp(createPlatform(app.env, other.folder, '0.0.0-test'));
  onTestFinished(() => otherApp.closeStores());
  const { envelope } = await createCli(otherApp, app.env)('cleo release ship v1.0.0 --bump-version --create-tag');
  expect(envelope).toMatchObject({ release: { status: 'shipped', commit: other.git('rev-parse', 'HEAD') } });
  expect(other.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual(['CHANGELOG.md', 'package.json']);
  expect(existsSync(join(app.root, 'CHANGELOG.md'))).toBe(false);
});

test('resumes after a failed push without repeating steps', async () => {
  const app = await openReleaseApp({ release: { gates: { count: ['node', '-e', "require('fs').appendFileSync('.cleo/gates', 'x')"] } } });
  await app.call('release.create', { version: 'v1.0.0' });
  renameSync(app.remote, `${app.remote}-gone`);
  const { error } = await app.ship();
  expect(error).toMatchObject({
    code: 'E_DEPENDENCY_ERROR',
    exitCode: 5,
    fix: 'cleo release ship v1.0.0 --bump-version --create-tag --push',
  });
  const halted = (await app.call('release.show', { version: 'v1.0.0' })).release;
  expect(halted).toMatchObject({ status: 'shipping', tag: 'v1.0.0' });
  expect(halted.steps.at(-1)).toMatchObject({ step: 'push', state: 'begun' });
  const head = app.repo.git('rev-parse', 'HEAD');
  renameSync(`${app.remote}-gone`, app.remote);
  expect((await app.cli(error.fix)).envelope).toMatchObject({ success: true, release: { status: 'shipped', commit: head } });
  expect(app.repo.git('rev-parse', 'HEAD')).toBe(head);
  expect(app.read('.cleo/gates')).toBe('x');
  expect(remoteRefs(app)).toContain('refs/tags/v1.0.0');
});

test.each<[string, (app: ReleaseApp) => void, string]>([
  ['a changed file', ({ root }) => writeFileSync(join(root, 'src/a.ts'), 'changed'), 'src/a.ts'],
  ['a new file', ({ root }) => writeFileSync(join(root, "it's new.txt"), 'x'), "it's new.txt"],
  ['an edited changelog', ({ root }) => writeFileSync(join(root, 'CHANGELOG.md'), '# Mine\n'), 'CHANGELOG.md'],
  [
    'a staged file',
    ({ root, repo }) => {
      writeFileSync(join(root, 'b.ts'), 'b');
      repo.git('add', 'b.ts');
    },
    'b.ts',
  ],
])('refuses a dirty tree before the first step: %s', async (_, soil, path) => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  soil(app);
  const head = app.repo.git('rev-parse', 'HEAD');
  const { error } = await app.ship();
  expect(error).toMatchObject({ code: 'E_VALIDATION_TREE', exitCode: 6, details: { paths: [path] } });
  expect([app.repo.git('rev-parse', 'HEAD'), app.repo.git('tag')]).toEqual([head, '']);
  expect((await app.call('release.show', { version: 'v1.0.0' })).release).toMatchObject({ status: 'created', steps: [] });
  execFileSync('sh', ['-c', error.fix], { cwd: app.root, env: { ...app.repo.env } });
  expect((await app.ship()).release).toMatchObject({ status: 'shipped' });
});

test('ignores drafts of a ship that was killed', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  writeFileSync(join(app.root, 'CHANGELOG.md.tmp-999999999-abc'), '');
  expect((await app.ship()).release).toMatchObject({ status: 'shipped' });
  expect(app.repo.git('status', '--porcelain', '--', '.', ':!.cleo')).toBe('');
});

test('version files and .cleo may be changed, and only version files are committed', async () => {
  const app = await openReleaseApp({}, { VERSION: '0.9.0\n', 'Cargo.toml': '[package]\nversion = "0.9.0"\n' });
  await app.call('release.create', { version: 'v1.0.0' });
  writeFileSync(join(app.root, 'VERSION'), 'v0.9.5\n');
  // The home folder of the test is inside the repository.
  writeFileSync(join(app.root, '.gitignore'), 'home\n');
  app.repo.git('commit', '--quiet', '--all', '--message', 'No ignore');
  expect((await app.ship({ bumpVersion: true })).release).toMatchObject({ status: 'shipped' });
  expect([app.read('VERSION'), app.read('Cargo.toml')]).toEqual(['v1.0.0\n', '[package]\nversion = "1.0.0"\n']);
  expect(app.repo.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
    'CHANGELOG.md',
    'Cargo.toml',
    'VERSION',
    'package.json',
  ]);
});

test('runs gates in order without a shell, and stops at the first failure', async () => {
  const gates = {
    first: "node -e \"require('fs').writeFileSync('.cleo/ran', 'yes')\"",
    second: ['node', '-e', "console.log('not good DB_PASSWORD=hunter2hunter2'); process.exit(3)", '$(touch x)'],
  };
  const app = await openReleaseApp({ release: { gates } });
  await app.call('release.create', { version: 'v1.0.0' });
  const { error } = await app.ship();
  expect(error).toMatchObject({ code: 'E_VALIDATION_GATES', exitCode: 6, details: { gate: 'second' } });
  expect(error.details.output).toBe('not good DB_PASSWORD=[redacted]\n');
  expect(app.read('.cleo/ran')).toBe('yes');
  expect(app.repo.git('status', '--porcelain')).toBe('');
  expect((await app.call('release.show', { version: 'v1.0.0' })).release).toMatchObject({
    status: 'shipping',
    steps: [{ step: 'gates', state: 'begun' }],
  });
});

test('resumes a ship that was interrupted before its commit', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  // What a process leaves that died between writing the files and committing them.
  writeFileSync(join(app.root, '.git', 'index.lock'), '');
  expect((await app.ship()).error).toMatchObject({ exitCode: 5 });
  expect(app.repo.git('status', '--porcelain', '--untracked-files=all')).toContain('CHANGELOG.md');
  rmSync(join(app.root, '.git', 'index.lock'));
  expect((await app.ship()).release).toMatchObject({ status: 'shipped' });
  expect(app.read('CHANGELOG.md').match(/## \[1\.0\.0\]/g)).toHaveLength(1);
  expect(app.repo.git('rev-list', 'HEAD').split('\n')).toHaveLength(2);
});

test('runs additional steps later, and repeats a commit that was reset', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  await app.ship({});
  expect(app.repo.git('tag')).toBe('');
  expect((await app.ship({ createTag: true })).release).toMatchObject({ tag: 'v1.0.0' });
  app.repo.git('tag', '--delete', 'v1.0.0');
  app.repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  expect((await app.ship({ createTag: true })).release).toMatchObject({ commit: app.repo.git('rev-parse', 'HEAD') });
  expect(app.repo.git('log', '-1', '--format=%s')).toBe('Release v1.0.0');
});

test('a dry run of ship lists the steps and runs none', async () => {
  const app = await openReleaseApp({ release: { gates: { tests: 'npm test' } } });
  await app.call('release.create', { version: 'v1.0.0' });
  const dry = await app.ship({ bumpVersion: true, createTag: true, push: true, dryRun: true });
  expect(dry).toMatchObject({ release: { status: 'created' }, data: { dryRun: true, wouldUpdate: 1 } });
  expect(dry.would).toEqual([
    'run the gates tests',
    'add a section for v1.0.0 to CHANGELOG.md',
    'write 1.0.0 to package.json',
    'commit these files',
    'create the annotated tag v1.0.0',
    'push the branch and the tag',
  ]);
  expect([app.repo.git('status', '--porcelain'), app.repo.git('tag'), existsSync(join(app.root, 'CHANGELOG.md'))]).toEqual(['', '', false]);
});

test.each<[string, (app: ReleaseApp) => void, object, string]>([
  ['a tag that points to another commit', ({ repo }) => void repo.git('tag', 'v1.0.0'), { createTag: true }, 'E_VALIDATION_TAG'],
  ['no remote', ({ repo }) => void repo.git('remote', 'remove', 'origin'), { push: true }, 'E_VALIDATION_REMOTE'],
  ['no branch', ({ repo }) => void repo.git('checkout', '--quiet', '--detach'), { push: true }, 'E_VALIDATION_BRANCH'],
])('refuses %s before the first step, and the fix works', async (_, arrange, params, code) => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  arrange(app);
  const { error } = await app.ship(params);
  expect(error).toMatchObject({ code, exitCode: 6 });
  expect(existsSync(join(app.root, 'CHANGELOG.md'))).toBe(false);
  expect(await app.cli(error.fix)).toMatchObject({ exitCode: 0 });
});

test('refuses to write a version that is not SemVer to package.json', async () => {
  const app = await openReleaseApp({}, { VERSION: '2026.10\n' });
  await app.call('release.create', { version: '2026.11' });
  const { error } = await app.call('release.ship', { version: '2026.11', bumpVersion: true });
  expect(error).toMatchObject({ code: 'E_VALIDATION_VERSION', fix: 'cleo release ship 2026.11' });
  rmSync(join(app.root, 'package.json'));
  app.repo.git('commit', '--quiet', '--all', '--message', 'No package');
  expect((await app.call('release.ship', { version: '2026.11', bumpVersion: true })).release).toMatchObject({ status: 'shipped' });
  expect(app.read('VERSION')).toBe('2026.11\n');
});

test('fails with 5 without git, and with 6 without a repository or a commit', async () => {
  const bare = await openApp({ tasks: work, env: { PATH: '/nonexistent' } });
  await bare.call('release.create', { version: 'v1.0.0' });
  expect(await bare.call('release.ship', { version: 'v1.0.0' })).toMatchObject({ error: { code: 'E_DEPENDENCY_ERROR', exitCode: 5 } });
  const app = await openApp({ tasks: work, env: { PATH: process.env.PATH ?? '' } });
  await app.call('release.create', { version: 'v1.0.0' });
  expect(await app.call('release.ship', { version: 'v1.0.0' })).toMatchObject({
    error: { code: 'E_VALIDATION_REPOSITORY', fix: 'git init' },
  });
  createRepository(app.root);
  expect(await app.call('release.ship', { version: 'v1.0.0' })).toMatchObject({
    error: { code: 'E_VALIDATION_REPOSITORY', exitCode: 6 },
  });
});

test('a project in a subfolder of a repository writes only there', async () => {
  const app = await openReleaseApp();
  await app.call('release.create', { version: 'v1.0.0' });
  const inner = join(app.root, 'packages', 'app');
  app.repo.commit({ 'packages/app/package.json': '{"version":"0.1.0"}\n' });
  cpSync(join(app.root, '.cleo'), join(inner, '.cleo'), { recursive: true });
  const env = { ...app.env, CLEO_ROOT: inner };
  const innerApp = createApp(createPlatform(env, inner, '0.0.0-test'));
  onTestFinished(() => innerApp.closeStores());
  const ship = () => createCli(innerApp, env)('cleo release ship v1.0.0 --bump-version');
  writeFileSync(join(app.root, 'package.json'), '{"version":"0.9.5"}\n');
  expect((await ship()).envelope.error.details).toMatchObject({ paths: ['package.json'] });
  app.repo.git('checkout', '--quiet', '--', 'package.json');
  expect((await ship()).envelope).toMatchObject({ release: { status: 'shipped' } });
  expect(app.repo.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
    'packages/app/CHANGELOG.md',
    'packages/app/package.json',
  ]);
});

test('the release workflow of the skill runs as written', async () => {
  const app = await openReleaseApp();
  writeFileSync(join(app.root, 'src/b.ts'), 'b\n');
  execFileSync('sh', ['-c', 'git add src/b.ts && git commit -m "feat(T002): description"'], { cwd: app.root, env: app.repo.env });
  expect(await app.cli('cleo release create v1.0.0')).toMatchObject({ exitCode: 0 });
  expect(await app.cli('cleo release ship v1.0.0 --bump-version --create-tag --push')).toMatchObject({ exitCode: 0 });
  expect(remoteRefs(app)).toContain('refs/tags/v1.0.0');
});
