import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cleoPath, cleoRunner } from './built-cli.ts';
import { createRepository } from './repository.ts';
import { createTempFolder } from './temp-folder.ts';

/** Opens a shell with the built `cleo`. Each line must succeed. */
function openShell(folder: string, env: Record<string, string>): (line: string) => string {
  const prelude = 'cleo() { "$node" "$built" "$@"; }; ';
  return (line) =>
    execFileSync('sh', ['-c', `set -e; ${prelude}${line}`], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...env, CLEO_HOME: join(folder, '..', 'home'), node: cleoRunner, built: cleoPath },
    });
}

test('the documented scaffold commands run as written', () => {
  const repo = createRepository(join(createTempFolder(), 'project'));
  const run = openShell(repo.folder, repo.env);
  run('cleo init');
  const create = [
    { ref: 'a', type: 'epic', title: 'Parser' },
    { title: 'Read', parent: 'a' },
  ];
  writeFileSync(join(repo.folder, 'scaffold.json'), JSON.stringify({ version: 1, create }));
  expect(JSON.parse(run('cleo workgraph validate --file scaffold.json --dry-run'))).toMatchObject({
    workgraph: { wouldCreate: 2, wouldUpdate: 0, wouldDelete: 0 },
  });
  expect(JSON.parse(run('cleo workgraph apply --file scaffold.json'))).toMatchObject({ data: { created: ['T001', 'T002'] } });
});

test('the documented release workflow runs as written, up to the push', () => {
  const repo = createRepository(join(createTempFolder(), 'project'));
  const remote = join(dirname(repo.folder), 'remote.git');
  repo.git('init', '--quiet', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
  const run = openShell(repo.folder, repo.env);
  run('cleo init && cleo add "Write the parser" && cleo complete T001');
  writeFileSync(join(repo.folder, 'VERSION'), '0.1.0\n');
  run('git add VERSION && git commit -m "feat(T001): description"');
  run('cleo release create v1.0.0');
  run('cleo release ship v1.0.0 --bump-version --create-tag --push');
  expect(repo.git('ls-remote', '--tags', remote)).toContain('refs/tags/v1.0.0');
  expect(repo.git('show', '--format=%s', '--name-only', 'HEAD')).toBe('Release v1.0.0\n\nCHANGELOG.md\nVERSION');
});
