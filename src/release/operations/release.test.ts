import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '#main.ts';
import { platformOf } from '#platform/platform.ts';
import { commandLine, openApp, type Seen, type TestApp } from '../../../test/app.ts';
import { type Repository, repositoryIn, worktreeOf } from '../../../test/repository.ts';
import { temporary } from '../../../test/temporary.ts';

const work = [
  'T001 epic: Parser',
  'T002 in T001 done: Write the parser',
  'T003 in T001 done labels bug: Lexer',
  'T004 in T001: Later',
  'T005 done: Elsewhere',
];

interface Shop extends TestApp {
  repo: Repository;
  remote: string;
  read(name: string): string;
  ship(more?: object): ReturnType<TestApp['call']>;
}

/** A project in a real repository with a bare remote. */
async function openShop(config: object = {}, files: Record<string, string> = {}, tasks = work): Promise<Shop> {
  const remote = join(temporary(), 'remote.git');
  const repo = repositoryIn(join(temporary(), 'unused'));
  const app = await openApp({ tasks, env: repo.env, config: { ...config } });
  const ctx = repositoryIn(app.root);
  ctx.git('init', '--quiet', '--bare', '--initial-branch', 'main', remote);
  ctx.git('remote', 'add', 'origin', remote);
  ctx.commit({
    'package.json': '{\n\t"name": "x",\n\t"version": "0.9.0"\n}\n',
    'src/a.ts': 'a\n',
    '.gitignore': 'home\n.cleo\n',
    ...files,
  });
  return {
    ...app,
    repo: ctx,
    remote,
    read: (name) => readFileSync(join(app.root, name), 'utf8'),
    ship: (more = { bumpVersion: true, createTag: true, push: true }) => app.call('release.ship', { version: 'v1.0.0', ...more }),
  };
}

const remoteRefs = ({ repo, remote }: Shop): string[] =>
  repo
    .git('ls-remote', remote)
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[1]!);

