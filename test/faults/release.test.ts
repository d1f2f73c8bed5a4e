import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRepository } from '../repository.ts';
import { createFaultFolder, createKillTimer, openFaultProject, pickSize } from './processes.ts';

test('a killed ship can be repeated to the same end: one commit, one tag, one section', async () => {
  const kills = pickSize(4, 40);
  const repo = createRepository(join(createFaultFolder(), 'project'));
  const remote = join(dirname(repo.folder), 'remote.git');
  repo.git('init', '--quiet', '--bare', '--initial-branch', 'main', remote);
  repo.git('remote', 'add', 'origin', remote);
  repo.commit({ VERSION: '0.0.0\n', '.gitignore': '.home\n' });
  const project = openFaultProject(repo.folder, repo.env);
  await project.runOk(['init']);
  const ship = (n: number): string[] => ['release', 'ship', `v1.${n}.0`, '--bump-version', '--create-tag', '--push'];
  await project.runOk(['release', 'create', 'v1.0.0']);
  const began = performance.now();
  await project.runOk(ship(0));
  const aim = createKillTimer(performance.now() - began);
  for (let n = 1; n <= kills; n++) {
    await project.runOk(['release', 'create', `v1.${n}.0`]);
    const killed = await project.run(ship(n), {
      onStart: (child) => void sleep(aim.pickMoment(0.15, 1)).then(() => child.kill('SIGKILL')),
    });
    aim.recordEnd(killed);
    // A running git command completes after its caller was killed.
    await sleep(500);
    const lock = join(repo.folder, '.git', 'index.lock');
    if (existsSync(lock)) rmSync(lock);
    const again = await project.run(ship(n));
    // Killed after its last write, it had shipped without an answer.
    expect(killed.answer.success ? [102] : [0, 102]).toContain(again.exitCode);
    expect(again.answer.release).toMatchObject({ status: 'shipped', commit: repo.git('rev-parse', `v1.${n}.0^{commit}`) });
  }
  expect(aim.countKills()).toBeGreaterThan(kills / 4);
  expect(repo.git('log', '--format=%s').split('\n')).toHaveLength(kills + 2);
  expect(repo.git('tag').split('\n')).toHaveLength(kills + 1);
  expect(repo.git('ls-remote', '--tags', remote).match(/refs\/tags\/v1\.\d+\.0$/gm)).toHaveLength(kills + 1);
  expect(repo.git('rev-parse', 'HEAD')).toBe(repo.git('ls-remote', remote, 'refs/heads/main').split('\t')[0]);
  expect(readFileSync(join(repo.folder, 'CHANGELOG.md'), 'utf8').match(/^## \[1\.\d+\.0\]/gm)).toHaveLength(kills + 1);
  expect(repo.git('status', '--porcelain', '--', '.', ':!.cleo')).toBe('');
});
