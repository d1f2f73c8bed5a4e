import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireSuccess } from './sample-plan.ts';
import type { ServedProject } from './served-project.ts';

/** Enters stages of the first epic, ships a release with a tag and an artifact, and creates a further one. */
export async function addSampleRelease(project: ServedProject): Promise<void> {
  const post = (path: string, params: object) => project.post(`mutate/${path}`, params).then(requireSuccess);
  await post('lifecycle/skip', { epicId: 'T001', stage: 'research', through: 'decomposition', reason: 'The grammar is given' });
  await post('lifecycle/start', { epicId: 'T001', stage: 'implementation' });
  const git = (...words: string[]) => execFileSync('git', words, { cwd: project.root, stdio: 'ignore' });
  writeFileSync(join(project.root, 'parser.txt'), 'parser\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  git('add', '-A');
  git('commit', '-qm', 'Write the parser');
  await project.cleo('release', 'create', 'v1.0.0').then(requireSuccess);
  await project.cleo('release', 'ship', 'v1.0.0', '--create-tag', '--artifacts', 'parser.txt').then(requireSuccess);
  await post('release/create', { version: 'v1.1.0', epic: 'T002' });
}