test('a release collects what is done and in no release yet, and exists once', async () => {
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
    _meta: { warnings: ['nothing is done that is not in a release already'] },
    release: { tasks: [] },
  });
  const { releases } = await call('release.list');
  expect(releases.map(({ version, taskCount }: Seen) => [version, taskCount]).sort()).toEqual([
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

test('a dry run of create keeps nothing', async () => {
  const { call } = await openApp({ tasks: work });
  expect(await call('release.create', { version: 'v1.0.0', dryRun: true })).toMatchObject({ data: { dryRun: true, wouldCreate: 1 } });
  expect(await call('release.list')).toMatchObject({ _meta: { exitCode: 100 }, releases: [] });
});

test.each(['v1.0.0; rm -rf', '--upload-pack=x', '-v1', 'HEAD', '../v1.0.0', 'v1.0.0\n', '$(touch x)', ''])(
  '%j is no version',
  async (version) => {
    const app = await openApp();
    for (const operation of ['release.create', 'release.ship', 'release.show', 'release.changelog'])
      expect(await app.call(operation, { version })).toMatchObject({ error: { exitCode: 6, code: 'E_VALIDATION_VERSION' } });
    expect((await app.cli(['release', 'create', '--', version])).exitCode).toBe(6);
  },
);

test('shipped: changelog, version, one commit, an annotated tag, pushed; and then there is nothing left to do', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  const before = shop.repo.git('rev-parse', 'HEAD');
  const shipped = await shop.ship();
  expect(shipped).toMatchObject({
    success: true,
    release: { status: 'shipped', tag: 'v1.0.0', commit: shop.repo.git('rev-parse', 'HEAD'), shippedAt: expect.any(String) },
    data: { updated: ['v1.0.0'] },
  });
  expect(shipped.release.steps.map(({ step, state }: { step: string; state: string }) => `${step} ${state}`)).toEqual(
    ['gates', 'changelog', 'bump', 'commit', 'tag', 'push'].map((step) => `${step} done`),
  );
  expect(shop.read('package.json')).toBe('{\n\t"name": "x",\n\t"version": "1.0.0"\n}\n');
  expect(shop.read('CHANGELOG.md')).toMatch(/## \[1\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Added\n- Write the parser \(T002\)/);
  expect(shop.repo.git('rev-list', `${before}..HEAD`).split('\n')).toHaveLength(1);
  expect(shop.repo.git('show', '--name-only', '--format=%s', 'HEAD')).toBe('Release v1.0.0\n\nCHANGELOG.md\npackage.json');
  expect(shop.repo.git('cat-file', '-t', 'v1.0.0')).toBe('tag');
  expect(shop.repo.git('status', '--porcelain')).toBe('');
  expect(remoteRefs(shop)).toEqual(expect.arrayContaining(['refs/heads/main', 'refs/tags/v1.0.0']));
  expect(await shop.ship()).toMatchObject({ success: true, _meta: { exitCode: 102 } });
});

test('where it comes from is kept: commit, tree, tasks, digests; and written down where asked', async () => {
  const shop = await openShop({}, { 'dist/x.tgz': 'built' });
  await shop.call('release.create', { version: 'v1.0.0' });
  const { release, statement } = await shop.ship({ createTag: true, artifacts: ['dist/x.tgz'], provenance: 'provenance.json' });
  const built = execFileSync('sha256sum', [join(shop.root, 'dist/x.tgz')], { encoding: 'utf8' }).split(' ')[0];
  expect(release.provenance).toMatchObject({
    commit: shop.repo.git('rev-parse', 'HEAD'),
    tree: shop.repo.git('rev-parse', 'HEAD^{tree}'),
    tasks: ['T002', 'T003', 'T005'],
    artifacts: expect.arrayContaining([{ name: 'dist/x.tgz', sha256: built }, expect.objectContaining({ name: 'CHANGELOG.md' })]),
  });
  expect(statement).toBe('provenance.json');
  expect(JSON.parse(shop.read('provenance.json'))).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicate: { tasks: ['T002', 'T003', 'T005'] },
  });
  expect((await shop.call('release.show', { version: 'v1.0.0' })).release.provenance).toEqual(release.provenance);
  expect(await shop.ship({ createTag: true, artifacts: ['nothing.tgz'] })).toMatchObject({ error: { exitCode: 4 } });
  expect(await shop.ship({ createTag: true, provenance: '../out.json' })).toMatchObject({ error: { exitCode: 3 } });
});

test('digests are those of the commit, also when the release goes on later; a statement outside is refused before anything is done', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  expect(await shop.ship({ provenance: '../out.json' })).toMatchObject({ error: { exitCode: 3 } });
  expect(existsSync(join(shop.root, 'CHANGELOG.md'))).toBe(false);
  const { release } = await shop.ship({ bumpVersion: true, provenance: './out/statement.json' });
  writeFileSync(join(shop.root, 'package.json'), '{"version":"1.0.1"}\n');
  expect((await shop.ship({ createTag: true })).release.provenance).toEqual(release.provenance);
});

test('the checkout that the caller stands in is the one that is released', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  const other = worktreeOf(shop.repo, join(temporary(), 'other'), 'feature');
  writeFileSync(join(shop.root, 'src/a.ts'), 'dirty, but elsewhere');
  const app = createApp(platformOf(shop.env, other.folder, '0.0.0-test'));
  onTestFinished(() => app.closeStores());
  const { envelope } = await commandLine(app, shop.env)('cleo release ship v1.0.0 --bump-version --create-tag');
  expect(envelope).toMatchObject({ release: { status: 'shipped', commit: other.git('rev-parse', 'HEAD') } });
  expect(other.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual(['CHANGELOG.md', 'package.json']);
  expect(existsSync(join(shop.root, 'CHANGELOG.md'))).toBe(false);
});

test('a push that fails is taken up again where it was, and nothing is done twice', async () => {
  const shop = await openShop({ release: { gates: { count: ['node', '-e', "require('fs').appendFileSync('.cleo/gates', 'x')"] } } });
  await shop.call('release.create', { version: 'v1.0.0' });
  renameSync(shop.remote, `${shop.remote}-gone`);
  const { error } = await shop.ship();
  expect(error).toMatchObject({
    code: 'E_DEPENDENCY_ERROR',
    exitCode: 5,
    fix: 'cleo release ship v1.0.0 --bump-version --create-tag --push',
  });
  const halted = (await shop.call('release.show', { version: 'v1.0.0' })).release;
  expect(halted).toMatchObject({ status: 'shipping', tag: 'v1.0.0' });
  expect(halted.steps.at(-1)).toMatchObject({ step: 'push', state: 'begun' });
  const head = shop.repo.git('rev-parse', 'HEAD');
  renameSync(`${shop.remote}-gone`, shop.remote);
  expect((await shop.cli(error.fix)).envelope).toMatchObject({ success: true, release: { status: 'shipped', commit: head } });
  expect(shop.repo.git('rev-parse', 'HEAD')).toBe(head);
  expect(shop.read('.cleo/gates')).toBe('x');
  expect(remoteRefs(shop)).toContain('refs/tags/v1.0.0');
});

test.each<[string, (shop: Shop) => void, string]>([
  ['a file that changed', ({ root }) => writeFileSync(join(root, 'src/a.ts'), 'changed'), 'src/a.ts'],
  ['a new file', ({ root }) => writeFileSync(join(root, "it's new.txt"), 'x'), "it's new.txt"],
  ['a changelog somebody is writing', ({ root }) => writeFileSync(join(root, 'CHANGELOG.md'), '# Mine\n'), 'CHANGELOG.md'],
  [
    'something staged',
    ({ root, repo }) => {
      writeFileSync(join(root, 'b.ts'), 'b');
      repo.git('add', 'b.ts');
    },
    'b.ts',
  ],
])('a dirty tree is refused before anything is done: %s', async (_, soil, path) => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  soil(shop);
  const head = shop.repo.git('rev-parse', 'HEAD');
  const { error } = await shop.ship();
  expect(error).toMatchObject({ code: 'E_VALIDATION_TREE', exitCode: 6, details: { paths: [path] } });
  expect([shop.repo.git('rev-parse', 'HEAD'), shop.repo.git('tag')]).toEqual([head, '']);
  expect((await shop.call('release.show', { version: 'v1.0.0' })).release).toMatchObject({ status: 'created', steps: [] });
  execFileSync('sh', ['-c', error.fix], { cwd: shop.root, env: { ...shop.repo.env } });
  expect((await shop.ship()).release).toMatchObject({ status: 'shipped' });
});

test('what a ship that was killed had begun to write is not in its way', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  writeFileSync(join(shop.root, 'CHANGELOG.md.tmp-999999999-abc'), '');
  expect((await shop.ship()).release).toMatchObject({ status: 'shipped' });
  expect(shop.repo.git('status', '--porcelain', '--', '.', ':!.cleo')).toBe('');
});

test('version files and .cleo may differ, and only the first are committed', async () => {
  const shop = await openShop({}, { VERSION: '0.9.0\n', 'Cargo.toml': '[package]\nversion = "0.9.0"\n' });
  await shop.call('release.create', { version: 'v1.0.0' });
  writeFileSync(join(shop.root, 'VERSION'), 'v0.9.5\n');
  rmSync(join(shop.root, '.gitignore'));
  shop.repo.git('commit', '--quiet', '--all', '--message', 'No ignore');
  expect((await shop.ship({ bumpVersion: true })).release).toMatchObject({ status: 'shipped' });
  expect([shop.read('VERSION'), shop.read('Cargo.toml')]).toEqual(['v1.0.0\n', '[package]\nversion = "1.0.0"\n']);
  expect(shop.repo.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
    'CHANGELOG.md',
    'Cargo.toml',
    'VERSION',
    'package.json',
  ]);
});

test('gates run without a shell, in their order, and one that fails stops everything', async () => {
  const gates = {
    first: "node -e \"require('fs').writeFileSync('.cleo/ran', 'yes')\"",
    second: ['node', '-e', "console.log('not good'); process.exit(3)", '$(touch x)'],
  };
  const shop = await openShop({ release: { gates } });
  await shop.call('release.create', { version: 'v1.0.0' });
  const { error } = await shop.ship();
  expect(error).toMatchObject({ code: 'E_VALIDATION_GATES', exitCode: 6, details: { gate: 'second', output: 'not good\n' } });
  expect(shop.read('.cleo/ran')).toBe('yes');
  expect(shop.repo.git('status', '--porcelain')).toBe('');
  expect((await shop.call('release.show', { version: 'v1.0.0' })).release).toMatchObject({
    status: 'shipping',
    steps: [{ step: 'gates', state: 'begun' }],
  });
});

test('a ship that was cut short before its commit finds its own changes and goes on', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  // What a process leaves that died between writing the files and committing them.
  writeFileSync(join(shop.root, '.git', 'index.lock'), '');
  expect((await shop.ship()).error).toMatchObject({ exitCode: 5 });
  expect(shop.repo.git('status', '--porcelain', '--untracked-files=all')).toContain('CHANGELOG.md');
  rmSync(join(shop.root, '.git', 'index.lock'));
  expect((await shop.ship()).release).toMatchObject({ status: 'shipped' });
  expect(shop.read('CHANGELOG.md').match(/## \[1\.0\.0\]/g)).toHaveLength(1);
  expect(shop.repo.git('rev-list', 'HEAD').split('\n')).toHaveLength(2);
});

test('more can be asked for later; a commit that was taken back is made again', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  await shop.ship({});
  expect(shop.repo.git('tag')).toBe('');
  expect((await shop.ship({ createTag: true })).release).toMatchObject({ tag: 'v1.0.0' });
  shop.repo.git('tag', '--delete', 'v1.0.0');
  shop.repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  expect((await shop.ship({ createTag: true })).release).toMatchObject({ commit: shop.repo.git('rev-parse', 'HEAD') });
  expect(shop.repo.git('log', '-1', '--format=%s')).toBe('Release v1.0.0');
});

test('a dry run says what would be done and does none of it', async () => {
  const shop = await openShop({ release: { gates: { tests: 'npm test' } } });
  await shop.call('release.create', { version: 'v1.0.0' });
  const dry = await shop.ship({ bumpVersion: true, createTag: true, push: true, dryRun: true });
  expect(dry).toMatchObject({ release: { status: 'created' }, data: { dryRun: true, wouldUpdate: 1 } });
  expect(dry.would).toEqual([
    'run the gates tests',
    'write a section for v1.0.0 into CHANGELOG.md',
    'write 1.0.0 into package.json',
    'commit these files',
    'make the annotated tag v1.0.0',
    'push the branch and the tag',
  ]);
  expect([shop.repo.git('status', '--porcelain'), shop.repo.git('tag'), existsSync(join(shop.root, 'CHANGELOG.md'))]).toEqual([
    '',
    '',
    false,
  ]);
});

test.each<[string, (shop: Shop) => void, object, string]>([
  ['a tag that stands for something else', ({ repo }) => void repo.git('tag', 'v1.0.0'), { createTag: true }, 'E_VALIDATION_TAG'],
  ['no remote', ({ repo }) => void repo.git('remote', 'remove', 'origin'), { push: true }, 'E_VALIDATION_REMOTE'],
  ['no branch', ({ repo }) => void repo.git('checkout', '--quiet', '--detach'), { push: true }, 'E_VALIDATION_BRANCH'],
])('%s is refused before anything is done, and the fix leads out', async (_, arrange, params, code) => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  arrange(shop);
  const { error } = await shop.ship(params);
  expect(error).toMatchObject({ code, exitCode: 6 });
  expect(existsSync(join(shop.root, 'CHANGELOG.md'))).toBe(false);
  expect(await shop.cli(error.fix)).toMatchObject({ exitCode: 0 });
});

test('a version that is not SemVer goes into no file that wants it', async () => {
  const shop = await openShop({}, { VERSION: '2026.10\n' });
  await shop.call('release.create', { version: '2026.11' });
  const { error } = await shop.call('release.ship', { version: '2026.11', bumpVersion: true });
  expect(error).toMatchObject({ code: 'E_VALIDATION_VERSION', fix: 'cleo release ship 2026.11' });
  rmSync(join(shop.root, 'package.json'));
  shop.repo.git('commit', '--quiet', '--all', '--message', 'No package');
  expect((await shop.call('release.ship', { version: '2026.11', bumpVersion: true })).release).toMatchObject({ status: 'shipped' });
  expect(shop.read('VERSION')).toBe('2026.11\n');
});

test('without git it is 5; outside of a repository, or before its first commit, it says so', async () => {
  const bare = await openApp({ tasks: work, env: { PATH: '/nonexistent' } });
  await bare.call('release.create', { version: 'v1.0.0' });
  expect(await bare.call('release.ship', { version: 'v1.0.0' })).toMatchObject({ error: { code: 'E_DEPENDENCY_ERROR', exitCode: 5 } });
  const app = await openApp({ tasks: work, env: { PATH: process.env.PATH ?? '' } });
  await app.call('release.create', { version: 'v1.0.0' });
  expect(await app.call('release.ship', { version: 'v1.0.0' })).toMatchObject({
    error: { code: 'E_VALIDATION_REPOSITORY', fix: 'git init' },
  });
  repositoryIn(app.root);
  expect(await app.call('release.ship', { version: 'v1.0.0' })).toMatchObject({
    error: { code: 'E_VALIDATION_REPOSITORY', exitCode: 6 },
  });
});

test('a project in a folder of a repository keeps to its folder', async () => {
  const shop = await openShop();
  await shop.call('release.create', { version: 'v1.0.0' });
  const inner = join(shop.root, 'packages', 'app');
  shop.repo.commit({ 'packages/app/package.json': '{"version":"0.1.0"}\n' });
  cpSync(join(shop.root, '.cleo'), join(inner, '.cleo'), { recursive: true });
  const env = { ...shop.env, CLEO_ROOT: inner };
  const app = createApp(platformOf(env, inner, '0.0.0-test'));
  onTestFinished(() => app.closeStores());
  const ship = () => commandLine(app, env)('cleo release ship v1.0.0 --bump-version');
  writeFileSync(join(shop.root, 'package.json'), '{"version":"0.9.5"}\n');
  expect((await ship()).envelope.error.details).toMatchObject({ paths: ['package.json'] });
  shop.repo.git('checkout', '--quiet', '--', 'package.json');
  expect((await ship()).envelope).toMatchObject({ release: { status: 'shipped' } });
  expect(shop.repo.git('show', '--name-only', '--format=', 'HEAD').split('\n')).toEqual([
    'packages/app/CHANGELOG.md',
    'packages/app/package.json',
  ]);
});

test('the release workflow that agents are taught runs as written', async () => {
  const shop = await openShop();
  writeFileSync(join(shop.root, 'src/b.ts'), 'b\n');
  execFileSync('sh', ['-c', 'git add src/b.ts && git commit -m "feat(T002): description"'], { cwd: shop.root, env: shop.repo.env });
  expect(await shop.cli('cleo release create v1.0.0')).toMatchObject({ exitCode: 0 });
  expect(await shop.cli('cleo release ship v1.0.0 --bump-version --create-tag --push')).toMatchObject({ exitCode: 0 });
  expect(remoteRefs(shop)).toContain('refs/tags/v1.0.0');
});
